/** Which of several nodes matches: the store decides, whoever was stopped for however long. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { enterNode } from '../../../service/src/cluster/node-table.ts'
import { ROUND_MS, mayTakeJob } from '../../../service/src/cluster/work-rules.ts'
import { MatchJob } from '../../../service/src/queue/match-job.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
let store: Database
let now = 0

beforeAll(async () => {
  store = await openDatabase({ data: data.folder, databaseUrl: null })
  for (const node of ['one', 'two', 'dead'])
    await enterNode(store.db, { node, name: node, address: '', level: 1 })
})
afterAll(async () => {
  await store.close()
  data.remove()
})
beforeEach(async () => {
  await store.pool.query(
    "delete from contacts; update jobs set node = null, round = 5; update nodes set state = 'up'",
  )
  await store.pool.query("update nodes set state = 'dead' where node = 'dead'")
})

const job = (id: string, isOneOfMany = true): MatchJob =>
  new MatchJob({
    ...{ db: store.db, node: { id, takesWork: true, isSettled: () => true }, isOneOfMany: () => isOneOfMany },
    ...{ passed: () => now, onFault: () => {} },
  })
const holder = async () => (await store.pool.query('select node, round from jobs')).rows[0] as object
const somebodyWaits = () =>
  store.pool.query(
    "insert into contacts (id, visitor, request, created, life, waiting, queued_at, machine, details, state) values ('c', 'v', 'r', 0, 'queued', true, 0, '{}', '{}', '{}')",
  )

describe('the job of the matcher', () => {
  it('CLU-92 whoever comes first has it, and the other leaves it to them while their rounds go on', async () => {
    const [one, two] = [job('one'), job('two')]
    await somebodyWaits()
    expect([await one.begin(), await two.begin()]).toEqual([true, false])
    for (let second = 0; second < 10; second += 1) {
      now += 1_000
      expect([await one.begin(), await two.begin()]).toEqual([true, false])
    }
    expect(await holder()).toEqual({ node: 'one', round: 16 })
  })

  it.each([true, false])(
    'CLU-92 something waits (%s) and no round goes on for 2 s: the job is taken over where it does',
    async (waits) => {
      const [one, two] = [job('one'), job('two')]
      if (waits) await somebodyWaits()
      await one.begin()
      expect(await two.begin()).toBe(false)
      now += ROUND_MS - 1
      expect(await two.begin()).toBe(false)
      now += 1
      expect(await two.begin()).toBe(waits)
    },
  )

  it.each(['dead', 'draining', 'gone'])(
    'CLU-92 of a node that is %s it is taken over at once',
    async (state) => {
      await store.pool.query("update nodes set state = 'draining' where node = 'one'")
      const former = { dead: 'dead', draining: 'one', gone: 'gone' }[state]
      await store.pool.query('update jobs set node = $1', [former])
      expect(await job('two').begin()).toBe(true)
      expect(await holder()).toEqual({ node: 'two', round: 6 })
    },
  )

  it('CLU-93 a matcher that was stopped in a round writes nothing after another has taken the job, also where it has it again', async () => {
    const [one, two] = [job('one'), job('two')]
    await somebodyWaits()
    await one.begin()
    const round = (await one.roundIn(store.db)) ?? 0
    await two.begin()
    now += ROUND_MS
    expect(await two.begin()).toBe(true)
    expect([await one.advance(store.db, round), await one.roundIn(store.db)]).toEqual([false, null])
    now += ROUND_MS
    await one.begin()
    now += ROUND_MS
    expect(await one.begin()).toBe(true)
    expect(await one.advance(store.db, round)).toBe(false)
    expect(await one.advance(store.db, (await one.roundIn(store.db)) ?? 0)).toBe(true)
  })

  it('CLU-93 of two that take it at the same moment one has it; while one writes, nobody waits for it', async () => {
    const both = await Promise.all([job('one').begin(), job('two').begin()])
    expect(both.toSorted()).toEqual([false, true])
    await store.pool.query("update jobs set node = 'dead'")
    const writer = await store.pool.connect()
    await writer.query('begin; select from jobs for update')
    expect(await job('two').begin()).toBe(false)
    await writer.query('rollback')
    writer.release()
    expect(await job('two').begin()).toBe(true)
  })

  it('CLU-93 a node that drains or was declared dead takes no job and goes on with none', async () => {
    expect(await job('dead').begin()).toBe(false)
    const draining = new MatchJob({
      ...{ db: store.db, node: { id: 'one', takesWork: false, isSettled: () => true } },
      ...{ isOneOfMany: () => true, onFault: () => {} },
    })
    expect(await draining.begin()).toBe(false)
    expect(await holder()).toEqual({ node: null, round: 5 })
  })

  it('CLU-92 alone, a node writes nothing at the start of a round', async () => {
    const alone = job('one', false)
    expect([await alone.begin(), await alone.begin(), await alone.begin()]).toEqual([true, true, true])
    expect(await holder()).toEqual({ node: 'one', round: 6 })
  })
})

it('CLU-92 the rule: who takes new work keeps the job, unless something waits and its round stands still', () => {
  const nodes = new Map([
    ['a', 'up'],
    ['b', 'draining'],
  ] as const)
  const takes = (node: string | null, isWaiting: boolean, after: number) =>
    mayTakeJob({ node, isWaiting, seen: { round: 1, since: 0 } }, nodes, after)
  expect([takes(null, false, 0), takes('b', false, 0), takes('gone', false, 0)]).toEqual([true, true, true])
  expect([takes('a', true, 1_999), takes('a', true, 2_000), takes('a', false, 9_000)]).toEqual([
    ...[false, true, false],
  ])
})
