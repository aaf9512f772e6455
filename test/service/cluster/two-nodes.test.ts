/** A visitor at one node and an agent at another, who hear of each other by hints and by the poll. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Entry, JsonValue } from '../../../protocol/index.ts'
import type { MessageFate } from '../../../testing/bus-bench.ts'
import { startStore } from '../../support/cluster.ts'
import { startHintNodes } from '../../support/hint-nodes.ts'
import type { HintNodes } from '../../support/hint-nodes.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { Party, WaitingVisitor } from '../../support/parties.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const PATIENCE = { timeout: 15_000 }
let store: Awaited<ReturnType<typeof startStore>>
let nodes: HintNodes

beforeAll(async () => {
  store = await startStore()
  nodes = await startHintNodes(store.url)
})
afterAll(async () => {
  await nodes.close()
  await store.stop()
})

/** A visitor at the first node and an agent at the second, who have joined. */
async function joinAcross(): Promise<{ visitor: WaitingVisitor; agent: Party; id: string }> {
  const visitor = await queueVisitor(nodes.a)
  const agent = await joinAgent(nodes.b, visitor.id)
  await visitor.client.entry(visitor.id, 'joined')
  return { visitor, agent, id: visitor.id }
}

const textsOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const heard = ({ client }: Party, id: string): string[] => textsOf(client.entries(id))
const frames = ({ client }: Party): JsonValue[] =>
  client.pushes.flatMap((push) => (push.name === 'relay.frame' ? [push.body.frame.n] : []))

const relay = (from: Party, to: Party, n: number) =>
  from.client.call('relay.send', {
    ...{ contact: from.session.contact, session: from.session.id, to: to.session.id },
    frame: { n, ack: 0, kind: 'data', body: { n } },
  })

/** Who is connected to a contact, as a party was told last. */
const connectedFor = ({ client }: Party, id: string) =>
  client.pushes
    .flatMap((push) =>
      push.name === 'contact.connected' && push.body.contact === id ? [push.body.connected] : [],
    )
    .at(-1)

const ended = ({ socket }: WireClient): Promise<string> =>
  new Promise((settle) => (socket.connected ? socket.once('disconnect', settle) : settle('before')))

describe('two parties at two nodes', () => {
  it('CLU-65 what both write at once arrives, each once and in the order of the log', async () => {
    const { visitor, agent, id } = await joinAcross()
    await Promise.all([
      ...upTo(100).map((n) => visitor.session.text(`visitor ${n}`)),
      ...upTo(100).map((n) => agent.session.text(`agent ${n}`)),
    ])
    await Promise.all(
      [visitor, agent].map(({ client }) =>
        client.until(() => heard({ client } as Party, id).length === 200, 'all texts'),
      ),
    )
    for (const { client } of [visitor, agent]) {
      const seqs = client.entries(id).map(({ seq }) => seq)
      expect(seqs).toEqual(upTo(seqs.length))
    }
    expect(heard(agent, id)).toEqual(heard(visitor, id))
  })

  it('CLU-66 both know of each other that they are connected, and are told when it ends and begins anew', async () => {
    const { visitor, agent, id } = await joinAcross()
    const both = { visitor: [visitor.session.id], agent: [agent.session.id] }
    await expect.poll(() => connectedFor(visitor, id), PATIENCE).toEqual(both)
    visitor.client.close()
    await expect.poll(() => connectedFor(agent, id), PATIENCE).toEqual({ ...both, visitor: [] })
    const again = await WireClient.connect(nodes.a.url, visitor.client.token)
    const answer = await again.call('contact.open', { contact: id, session: visitor.session.id, cursor: 0 })
    expect(answer.connected).toEqual(both)
    await expect.poll(() => connectedFor(agent, id), PATIENCE).toEqual(both)
    again.close()
  })

  it('CLU-67 a page that comes to the other node stays connected for the other party; its old connection ends', async () => {
    const { visitor, agent, id } = await joinAcross()
    const before = agent.client.pushes.length
    const gone = ended(visitor.client)
    const moved = await WireClient.connect(nodes.b.url, visitor.client.token)
    await new WireSession(moved, id, visitor.session.id).open()
    await gone
    await agent.session.text('are you there?')
    await moved.entry(id, 'text')
    const told = agent.client.pushes.slice(before).filter(({ name }) => name === 'contact.connected')
    expect(told).toEqual([])
    moved.close()
  })

  it('CLU-70 frames pass between them in order, among the entries of the log', async () => {
    const { visitor, agent } = await joinAcross()
    await Promise.all(upTo(200).map((n) => relay(visitor, agent, n)))
    await agent.client.until(() => frames(agent).length === 200, 'all frames')
    expect(frames(agent)).toEqual(upTo(200))
    await relay(agent, visitor, 1)
    await visitor.client.push('relay.frame')
    expect(frames(visitor)).toEqual([1])
  })
})

describe('hints that do not arrive', () => {
  it('CLU-68 lost ones are noticed with the next, and the poll finds what they said', async () => {
    const { visitor, agent, id } = await joinAcross()
    const isAgents = (to: string): boolean => to === nodes.idOf(nodes.b)
    nodes.fates.decide = ({ to, target }) => (isAgents(to) && target === 'node' ? 'drop' : 'pass')
    await visitor.session.text('lost')
    nodes.fates.decide = () => 'pass'
    await visitor.session.text('heard')
    await agent.client.until(() => heard(agent, id).length === 2, 'both texts')
    expect(heard(agent, id)).toEqual(['lost', 'heard'])
    expect(await nodes.metric(nodes.b, 'duolog_bus_gaps_total')).toBeGreaterThan(0)
  })

  it('CLU-68 repeated and delayed ones change nothing', async () => {
    const { visitor, agent, id } = await joinAcross()
    let count = 0
    const chosen = (): MessageFate => (['twice', 'hold', 'pass'] as const)[(count += 1) % 3] ?? 'pass'
    nodes.fates.decide = ({ target }) => (target === 'node' ? chosen() : 'pass')
    await Promise.all(upTo(30).map((n) => visitor.session.text(`${n}`)))
    nodes.fates.decide = () => 'pass'
    nodes.fates.release()
    await agent.client.until(() => heard(agent, id).length === 30, 'all texts')
    expect(agent.client.entries(id).map(({ seq }) => seq)).toEqual(upTo(agent.client.entries(id).length))
  })

  it('CLU-69 without the bus texts arrive by the poll and frames are offline; with it the sender is asked for them', async () => {
    const { visitor, agent, id } = await joinAcross()
    await relay(visitor, agent, 1)
    nodes.cut(true)
    await visitor.session.text('by the poll')
    await expect(relay(visitor, agent, 2)).rejects.toMatchObject({ code: 'offline' })
    await agent.client.entry(id, 'text')
    expect(await nodes.metric(nodes.b, 'duolog_healed_total{by="poll"}')).toBeGreaterThan(0)
    nodes.cut(false)
    await visitor.client.until(() => frames(visitor).length > 0, 'the frame that asks')
    expect(visitor.client.pushes.at(-1)).toEqual({
      name: 'relay.frame',
      body: { contact: id, from: agent.session.id, frame: { n: 0, ack: 0, kind: 'resume' } },
    })
    await relay(visitor, agent, 2)
    await agent.client.until(() => frames(agent).length === 2, 'both frames')
    expect(frames(agent)).toEqual([1, 2])
  })

  it('CLU-67 without the bus the poll ends the connection of a session that is elsewhere', async () => {
    const { visitor, id } = await joinAcross()
    nodes.cut(true)
    const gone = ended(visitor.client)
    const moved = await WireClient.connect(nodes.b.url, visitor.client.token)
    await new WireSession(moved, id, visitor.session.id).open()
    await gone
    nodes.cut(false)
    moved.close()
  })
})

describe('what ends at all nodes', () => {
  it.each([
    ['with the bus', false, 4_500],
    ['without the bus', true, 15_000],
  ])('CLU-75 %s the connections of a token that is void end everywhere', async (_what, isCut, limitMs) => {
    const { visitor } = await joinAcross()
    const other = await WireClient.connect(nodes.b.url, visitor.client.token)
    nodes.cut(isCut)
    const [from, gone] = [performance.now(), Promise.all([ended(other), ended(visitor.client)])]
    expect(await nodes.revoke(nodes.a, await visitorOf(visitor.id))).toBeLessThan(300)
    await gone
    expect(performance.now() - from).toBeLessThan(limitMs)
    nodes.cut(false)
  })

  it.each([
    ['with the bus', false, 4_500],
    ['without the bus', true, 15_000],
  ])(
    'CLU-76 %s the other party hears the end of a contact that is erased, wherever it is',
    async (_what, isCut, limitMs) => {
      const { visitor, agent, id } = await joinAcross()
      nodes.cut(isCut)
      const from = performance.now()
      expect(await nodes.erase(nodes.a, await visitorOf(visitor.id))).toBe(200)
      expect(performance.now() - from).toBeLessThan(limitMs)
      const last = agent.client.entries(id).at(-1)
      expect(last).toMatchObject({ type: 'cleared' })
      await expect(agent.session.text('too late')).rejects.toMatchObject({
        code: expect.stringMatching(/not_found|left/) as string,
      })
      nodes.cut(false)
    },
    20_000,
  )
})

const visitorOf = async (contact: string): Promise<string> => {
  const { db } = nodes.a.service.database
  return (
    await db.selectFrom('contacts').select('visitor').where('id', '=', contact).executeTakeFirstOrThrow()
  ).visitor
}

it('CLU-77 a log that ends before what was read of it is counted, and the contact is cleared', async () => {
  const { visitor, agent, id } = await joinAcross()
  await visitor.session.text('kept')
  const [{ seq } = { seq: 0 }] = await textOf(visitor, id)
  await visitor.session.text('lost with a failover')
  await agent.client.until(() => heard(agent, id).length === 2, 'both texts')
  const { db } = nodes.a.service.database
  const gone = Promise.all([ended(visitor.client), ended(agent.client)])
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('entries').where('contact', '=', id).where('seq', '>', seq).execute()
    await trx.updateTable('contacts').set({ head: seq }).where('id', '=', id).execute()
  })
  await gone
  const again = await WireClient.connect(nodes.a.url, visitor.client.token)
  const { entries } = await again.call('log.read', { contact: id, after: 0, limit: 100 })
  expect(entries.at(-1)).toMatchObject({ type: 'cleared' })
  expect(textsOf(entries)).toEqual(['kept'])
  const counted = await Promise.all(
    [nodes.a, nodes.b].map((node) => nodes.metric(node, 'duolog_rewound_total')),
  )
  expect(Math.max(...counted)).toBe(1)
  again.close()
})

const textOf = async ({ client }: Party, id: string): Promise<Entry[]> => {
  const { entries } = await client.call('log.read', { contact: id, after: 0, limit: 100 })
  return entries.filter(({ type }) => type === 'text')
}
