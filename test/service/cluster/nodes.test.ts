/** Several services of this process on one store, with a bus between them and a clock for each. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceWorld } from '../../../service/src/service-world.ts'
import { MessageFates } from '../../support/breakable-carrier.ts'
import { beat, processBus, startNodes, startStore } from '../../support/cluster.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let store: Awaited<ReturnType<typeof startStore>>
let nodes: readonly TestService[] = []

beforeAll(async () => {
  store = await startStore()
})
afterEach(async () => {
  for (const node of nodes) await node.close()
  nodes = []
})
afterAll(() => store.stop())

async function start(world: ServiceWorld = {}): Promise<readonly [TestService, TestService]> {
  const [a, b] = (nodes = await startNodes(store.url, 2, world))
  if (!a || !b) throw new Error('two were asked for')
  return [a, b]
}

const idOf = ({ service }: TestService): string => service.node.id

/** Where the store has a session. */
async function placeOf({ service }: TestService, session: string) {
  const { db } = service.database
  return db
    .selectFrom('sessions')
    .select(['node', 'epoch', 'connected'])
    .where('session', '=', session)
    .executeTakeFirst()
}

const timersOf = ({ service }: TestService, session: string) =>
  service.database.db.selectFrom('timers').selectAll().where('key', '=', session).execute()

const metric = async ({ url }: TestService, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  )
}

const readyAt = async ({ url }: TestService): Promise<number> => (await fetch(`${url}/readyz`)).status

/** Another connection of a client, at any node. */
const connectAt = ({ url }: TestService, { token }: WireClient) => WireClient.connect(url, token)

const opening = (contact: string, session: string, number: number) => ({
  contact,
  session,
  cursor: 0,
  opening: number,
})

const draft = (session: string, counter: number) => ({
  ...{ id: randomUUID(), session, counter, type: 'text' as const, body: { text: 'hello' } },
})

const ended = ({ socket }: WireClient): Promise<string> =>
  new Promise((settle) => (socket.connected ? socket.once('disconnect', settle) : settle('before')))

describe('nodes', () => {
  it('CLU-40 several processes share a store where they have a bus; each has a row of its own and is ready', async () => {
    const [a, b] = await start()
    expect(idOf(a)).not.toBe(idOf(b))
    await beat([a, b], 1)
    expect([await metric(a, 'duolog_nodes{state="up"}'), await metric(a, 'duolog_beat_age_seconds')]).toEqual(
      [2, 0],
    )
    expect([await readyAt(a), await readyAt(b)]).toEqual([200, 200])
  })

  it('CLU-40 a node without a beat for 10 s is not ready, and is again with the next', async () => {
    const [a] = await start()
    await a.service.database.db.schema.alterTable('nodes').renameTo('away').execute()
    for (let count = 0; count < 3; count += 1) a.clock.advance(4_000)
    await expect.poll(() => readyAt(a)).toBe(503)
    await a.service.database.db.schema.alterTable('away').renameTo('nodes').execute()
    await expect.poll(async () => (a.clock.advance(500), readyAt(a))).toBe(200)
  })

  it('CLU-41 a node that stands still is dead after 15 s of the others, which sweep its sessions; it wakes under another identity', async () => {
    const [a, b] = await start()
    const { session: page, client, id } = await queueVisitor(b)
    const [former, session] = [idOf(b), page.id]
    await beat([a], 8)
    expect((await placeOf(a, session))?.node).toBe(former)
    await beat([a], 1)
    await expect.poll(async () => (await placeOf(a, session))?.node).toBeNull()
    const [timer] = await timersOf(a, session)
    expect(timer?.due).toBe(a.clock.now() + 60_000)
    expect(await metric(a, 'duolog_swept_total{what="session"}')).toBe(1)
    const gone = ended(client)
    b.clock.advance(2_000)
    await gone
    await expect.poll(() => idOf(b)).not.toBe(former)
    await expect.poll(() => b.service.node.isPresent).toBe(true)
    const again = await connectAt(b, client)
    await again.call('contact.open', opening(id, session, 2))
    expect(await placeOf(a, session)).toMatchObject({ node: idOf(b), connected: true })
    expect(await timersOf(a, session)).toEqual([])
    again.close()
  })

  it('CLU-138 a node that starts touches nothing of the others', async () => {
    const [a] = (nodes = await startNodes(store.url, 1))
    if (!a) throw new Error('one was asked for')
    const { visitor, agent } = await joinBoth(a)
    const places = () => Promise.all([visitor, agent].map(({ session }) => placeOf(a, session.id)))
    const before = await places()
    const connections = () => a.service.database.db.selectFrom('agent_connections').selectAll().execute()
    const standing = await connections()
    nodes = [a, ...(await startNodes(store.url, 1))]
    expect(before.map((place) => place?.node)).toEqual([idOf(a), idOf(a)])
    expect([await places(), await connections()]).toEqual([before, standing])
    expect(standing).toHaveLength(1)
    await visitor.session.text('still here')
    await agent.client.entry(visitor.id, 'text')
    expect([await metric(a, 'duolog_match_rounds_total'), await metric(a, 'duolog_clock_offset_ms')]).toEqual(
      [expect.any(Number), 0],
    )
    expect(await metric(a, 'duolog_match_rounds_total')).toBeGreaterThan(0)
  })
})

describe('sessions of several nodes', () => {
  it('CLU-42 a page moves while its old connection is half-open: what comes there late is offline, and that connection ends', async () => {
    const fates = new MessageFates()
    const [a, b] = await start({ openBus: processBus(fates) })
    fates.decide = ({ target }) => (target === 'node' ? 'drop' : 'pass')
    const visitor = await queueVisitor(a)
    const { id: session } = visitor.session
    const other = await connectAt(b, visitor.client)
    await visitor.client.call('contact.open', opening(visitor.id, session, 5))
    const { counter } = await other.call('contact.open', opening(visitor.id, session, 6))
    const late = ended(visitor.client)
    await expect(
      visitor.client.call('log.append', {
        contact: visitor.id,
        session,
        drafts: [draft(session, counter + 1)],
      }),
    ).rejects.toMatchObject({ code: 'offline' })
    await late
    const { appended } = await other.call('log.append', {
      contact: visitor.id,
      session,
      drafts: [draft(session, counter + 1)],
    })
    expect(appended).toMatchObject([{ seq: expect.any(Number) as number }])
    expect(await placeOf(a, session)).toEqual({ node: idOf(b), epoch: 6, connected: true })
    expect(await metric(a, 'duolog_replaced_total{what="append"}')).toBe(1)
    expect(await metric(b, 'duolog_moved_total')).toBe(1)
    other.close()
  })

  it('CLU-42 an opening that the page made before, and that arrives after, takes nothing, and its connection ends', async () => {
    const [a, b] = await start()
    const visitor = await queueVisitor(a)
    const { id: session } = visitor.session
    const [late, other] = [await connectAt(a, visitor.client), await connectAt(b, visitor.client)]
    await other.call('contact.open', opening(visitor.id, session, 9))
    const gone = ended(late)
    await expect(late.call('contact.open', opening(visitor.id, session, 8))).rejects.toMatchObject({
      code: 'offline',
    })
    await gone
    expect(await placeOf(a, session)).toEqual({ node: idOf(b), epoch: 9, connected: true })
    other.close()
  })

  it('CLU-42 on one node, too, a second connection of a session ends the first', async () => {
    const [a] = await start()
    const visitor = await queueVisitor(a)
    const gone = ended(visitor.client)
    const other = await connectAt(a, visitor.client)
    await other.call('contact.open', opening(visitor.id, visitor.session.id, 2))
    await gone
    expect(await placeOf(a, visitor.session.id)).toEqual({ node: idOf(a), epoch: 2, connected: true })
    other.close()
  })

  it('CLU-43 the end of a connection is a loss only while its opening counts', async () => {
    const [a, b] = await start()
    const visitor = await queueVisitor(a)
    const { id: session } = visitor.session
    const other = await connectAt(b, visitor.client)
    await other.call('contact.open', opening(visitor.id, session, 7))
    visitor.client.close()
    await expect.poll(() => metric(a, 'duolog_channels')).toBe(0)
    other.close()
    await expect.poll(async () => (await placeOf(a, session))?.node).toBeNull()
    expect(await timersOf(a, session)).toHaveLength(1)
  })

  it('CLU-43 a session of a contact that is over is at no node', async () => {
    const [a] = await start()
    const { visitor, agent, id } = await joinBoth(a)
    await visitor.session.leave()
    await agent.session.leave()
    await agent.client.entry(id, 'cleared')
    expect(await placeOf(a, visitor.session.id)).toMatchObject({ node: null })
    expect(await placeOf(a, agent.session.id)).toMatchObject({ node: null })
  })

  it('CLU-44 a service that starts alone sweeps what the one before has left', async () => {
    const first = await startTestService({ databaseUrl: store.url })
    const visitor = await queueVisitor(first)
    await first.close()
    const next = await startTestService({ databaseUrl: store.url })
    expect(await placeOf(next, visitor.session.id)).toMatchObject({ node: null, connected: false })
    expect(await timersOf(next, visitor.session.id)).toHaveLength(1)
    await next.close()
  })
})
