/** Two processes of the service over a real NATS server: one is killed, or stands still. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startStore } from '../../support/cluster.ts'
import { NatsServer } from '../../support/nats-server.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { Place } from '../../support/parties.ts'
import { ServiceProcess } from '../../support/service-process.ts'
import { signInAgent, signInVisitor } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

interface Started {
  readonly service: ServiceProcess
  readonly url: string
}

const data = temporaryData()
let store: Awaited<ReturnType<typeof startStore>>
let nats: NatsServer
let a: Started
let b: Started
const clients: WireClient[] = []

beforeAll(async () => {
  store = await startStore()
  nats = await NatsServer.start()
  const bus = ['--database-url', store.url, '--bus', `nats://127.0.0.1:${nats.port}/processes`]
  const start = (name: string) => ServiceProcess.startIn(data.folder, '--node-name', name, ...bus)
  a = await start('a')
  b = await start('b')
})
afterAll(async () => {
  for (const client of clients) client.close()
  for (const { service } of [a, b]) await service.kill()
  await nats.stop()
  await store.stop()
  data.remove()
})

const connectTo = async ({ url }: Started, token: string): Promise<WireClient> => {
  const client = await WireClient.connect(url, token)
  clients.push(client)
  return client
}

/** Parties of a process. */
const at = (node: Started): Place => ({
  visitor: async () => connectTo(node, (await signInVisitor(node.url)).token),
  agent: async (nick = 'Ada') => connectTo(node, (await signInAgent(node.url, nick)).token),
})

/** The same session on a connection to the other process, as its page opens it a second time. */
async function moved({
  client,
  session,
}: {
  client: WireClient
  session: WireSession
}): Promise<WireSession> {
  const again = new WireSession(await connectTo(b, client.token), session.contact, session.id)
  const { counter } = await again.client.call('contact.open', {
    ...{ contact: session.contact, session: session.id },
    ...{ cursor: 0, opening: 2 },
  })
  again.counter = counter
  return again
}

const textsOf = (client: WireClient, contact: string): string[] =>
  client.entries(contact).flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))

it('CLU-55 a page of a process that stands still goes on at the other one; what waits in the old connection is not stored', async () => {
  const visitor = await queueVisitor(at(a))
  const agent = await joinAgent(at(b), visitor.id)
  a.service.child.kill('SIGSTOP')
  const late = visitor.session.text('late').then(
    () => 'stored',
    ({ code }: { code?: string }) => code ?? 'cut',
  )
  const again = await moved(visitor)
  await again.text('at the other one')
  await agent.client.entry(visitor.id, 'text')
  const over = new Promise((settle) => visitor.client.socket.once('disconnect', settle))
  a.service.child.kill('SIGCONT')
  await over
  expect(['offline', 'cut']).toContain(await late)
  await again.text('and on')
  await agent.client.until(() => textsOf(agent.client, visitor.id).includes('and on'), 'the last text')
  expect(textsOf(agent.client, visitor.id)).toEqual(['at the other one', 'and on'])
})

it('CLU-55 a page of a process that is killed goes on at the other one at once, with all that was stored', async () => {
  const visitor = await queueVisitor(at(a))
  const agent = await joinAgent(at(b), visitor.id)
  await visitor.session.text('stored')
  await a.service.kill()
  const again = await moved(visitor)
  await again.text('at the other one')
  await agent.client.until(() => textsOf(agent.client, visitor.id).length === 2, 'both texts')
  expect(textsOf(agent.client, visitor.id)).toEqual(['stored', 'at the other one'])
  expect(agent.client.entries(visitor.id).some(({ type }) => type === 'left')).toBe(false)
})
