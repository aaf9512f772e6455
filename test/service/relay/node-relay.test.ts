/** The relay between the sessions of two nodes, over the bus in the process. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry, RelayFrame, Slot } from '../../../protocol/index.ts'
import type { Bus } from '../../../service/src/bus/bus.ts'
import { NodeBus } from '../../../service/src/bus/node-bus.ts'
import { ProcessExchange } from '../../../service/src/bus/process-carrier.ts'
import { NodeLink } from '../../../service/src/cluster/node-link.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import { Metrics } from '../../../service/src/http/metrics.ts'
import { Relay } from '../../../service/src/relay/relay.ts'
import { BreakableCarrier, MessageFates } from '../../support/breakable-carrier.ts'
import { entry, present } from '../../support/entries.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { NotingSink } from '../../support/noting-sink.ts'

const fault = (thrown: unknown): never => {
  throw thrown
}
const PATIENCE = { timeout: 10_000 }
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

/** Where sessions are, the log, and how often the store was asked for a place. */
class Store {
  readonly places = new Map<string, string>()
  readonly log: Entry[] = []
  asked = 0
  isOut = false
  nodeOf = (_contact: string, session: string): Promise<string | null> => {
    this.asked += 1
    if (this.isOut) return Promise.reject(new Error('the store is out'))
    return Promise.resolve(this.places.get(session) ?? null)
  }
}

/** Node with one contact `c`. */
class RelayNode {
  readonly metrics = new Metrics()
  readonly hub: Hub
  readonly link: NodeLink
  readonly relay: Relay
  carriers: readonly BreakableCarrier[] = []
  bus: Bus | null = null

  constructor(store: Store) {
    const read = ({ after, limit }: { after: number; limit: number }) =>
      Promise.resolve(store.log.filter(({ seq }) => seq > after).slice(0, limit))
    this.hub = new Hub({ read: (_contact, page) => read(page), onFault: fault })
    this.link = new NodeLink({ isAlone: false, bus: () => this.bus, metrics: this.metrics, onFault: fault })
    const { hub, link, metrics } = this
    this.relay = new Relay({ hub, link, nodeOf: store.nodeOf, metrics })
    link.onMissed(() => void this.relay.resume())
  }

  open(slot: Slot, store: Store, node: string, epoch = 1): { channel: Channel; sink: NotingSink } {
    const [session, sink] = [`${slot}-1`, new NotingSink()]
    const channel = new Channel({
      ...{ contact: 'c', session, slot, principal: slot, nick: null, sink, cursor: 0, head: 0, epoch },
      ...{ read: () => Promise.resolve(store.log), view: (entries) => entries, onFault: fault },
    })
    this.hub.attach(channel, initialContactState('visitor'))
    this.hub.start(channel)
    store.places.set(session, node)
    return { channel, sink }
  }
}

/** What a frame from this node to the agent's session comes to. */
const sendFrom = (node: RelayNode, { channel }: { channel: Channel }, n: number): Promise<string> =>
  node.relay.send(channel, 'agent-1', { n, ack: 0, kind: 'data', body: n }).then(
    () => 'taken',
    (thrown: { code: string }) => thrown.code,
  )

/** Two nodes with a bus between them: the visitor's session is at `a`, the agent's at `b`. */
async function twoNodes() {
  const [store, fates, clock] = [new Store(), new MessageFates(), new ManualClock()]
  const exchange = new ProcessExchange(clock)
  const make = async (node: string): Promise<RelayNode> => {
    const made = new RelayNode(store)
    made.carriers = [0, 1].map(() => new BreakableCarrier(exchange.carrier(), node, fates))
    const [hints, frames] = made.carriers as [BreakableCarrier, BreakableCarrier]
    made.bus = await NodeBus.open({
      ...{ node, deployment: 'test', key: 'k', hints, frames, handlers: made.link.handlers },
      ...{ now: () => Date.now(), onFault: fault },
    })
    closers.push(() => made.bus?.close() ?? Promise.resolve())
    return made
  }
  const [a, b] = [await make('a'), await make('b')]
  const [visitor, agent] = [a.open('visitor', store, 'a'), b.open('agent', store, 'b')]
  const elsewhere = { session: 'agent-1', slot: 'agent', node: 'b', epoch: 1 } as const
  a.hub.hearConnected('c', elsewhere, true)
  store.log.push(present(1, 'visitor', 'visitor-1'), present(2, 'agent', 'agent-1'))
  for (const { hub } of [a, b]) hub.appended('c', store.log)
  const send = (n: number, body: unknown = n) =>
    a.relay.send(visitor.channel, 'agent-1', { n, ack: 0, kind: 'data', body } as RelayFrame)
  const codeOf = (n: number): Promise<string> => sendFrom(a, visitor, n)
  return { store, fates, clock, a, b, visitor, agent, send, codeOf, make }
}

const numbers = ({ frames }: NotingSink): number[] => frames.map(({ n }) => n)
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

it('CLU-70 frames of a session at another node arrive in order; the store is asked for the node once', async () => {
  const { store, a, b, agent, send } = await twoNodes()
  await Promise.all(upTo(500).map((n) => send(n)))
  expect(numbers(agent.sink)).toEqual(upTo(500))
  expect(store.asked).toBe(1)
  expect(await a.metrics.text()).toContain('duolog_relay_frames_total{way="out",outcome="taken"} 500')
  expect(await b.metrics.text()).toContain('duolog_relay_frames_total{way="in",outcome="taken"} 500')
})

it('CLU-70 a frame of 131,072 bytes arrives, and follows those before it', async () => {
  const { agent, send } = await twoNodes()
  await Promise.all(upTo(40).map((n) => send(n, 'x'.repeat(131_072))))
  expect(numbers(agent.sink)).toEqual(upTo(40))
})

it('CLU-71 a frame waits at the other node for the entries before it, and those after it wait behind', async () => {
  const { store, a, agent, b, send } = await twoNodes()
  const text = entry(3, 'visitor', 'visitor-1', 'text', { text: 'hello' })
  store.log.push(text)
  a.hub.appended('c', [text])
  const sent = Promise.all([send(1), send(2)])
  await expect.poll(() => store.asked, PATIENCE).toBe(1)
  expect(numbers(agent.sink)).toEqual([])
  b.hub.appended('c', [text])
  await sent
  expect(numbers(agent.sink)).toEqual([1, 2])
})

it('CLU-71 a frame that waits where the last page goes meanwhile is offline, which is no failure of the node', async () => {
  const { store, a, agent, b, codeOf } = await twoNodes()
  const text = entry(3, 'visitor', 'visitor-1', 'text', { text: 'hello' })
  a.hub.appended('c', [text])
  const sent = codeOf(1)
  await expect.poll(() => store.asked, PATIENCE).toBe(1)
  await turn()
  store.places.delete('agent-1')
  agent.channel.close()
  expect([await sent, b.hub.find('c')]).toEqual(['offline', null])
})

it('CLU-71 entries that the other node has missed are read from its log', async () => {
  const { store, a, agent, send } = await twoNodes()
  const text = entry(3, 'visitor', 'visitor-1', 'text', { text: 'hello' })
  store.log.push(text)
  a.hub.appended('c', [text])
  await send(1)
  expect(numbers(agent.sink)).toEqual([1])
})

it('CLU-72 the store is asked once more where the session has moved, and no more', async () => {
  const { store, a, b, agent, send, codeOf } = await twoNodes()
  await send(1)
  b.hub.drop('c')
  expect(await codeOf(2)).toBe('offline')
  expect(store.asked).toBe(2)
  const back = a.open('agent', store, 'a')
  await send(3)
  await expect.poll(() => numbers(back.sink), PATIENCE).toEqual([3])
  expect(numbers(agent.sink)).toEqual([1])
})

it('CLU-72 a session without a connection, and one at a node that is gone, are offline', async () => {
  const { store, codeOf } = await twoNodes()
  store.places.delete('agent-1')
  expect(await codeOf(1)).toBe('offline')
  store.places.set('agent-1', 'gone')
  expect(await codeOf(2)).toBe('offline')
})

it('CLU-72 a frame follows its page to another node when the one before has gone', async () => {
  const { store, b, agent, send, make } = await twoNodes()
  await send(1)
  await b.bus?.close()
  const third = await make('third')
  const { sink } = third.open('agent', store, 'third')
  third.hub.appended('c', store.log)
  await send(2)
  await send(3)
  expect([numbers(agent.sink), numbers(sink), store.asked]).toEqual([[1], [2, 3], 2])
})

it('CLU-163 what a node that had no time still has of a connection that the page has replaced is not passed', async () => {
  const { store, a, visitor, agent, send, make } = await twoNodes()
  await send(1)
  const third = await make('third')
  const replaced = third.open('visitor', store, 'third', 2)
  third.hub.hearConnected('c', { session: 'agent-1', slot: 'agent', node: 'b', epoch: 1 }, true)
  third.hub.appended('c', store.log)
  expect(await sendFrom(third, replaced, 2)).toBe('taken')
  expect(await sendFrom(a, visitor, 3)).toBe('offline')
  expect(await sendFrom(third, replaced, 4)).toBe('taken')
  expect(numbers(agent.sink)).toEqual([1, 2, 4])
})

it('CLU-163 the same once the other node has heard of the page elsewhere, and for two sessions at one node', async () => {
  const { store, a, b, visitor, agent } = await twoNodes()
  b.hub.hearConnected('c', { session: 'visitor-1', slot: 'visitor', node: 'third', epoch: 2 }, true)
  expect(await sendFrom(a, visitor, 1)).toBe('offline')
  const here = b.open('visitor', store, 'b', 3)
  b.hub.appended('c', store.log)
  expect(await sendFrom(b, here, 2)).toBe('taken')
  b.hub.hearConnected('c', { session: 'visitor-1', slot: 'visitor', node: 'third', epoch: 4 }, true)
  expect(await sendFrom(b, here, 3)).toBe('offline')
  expect(numbers(agent.sink)).toEqual([2])
})

it('CLU-72 the other node judges by its fold who holds the slots', async () => {
  const { b, codeOf } = await twoNodes()
  b.hub.appended('c', [present(3, 'agent', 'agent-2', { after: 'agent-1' })])
  expect(await codeOf(1)).toBe('peer_left')
})

it('CLU-73 a connection that takes no more, and more than 512 frames without an answer, are too fast', async () => {
  const { fates, agent, send, codeOf } = await twoNodes()
  agent.sink.hasRoom = false
  expect(await codeOf(1)).toBe('rate_limited')
  agent.sink.hasRoom = true
  fates.decide = () => 'hold'
  const sent = upTo(513).map((n) => codeOf(n))
  expect(await sent[512]).toBe('rate_limited')
  fates.decide = () => 'pass'
  fates.release()
  expect(new Set(await Promise.all(sent.slice(0, 512)))).toEqual(new Set(['taken']))
  await send(514)
})

it('CLU-74 a sender whose frames the bus did not carry is asked for them again when the bus is back', async () => {
  const { a, visitor, codeOf } = await twoNodes()
  for (const carrier of a.carriers) carrier.cut(true)
  expect(await codeOf(1)).toBe('offline')
  await a.relay.resume()
  expect(visitor.sink.frames).toEqual([])
  for (const carrier of a.carriers) carrier.cut(false)
  await expect.poll(() => visitor.sink.frames, PATIENCE).toEqual([{ n: 0, ack: 0, kind: 'resume' }])
  await a.relay.resume()
  expect(visitor.sink.frames).toHaveLength(1)
})

it('CLU-74 the same where the store was out, which knows the other node', async () => {
  const { store, a, visitor, agent, codeOf, send } = await twoNodes()
  store.isOut = true
  expect(await codeOf(1)).toBe('offline')
  store.isOut = false
  await a.relay.resume()
  expect(visitor.sink.frames).toEqual([{ n: 0, ack: 0, kind: 'resume' }])
  await send(1)
  expect(numbers(agent.sink)).toEqual([1])
})

it('CLU-74 as long as the other node does not answer, nobody is asked', async () => {
  const { fates, clock, a, visitor, codeOf } = await twoNodes()
  const unanswered = async <T>(asked: Promise<T>): Promise<T> => {
    await turn()
    clock.advance(2_000)
    return asked
  }
  fates.decide = ({ to }) => (to === 'b' ? 'drop' : 'pass')
  expect(await unanswered(codeOf(1))).toBe('offline')
  await unanswered(a.relay.resume())
  expect(visitor.sink.frames).toEqual([])
  fates.decide = () => 'pass'
  await a.relay.resume()
  expect(visitor.sink.frames).toEqual([{ n: 0, ack: 0, kind: 'resume' }])
})
