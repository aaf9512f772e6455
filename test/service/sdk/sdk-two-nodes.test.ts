/** What two SDKs say to each other through two nodes and a NATS server between them. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import type { Agent, AgentEvents } from '../../../sdk/agent/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createClient } from '../../../sdk/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { openNatsBus } from '../../../service/src/bus/open-bus.ts'
import { FakeEngine } from '../../../testing/fake-engine.ts'
import { answering } from '../../support/contacts.ts'
import { startStore } from '../../support/cluster.ts'
import { startHintNodes } from '../../support/hint-nodes.ts'
import type { HintNodes } from '../../support/hint-nodes.ts'
import { NatsServer } from '../../support/nats-server.ts'
import { next } from '../../support/next-event.ts'
import { signInAgent } from '../../support/service.ts'

const PATIENCE = { timeout: 10_000 }
let store: Awaited<ReturnType<typeof startStore>>
let nats: NatsServer
let nodes: HintNodes
let visitor: Contact
let agent: Contact
let close: () => Promise<unknown>

const nextOf = <E extends keyof AgentEvents>(from: Agent, event: E): Promise<AgentEvents[E]> =>
  new Promise((resolve) => from.once(event, resolve))

beforeAll(async () => {
  store = await startStore()
  nats = await NatsServer.start()
  const servers = [`127.0.0.1:${nats.port}`]
  const where = { servers, tls: false, user: null, password: null, deployment: 'test' }
  nodes = await startHintNodes(store.url, (parts) => openNatsBus(parts, where))
  const { token } = await signInAgent(nodes.b.url, 'Abby')
  const console = createAgent({ service: nodes.b.url, token })
  const offered = nextOf(console, 'distribution')
  await console.ready()
  const client = createClient({ service: nodes.a.url, storage: memoryStore() })
  visitor = await client.createContact({ nick: 'Vera' })
  agent = await console.accept((await offered).id)
  const joined = next(visitor, 'joined')
  await agent.join()
  await joined
  close = () => Promise.all([client.close(), console.close()])
})
afterAll(async () => {
  await close()
  await nodes.close()
  await nats.stop()
  await store.stop()
})

it('CLU-78 texts of both are read by both in one order', async () => {
  const seen: Record<'visitor' | 'agent', string[]> = { visitor: [], agent: [] }
  for (const [name, contact] of Object.entries({ visitor, agent }) as ['visitor' | 'agent', Contact][]) {
    contact.on('text', ({ text }) => void seen[name].push(text))
    contact.on('localtext', ({ text }) => void seen[name].push(text))
  }
  const numbers = Array.from({ length: 40 }, (_, index) => index)
  await Promise.all(numbers.flatMap((n) => [visitor.sendText(`visitor ${n}`), agent.sendText(`agent ${n}`)]))
  await expect.poll(() => [seen.visitor.length, seen.agent.length], PATIENCE).toEqual([80, 80])
  expect(seen.agent).toEqual(seen.visitor)
})

it('CLU-78 a procedure of the other side, a data channel and a file pass between nodes', async () => {
  agent.on('Double', (value, answer) => answer(null, (value as number) * 2))
  expect(await visitor.request('Double', 21, 5_000)).toBe(42)
  const [here, there] = [
    await visitor.getDataChannel('lines', 'sio'),
    await agent.getDataChannel('lines', 'sio'),
  ]
  const lines: unknown[] = []
  there.on('data', ({ data }) => void lines.push(data))
  for (let line = 0; line < 100; line += 1) await here.send({ line })
  await expect.poll(() => lines, PATIENCE).toEqual(Array.from({ length: 100 }, (_, line) => ({ line })))
  const bytes = randomBytes(100_000)
  const arrived = next(agent, 'attachment')
  await visitor.attach(new File([bytes], 'noise.bin'))
  expect(await arrived).toMatchObject({ meta: { size: 100_000 } })
})

it('CLU-78 media are negotiated between nodes', async () => {
  const engine = () => new FakeEngine({ id: 'Holo', media: ['Hologram'], via: 'laser' })
  const known = Promise.all([visitor, agent].map((contact) => next(contact, 'capabilities')))
  await Promise.all([visitor.registerMediaEngine(engine()), agent.registerMediaEngine(engine())])
  await known
  answering(agent)
  const changed = next(agent, 'mediachange')
  const media = await visitor.offerMedia({
    Hologram: { tx: 'required', rx: 'required', via: 'laser', engine: 'Holo' },
  })
  expect(media).toMatchObject({ Hologram: { engine: 'Holo' } })
  await changed
})
