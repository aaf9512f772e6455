/** Calls over the telephone among several nodes: one node dials, another takes over where it is dead. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { enterNode } from '../../../service/src/cluster/node-table.ts'
import { Retry } from '../../../service/src/retry.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { PhoneCalls } from '../../../service/src/telephony/phone-calls.ts'
import { PhoneRows } from '../../../service/src/telephony/phone-rows.ts'
import type { PhoneEvents, TelephonyGateway } from '../../../service/src/telephony/index.ts'
import { settled } from '../../../testing/index.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { memoryRows } from '../telephony/phone-rows-fake.ts'

describe('the rows of calls', () => {
  const data = preparedData()
  let store: Database

  beforeAll(async () => {
    store = await openDatabase({ data: data.folder, databaseUrl: null })
    for (const node of ['one', 'two']) await enterNode(store.db, { node, name: node, address: '', level: 1 })
  })
  afterAll(async () => {
    await store.close()
    data.remove()
  })
  beforeEach(() => store.pool.query("delete from phone_calls; update nodes set state = 'up'"))

  it('CLU-103 in the store they are as the tests have them in memory', async () => {
    const memory = memoryRows()
    const kinds = [
      {
        at: (node: string): Pick<PhoneRows, keyof PhoneRows> => new PhoneRows(store.db, () => node),
        die: () => store.pool.query("update nodes set state = 'dead' where node = 'one'"),
      },
      { at: memory.at, die: async () => memory.die('one') },
    ]
    const said = []
    for (const { at, die } of kinds) {
      const [one, two] = [at('one'), at('two')]
      const answers: unknown[] = [
        await one.claim({ contact: 'c', call: 'p1', ref: 1 }),
        await two.claim({ contact: 'c', call: 'p2', ref: 1 }),
        await two.find('c'),
        await two.holds(store.db, { contact: 'c', call: 'p1' }),
        await one.holds(store.db, { contact: 'c', call: 'p1' }),
        await two.end(store.db, { contact: 'c', call: 'p1', ref: 1 }),
        await two.takeOver(),
        await two.own(),
      ]
      await die()
      answers.push(
        await two.takeOver(),
        await one.end(store.db, { contact: 'c', call: 'p1', ref: 1 }),
        await two.own(),
        await two.end(store.db, { contact: 'c', call: 'p1', ref: 1 }),
        await two.end(store.db, { contact: 'c', call: 'p1', ref: 1 }),
        await two.end(store.db, { contact: 'c', call: null, ref: 1 }),
        await two.end(store.db, { contact: 'd', call: null, ref: 0 }),
        await two.find('c'),
      )
      const row = (await two.find('c')) ?? expect.fail('no row')
      await two.remove({ ...row, call: 'another' })
      answers.push(await two.find('c'))
      await two.remove(row)
      said.push([...answers, await two.find('c')])
    }
    expect(said[0]).toEqual(said[1])
    expect(said[0]?.slice(0, 2)).toEqual([true, false])
  })
})

/** Nodes with a gateway each, and a contact whose log a test plays. */
function offices(gateways: Record<string, Partial<TelephonyGateway>>) {
  const clock = new ManualClock()
  const rows = memoryRows()
  const [events, done, noted] = [[] as PhoneEvents[], [] as string[], [] as unknown[]]
  const log = { ref: null as number | null, isOn: false }
  const read = async () => ({
    row: {
      life: 'joined',
      machine: '{"value":{"open":{"visitor":"here"}}}',
      details: '{"data":[{"name":"f","data":[{"name":"n","type":"phone","value":"+4930123456"}]}]}',
      agent: 'ada',
      transferred_from: null,
    },
    state: {
      shared: {
        phase:
          log.ref === null
            ? { name: 'idle' }
            : { name: 'transiting', ref: log.ref, target: { Voice: { via: 'pstn' } } },
        media: log.isOn ? { Voice: { via: 'pstn' } } : {},
      },
    },
  })
  const change = async (_contact: string, run: (change: unknown) => Promise<void>): Promise<void> => {
    const { state } = await read()
    const life = { value: { open: { progress: 'joined' } } }
    await run({ life, state, trx: null, noteTelephone: (news: unknown) => noted.push(news) })
  }
  const onFault = (thrown: unknown): void => expect.fail(String(thrown))
  const takesCalls = new Map(Object.keys(gateways).map((node) => [node, true]))
  const calls = new Map(
    Object.entries(gateways).map(([node, gateway]) => [
      node,
      new PhoneCalls({
        gateway: {
          dial: (_call, of) => {
            done.push(`${node} dials`)
            events.push(of)
          },
          hangUp: () => void done.push(`${node} hangs up`),
          ...gateway,
        },
        ...{ store: { read, change } as never, rows: rows.at(node), clock },
        ...{ takesCalls: () => takesCalls.get(node) ?? false, random: (size) => randomBytes(size) },
        retry: new Retry(onFault, (run, delayMs) => void clock.setTimeout(run, delayMs)),
        onFault,
      }),
    ]),
  )
  const each = async (run: (of: PhoneCalls) => unknown, nodes = [...calls.keys()]): Promise<void> => {
    for (const node of nodes) await run(calls.get(node) ?? expect.fail(node))
    await settled()
  }
  /** All nodes hear what the log says now. */
  const say = async (next: Partial<typeof log>): Promise<void> => {
    Object.assign(log, next)
    await each((of) => of.sync('c'))
  }
  const die = async (node: string): Promise<void> => {
    rows.die(node)
    await each(
      (of) => of.takeOver(),
      [...calls.keys()].filter((other) => other !== node),
    )
  }
  return { clock, log, rows, events, done, noted, say, die, each, takesCalls }
}

describe('the call of a contact that is open at two nodes', () => {
  it('CLU-103 one of them dials, and tells what it comes to', async () => {
    const { say, done, events, noted } = offices({ one: {}, two: {} })
    await say({ ref: 1 })
    expect(done).toEqual(['one dials'])
    events[0]?.answered()
    await settled()
    await say({ ref: null, isOn: true })
    events[0]?.ended('hung_up')
    await settled()
    expect(noted).toEqual([{ state: 'answered' }, { state: 'ended', reason: 'hung_up' }])
    expect(done).toEqual(['one dials'])
  })

  it('CLU-103 who was told that it is over is not called for it again, by any node; for the next one once', async () => {
    const { say, done, events, noted, rows } = offices({ one: {}, two: {} })
    await say({ ref: 1 })
    events[0]?.ended('busy')
    await settled()
    await say({ ref: 1 })
    expect([done, noted.length]).toEqual([['one dials'], 1])
    await say({ ref: null })
    expect(rows.rows.size).toBe(0)
    await say({ ref: 2 })
    expect(done).toEqual(['one dials', 'one dials'])
  })

  it('CLU-103 a node that drains dials no more', async () => {
    const { say, done, takesCalls } = offices({ one: {}, two: {} })
    takesCalls.set('one', false)
    await say({ ref: 1 })
    expect(done).toEqual(['two dials'])
  })

  it('CLU-103 the next transition waits until the node of the call before has hung up', async () => {
    const { log, say, done, each, clock } = offices({ one: {}, two: {} })
    await say({ ref: 1 })
    Object.assign(log, { ref: 2 })
    await each((of) => of.sync('c'), ['two'])
    clock.advance(500)
    await settled()
    expect(done).toEqual(['one dials'])
    await each((of) => of.sync('c'), ['one'])
    expect(done).toEqual(['one dials', 'one hangs up', 'one dials'])
    clock.advance(500)
    await settled()
    expect(done).toHaveLength(3)
  })
})

describe('a node that dies with a call', () => {
  it('CLU-104 another one hangs up, and the parties are told once', async () => {
    const { say, die, done, noted, events, each } = offices({ one: {}, two: {}, three: {} })
    await say({ ref: 1 })
    events[0]?.answered()
    await settled()
    await say({ ref: null, isOn: true })
    await each((of) => of.start())
    await die('one')
    expect(done).toEqual(['one dials', 'two hangs up'])
    expect(noted.slice(1)).toEqual([{ state: 'ended', reason: 'failed' }])
    // The node lives, and what it hears of its call counts no more.
    events[0]?.ended('hung_up')
    await settled()
    expect(noted).toHaveLength(2)
  })

  it('CLU-104 goes on at another one whose gateway takes it', async () => {
    const taken: PhoneEvents[] = []
    const adopt = (_id: string, of: PhoneEvents): boolean => taken.push(of) > 0
    const { say, die, done, noted, events, each } = offices({ one: {}, two: { adopt } })
    await each((of) => of.start())
    await say({ ref: 1 })
    events[0]?.answered()
    await settled()
    await say({ ref: null, isOn: true })
    await die('one')
    expect([done, noted]).toEqual([['one dials'], [{ state: 'answered' }]])
    taken[0]?.ended('hung_up')
    await settled()
    expect(noted.at(-1)).toEqual({ state: 'ended', reason: 'hung_up' })
  })

  it('CLU-105 a start ends the calls that nobody has, and no others', async () => {
    const resets: (readonly string[])[] = []
    const reset = (ids: readonly string[]): void => void resets.push(ids)
    const { say, rows, each, noted } = offices({ one: { reset }, two: { reset } })
    await say({ ref: 1 })
    const call = rows.rows.get('c')?.call ?? ''
    await each((of) => of.start(), ['two'])
    rows.die('one')
    await each((of) => of.start(), ['two'])
    expect(resets).toEqual([[], [call]])
    expect(noted).toEqual([{ state: 'ended', reason: 'failed' }])
  })
})
