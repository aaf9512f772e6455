/** Agents at several nodes that share a store: who is connected, who is asked, and what ends with a node. */
import { beforeEach, describe, expect, it } from 'vitest'
import { LocalBus } from '../../../service/src/bus/local-bus.ts'
import { declareDead, enterNode } from '../../../service/src/cluster/node-table.ts'
import { canBeAsked } from '../../../service/src/cluster/work-rules.ts'
import { AgentPresenceService } from '../../../service/src/queue/agent-presence.ts'
import { readCandidates } from '../../../service/src/queue/offer-rows.ts'
import { QUEUE_LIMITS } from '../../../service/src/queue/queue-limits.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()
const clock = new ManualClock()
const STATES = ['up', 'draining', 'dead'] as const
const ADA = { use: 'agent', id: 'ada', nick: 'Ada', tags: [] as string[] } as never
const READY = { state: 'ready', capacity: 2 } as const

beforeEach(async () => {
  await store().pool.query('delete from timers; delete from agents; delete from nodes')
  for (const node of ['one', 'two', 'three', ...STATES])
    await enterNode(store().db, { node, name: node, address: '', level: 1 })
  for (const state of STATES) await store().pool.query('update nodes set state = $1 where node = $1', [state])
})

/** The presence of agents at a node. */
const at = (id: string): AgentPresenceService =>
  new AgentPresenceService({
    ...{ db: store().db, store: undefined as never, bus: new LocalBus(() => {}), clock },
    ...{ limits: QUEUE_LIMITS, node: { id, takesWork: true, isSettled: () => true } },
  })

const connected = async (): Promise<boolean | undefined> =>
  (await store().pool.query<{ connected: boolean }>("select connected from agents where id = 'ada'")).rows[0]
    ?.connected

const dues = async (): Promise<number[]> =>
  (await store().pool.query<{ due: number }>("select due from timers where kind = 'agent'")).rows.map(
    ({ due }) => due,
  )

describe('the connections of an agent', () => {
  it('CLU-85 an agent is connected while a connection stands at any node; the last one that ends sets the timer, the next takes it away', async () => {
    await at('one').connected(ADA, 'l-1')
    await at('two').connected(ADA, 'l-2')
    await at('one').disconnected({ id: 'l-1', agent: 'ada' })
    expect([await connected(), await dues()]).toEqual([true, []])
    await at('two').disconnected({ id: 'l-2', agent: 'ada' })
    const due = clock.now() + QUEUE_LIMITS.agentGraceMs
    expect([await connected(), await dues()]).toEqual([false, [due]])
    clock.advance(1_000)
    await at('two').disconnected({ id: 'l-2', agent: 'ada' })
    expect(await dues()).toEqual([due])
    await at('one').connected(ADA, 'l-3')
    expect([await connected(), await dues()]).toEqual([true, []])
  })

  it('CLU-85 who comes to a node that was declared dead is sent away, and counts as before', async () => {
    await expect(at('dead').connected(ADA, 'l-1')).rejects.toMatchObject({ code: 'offline' })
    expect(await connected()).toBeUndefined()
    await at('one').connected(ADA, 'l-2')
    await at('one').disconnected({ id: 'l-2', agent: 'ada' })
    await expect(at('dead').connected(ADA, 'l-3')).rejects.toMatchObject({ code: 'offline' })
    expect([await connected(), (await dues()).length]).toEqual([false, 1])
  })

  it('CLU-86 what an agent wants is taken from a connection that stands, and from no other', async () => {
    await at('one').connected(ADA, 'l-1')
    await at('one').setPresence(ADA, READY, 'l-1')
    await at('two').connected(ADA, 'l-2')
    await declareDead(store().db, { node: 'one', beat: null }, 0)
    await at('two').sweep()
    await at('two').setPresence(ADA, { ...READY, capacity: 7 }, 'l-2')
    await expect(at('one').setPresence(ADA, { state: 'paused' }, 'l-1')).rejects.toMatchObject({
      code: 'offline',
    })
    const { rows } = await store().pool.query('select state, capacity from agents')
    expect(rows).toEqual([{ state: 'ready', capacity: 7 }])
  })
})

describe('the sweep of a dead node', () => {
  it('CLU-87 ends its connections; who has no other gets the timer, once', async () => {
    await at('one').connected(ADA, 'l-1')
    await at('two').connected(ADA, 'l-2')
    await at('one').connected({ ...(ADA as object), id: 'bob' } as never, 'l-3')
    await declareDead(store().db, { node: 'one', beat: null }, 0)
    await at('two').sweep()
    const lost = async () =>
      (await store().pool.query("select subject, due from timers where kind = 'agent' order by 1")).rows
    const due = clock.now() + QUEUE_LIMITS.agentGraceMs
    expect([await connected(), await lost()]).toEqual([true, [{ subject: 'bob', due }]])
    clock.advance(1_000)
    await at('two').sweep()
    expect(await lost()).toEqual([{ subject: 'bob', due }])
    await declareDead(store().db, { node: 'two', beat: null }, 0)
    await at('three').sweep()
    expect([await connected(), (await lost()).length]).toEqual([false, 2])
  })

  it('CLU-87 waits for nobody, and leaves who has come back meanwhile connected', async () => {
    await at('one').connected(ADA, 'l-1')
    await declareDead(store().db, { node: 'one', beat: null }, 0)
    const other = await store().pool.connect()
    await other.query("begin; select from agents where id = 'ada' for update")
    await other.query("insert into agent_connections (id, agent, node) values ('l-2', 'ada', 'two')")
    await at('two').sweep()
    await other.query('commit')
    other.release()
    expect(await connected()).toBe(true)
    await at('two').sweep()
    expect([await connected(), await dues()]).toEqual([true, []])
  })

  it('CLU-87 takes more agents than fit into a statement', async () => {
    await store().pool
      .query(`insert into agents (id, nick, connected) select 'a' || n, 'A', true from generate_series(1, 450) n;
      insert into agent_connections (id, agent, node) select 'l' || n, 'a' || n, 'dead' from generate_series(1, 450) n`)
    await at('one').sweep()
    expect((await dues()).length).toBe(450)
    expect((await store().pool.query('select from agent_connections')).rowCount).toBe(0)
  })

  it('CLU-87 after a start, agents whom an older version has left as connected get the timer', async () => {
    await store().pool.query(
      "insert into agents (id, nick, connected) values ('old', 'Old', true), ('away', 'Away', false)",
    )
    await at('one').connected(ADA, 'l-1')
    await at('two').loseUnnoted()
    const { rows } = await store().pool.query("select subject from timers where kind = 'agent'")
    expect([rows, await connected()]).toEqual([[{ subject: 'old' }], true])
  })
})

describe('who may be asked', () => {
  it('CLU-88 the store asks whom the rule asks, in each case', async () => {
    const nodes = new Map(STATES.map((state) => [state, state]))
    for (let which = 0; which < 2 ** STATES.length; which += 1) {
      const places = STATES.filter((_, index) => which & (1 << index))
      await store().pool.query(
        "delete from agents; insert into agents (id, nick, state, connected) values ('ada', 'Ada', 'ready', true)",
      )
      for (const node of places)
        await store().pool.query("insert into agent_connections (id, agent, node) values ($1, 'ada', $1)", [
          node,
        ])
      const asked = (await readCandidates(store().db, 0)).length === 1
      expect([places, asked]).toEqual([places, canBeAsked(places, nodes)])
    }
  })

  it('CLU-88 an agent who is passed over is asked again when that is over', async () => {
    await at('one').connected(ADA, 'l-1')
    await at('one').setPresence(ADA, READY, 'l-1')
    await store().pool.query('update agents set passed_until = 100')
    expect([
      (await readCandidates(store().db, 99)).length,
      (await readCandidates(store().db, 100)).length,
    ]).toEqual([...[0, 1]])
  })
})
