/** Timers of several nodes that share a store: one node carries each out, and another where that one is dead. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { enterNode } from '../../../service/src/cluster/node-table.ts'
import { mayClaim } from '../../../service/src/cluster/work-rules.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { claimTimers, postpone, setTimer } from '../../../service/src/timers/timer-rows.ts'
import type { TimerKind, TimerRow } from '../../../service/src/timers/timer-rows.ts'
import { TimerService } from '../../../service/src/timers/timer-service.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
const KINDS: readonly TimerKind[] = ['contact', 'absence']
let store: Database

beforeAll(async () => {
  store = await openDatabase({ data: data.folder, databaseUrl: null })
  for (const node of ['one', 'two', 'up', 'draining', 'dead'])
    await enterNode(store.db, { node, name: node, address: '', level: 1 })
  for (const state of ['draining', 'dead'])
    await store.pool.query('update nodes set state = $1 where node = $1', [state])
})
afterAll(async () => {
  await store.close()
  data.remove()
})
beforeEach(() => store.pool.query('delete from timers'))

const set = (subject: string, kind: TimerKind = 'contact', due = 0): Promise<void> =>
  setTimer(store.db, { subject, kind, key: '', due })
const claim = async (node: string, limit = 200, kinds = KINDS): Promise<string[]> =>
  (await claimTimers(store.db, { node, kinds, now: 10, limit })).map(({ subject }) => subject)
const owners = async () => (await store.pool.query('select subject, owner from timers order by subject')).rows

describe('a claim', () => {
  it('CLU-90 a timer has one node, and the store gives it to whom the rule gives it', async () => {
    const states = new Map([
      ['up', 'up'],
      ['draining', 'draining'],
      ['dead', 'dead'],
    ] as const)
    for (const owner of [null, 'up', 'draining', 'dead', 'gone']) {
      await set('t')
      await store.pool.query('update timers set owner = $1', [owner])
      const isClaimed = mayClaim({ owner, isAbsence: false }, states, true)
      expect([owner, await claim('one')]).toEqual([owner, isClaimed ? ['t'] : []])
      expect([await claim('one'), await claim('two')]).toEqual([isClaimed ? ['t'] : [], []])
    }
  })

  it('CLU-90 takes what is due, the earliest first, so much of each kind, and none that somebody has locked', async () => {
    for (const [subject, due] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
      ['later', 11],
    ] as const)
      await set(subject, 'contact', due)
    await set('s', 'absence', 2)
    const other = await store.pool.connect()
    await other.query("begin; select from timers where subject = 'a' for update")
    expect(await claim('one', 1)).toEqual(['b', 's'])
    await other.query('rollback')
    other.release()
    expect(await claim('two')).toEqual(['a', 'c'])
    expect(await claim('one')).toEqual(['b', 's'])
  })

  it('CLU-90 ends where the timer is set anew or has failed', async () => {
    await set('t')
    await claim('one')
    await set('t')
    expect(await claim('two')).toEqual(['t'])
    const [timer] = await claimTimers(store.db, { node: 'two', kinds: KINDS, now: 10, limit: 1 })
    await postpone(store.db, { ...(timer as TimerRow), failures: 0 }, 5)
    expect(await owners()).toEqual([{ subject: 't', owner: null }])
    expect(await claim('one')).toEqual(['t'])
  })
})

/** A node that carries timers out. Each effect is noted, and deletes the row where `takes`. */
function node(id: string, world: { isSettled: () => boolean; takesWork?: boolean }) {
  const clock = new ManualClock()
  const done: string[] = []
  const own = { id, takesWork: true, ...world }
  const service = new TimerService({ db: store.db, node: own, clock, debug: () => {}, onFault: () => {} })
  for (const kind of KINDS)
    service.handle(kind, async ({ subject }) => {
      const taken = await store.pool.query('delete from timers where subject = $1', [subject])
      if (taken.rowCount === 1) done.push(subject)
    })
  return { service, done, clock }
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((settle) => setImmediate(settle))
}

describe('nodes that carry timers out', () => {
  it('CLU-90 two nodes share the timers: each is carried out once', async () => {
    const [one, two] = [node('one', { isSettled: () => true }), node('two', { isSettled: () => true })]
    for (let count = 0; count < 300; count += 1) await set(`t${count}`)
    one.service.start()
    two.service.start()
    await until(() => one.done.length + two.done.length === 300)
    expect(new Set([...one.done, ...two.done]).size).toBe(300)
    await Promise.all([one.service.stop(), two.service.stop()])
  })

  it('CLU-91 absence is rung only by a node that has settled; it leaves to others what it claimed before it lost touch', async () => {
    await set('s', 'absence')
    await set('c')
    let [unsettled, asked] = [true, 0]
    const one = node('one', { isSettled: () => !unsettled })
    one.service.start()
    await until(() => one.done.length === 1)
    expect([one.done, await owners()]).toEqual([['c'], [{ subject: 's', owner: null }]])
    await one.service.stop()
    unsettled = false
    const flapping = node('two', { isSettled: () => (asked += 1) === 1 })
    flapping.service.start()
    await until(() => asked > 1)
    await flapping.service.stop()
    expect([flapping.done, await owners()]).toEqual([[], [{ subject: 's', owner: null }]])
    const settled = node('one', { isSettled: () => true })
    settled.service.start()
    await until(() => settled.done.length === 1)
    await settled.service.stop()
  })

  it('CLU-91 a node that drains claims nothing', async () => {
    await set('t')
    const draining = node('one', { isSettled: () => true, takesWork: false })
    draining.service.start()
    const other = node('two', { isSettled: () => true })
    other.service.start()
    await until(() => other.done.length === 1)
    await Promise.all([draining.service.stop(), other.service.stop()])
    expect(draining.done).toEqual([])
  })
})
