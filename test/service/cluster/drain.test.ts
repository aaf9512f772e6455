/** A node that is told to stop, and where its pages go. */
import '../../support/loaded-code.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Transport } from '../../../protocol/index.ts'
import { createClient } from '../../../sdk/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { processBus, startStore } from '../../support/cluster.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import type { WireClient } from '../../support/wire-client.ts'

const CONNECTIONS = 40
let store: Awaited<ReturnType<typeof startStore>>
let nodes: TestService[] = []

beforeAll(async () => {
  store = await startStore()
})
afterEach(async () => {
  for (const node of nodes) await node.close()
  nodes = []
})
afterAll(() => store.stop())

/** Two nodes that ask their pages to go. */
async function start(): Promise<readonly [TestService, TestService]> {
  const world = { openBus: processBus() }
  const options = { databaseUrl: store.url, drainTimeMs: 30_000 }
  const a = await startTestService(options, world)
  const b = await startTestService(options, world)
  nodes = [a, b]
  return [a, b]
}

/** A page whose connections a load balancer leads to a node. */
async function pageAt(first: TestService) {
  const balancer = { to: first.url, connections: 0 }
  const { token } = await signInVisitor(first.url)
  const transport: Transport = {
    connect: (onEvent) => {
      balancer.connections += 1
      return socketTransport({ service: balancer.to, token }).connect(onEvent)
    },
  }
  const client = createClient({ service: first.url, transport, storage: memoryStore() })
  return { client, balancer }
}

/** Where the store has the sessions of a contact. */
const sessionsOf = ({ service }: TestService, contact: string) =>
  service.database.db
    .selectFrom('sessions')
    .select(['session', 'node', 'connected'])
    .where('contact', '=', contact)
    .execute()

const timersOf = ({ service }: TestService, contact: string) =>
  service.database.db
    .selectFrom('timers')
    .select(['kind', 'key'])
    .where('subject', '=', contact)
    .where('kind', '=', 'absence')
    .execute()

const stateOf = async ({ service }: TestService, node: string): Promise<string | undefined> =>
  (await service.database.db.selectFrom('nodes').select('state').where('node', '=', node).executeTakeFirst())
    ?.state

/** Writes texts one after the other until it is told to end. Gives how many were stored. */
async function writing(contact: Contact, goesOn: () => boolean): Promise<number> {
  let count = 0
  while (goesOn()) {
    await contact.sendText(`text ${count}`)
    count += 1
  }
  return count
}

it('CLU-47 a page of a node that stops goes on at another one: no call fails, and nobody has left', async () => {
  const [a, b] = await start()
  const { client, balancer } = await pageAt(a)
  const visitor = await client.createContact({ nick: 'Vera' })
  const agent = await joinAgent(b, visitor.id)
  const states: string[] = []
  visitor.on('connection', ({ state }) => void states.push(state))
  const [own, away] = [{ goesOn: true }, a.service.node.id]
  const texts = writing(visitor, () => own.goesOn)
  balancer.to = b.url
  const stopped = a.service.stop()
  const histories = []
  for (let read = 0; balancer.connections < 2; read += 1) histories.push(await client.history())
  histories.push(await client.history())
  await stopped
  own.goesOn = false
  const written = await texts
  await agent.client.entry(visitor.id, 'text', ({ body }) => body.text === `text ${written - 1}`)
  expect(histories.map(({ contacts }) => contacts.map(({ id }) => id))).toEqual(
    histories.map(() => [visitor.id]),
  )
  expect([balancer.connections, states.includes('offline')]).toEqual([2, false])
  const seen = agent.client
    .entries(visitor.id)
    .flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
  expect(seen).toEqual(Array.from({ length: written }, (_, n) => `text ${n}`))
  expect(await stateOf(b, away)).toBe('dead')
  expect((await sessionsOf(b, visitor.id)).map(({ node }) => node)).toEqual(
    [b, b].map(({ service }) => service.node.id),
  )
  expect(await timersOf(b, visitor.id)).toEqual([])
  await client.close()
})

it('CLU-48 a client that does not go by itself is sent away after its answers, and what it leaves is noted at once', async () => {
  const [a, b] = await start()
  const { client, session, id } = await queueVisitor(a)
  const ended = new Promise<string>((settle) => client.socket.once('disconnect', settle))
  const stopped = a.service.stop()
  await client.push('link.drain')
  expect(await session.text('still here')).toMatchObject({
    appended: [{ seq: expect.any(Number) as number }],
  })
  expect(await ended).toBe('io server disconnect')
  await stopped
  expect(await sessionsOf(b, id)).toEqual([{ session: session.id, node: null, connected: false }])
  expect(await timersOf(b, id)).toEqual([{ kind: 'absence', key: session.id }])
})

it('CLU-49 the pages of a node that stops are asked to go one by one, 5 ms each', async () => {
  const [a] = await start()
  const times: number[] = []
  const goes = (client: WireClient): void => {
    client.onPush = ({ name }) => {
      if (name !== 'link.drain') return
      times.push(performance.now())
      client.close()
    }
  }
  for (const client of await Promise.all(Array.from({ length: CONNECTIONS }, () => a.visitor()))) goes(client)
  await a.service.stop()
  expect(times).toHaveLength(CONNECTIONS)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(50)
})
