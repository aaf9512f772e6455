import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import type { Socket } from 'socket.io'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createClient } from '../../../sdk/index.ts'
import { agentMessages } from '../../../protocol/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { countArrivingBytes } from '../../../service/src/connections/arriving-bytes.ts'
import { ServiceBench } from '../../../testing/service-bench.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { slowLine } from '../../support/slow-line.ts'

/** 32 kbit/s. */
const SLOW = 4_000
const TEXTS = Array.from({ length: 20 }, (_, n) => `${n} ${'x'.repeat(4_000)}`)
let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

it.concurrent('SND-303 a page that is loaded on a line of 32 kbit/s resumes a contact of 80 KiB of messages, on one connection', async () => {
  const line = await slowLine(test.url)
  const storage = memoryStore()
  const first = createClient({ service: line.url, storage })
  const contact = await first.createContact()
  for (const text of TEXTS) await contact.sendText(text)
  await first.close()
  line.limit(SLOW)
  const before = line.webSockets()
  const next = createClient({ service: line.url, storage })
  const resumed = await next.resumeContact()
  expect([resumed.contact?.id, line.webSockets() - before]).toEqual([contact.id, 1])
  await next.close()
  await line.close()
}, 60_000)

it.concurrent('SND-303 a page on a line of 32 kbit/s sends 80 KiB of messages, on one connection', async () => {
  const line = await slowLine(test.url)
  const client = createClient({ service: line.url, storage: memoryStore() })
  const contact = await client.createContact()
  line.limit(SLOW)
  await Promise.all(TEXTS.map((text) => contact.sendText(text)))
  expect(line.webSockets()).toBe(1)
  await client.close()
  await line.close()
}, 60_000)

/** A frame that takes 21 s, longer than a ping may take with its answer. */
const FRAME = { n: 1, ack: 0, kind: 'signal', body: 'x'.repeat(84_000) }

/** A visitor, and an agent who has long polling only, on a line of 32 kbit/s. */
async function onPolling() {
  const line = await slowLine(test.url)
  const bench = new ServiceBench({
    visitor: async () => socketTransport({ service: test.url, token: (await signInVisitor(test.url)).token }),
    agent: async (nick) =>
      socketTransport({
        ...{ service: line.url, WebSocket: null, messages: agentMessages },
        token: (await signInAgent(test.url, nick)).token,
      }),
    patienceMs: 40_000,
    stop: () => line.close(),
  })
  const joined = await bench.joined()
  line.limit(SLOW)
  return { ...joined, line, bench }
}

it.concurrent('SND-351 a page that has long polling only gets a message of 84 KiB over a line of 32 kbit/s', async () => {
  const { visitor, agent, contact, bench, line } = await onPolling()
  const frame = { contact, session: visitor.session.id, to: agent.session.id, frame: FRAME }
  await visitor.party.call('relay.send', frame)
  expect((await agent.party.push('relay.frame')).frame.body).toBe(FRAME.body)
  expect(await agent.party.codeOf('ice.servers', {})).toBe('ok')
  expect(line.webSockets()).toBe(0)
  await bench.stop()
}, 60_000)

it.concurrent('SND-351 a page that has long polling only sends a message of 84 KiB over a line of 32 kbit/s', async () => {
  const { visitor, agent, contact, bench } = await onPolling()
  const frame = { contact, session: agent.session.id, to: visitor.session.id, frame: FRAME }
  expect(await agent.party.codeOf('relay.send', frame)).toBe('ok')
  expect((await visitor.party.push('relay.frame')).frame.body).toBe(FRAME.body)
  await bench.stop()
}, 60_000)

it.concurrent('SND-303 a packet that takes longer to arrive than a ping may take is life enough', async () => {
  const http = createServer()
  const server = new Server(http, { pingInterval: 200, pingTimeout: 1_000 })
  await new Promise<void>((settle) => http.listen(0, '127.0.0.1', settle))
  const line = await slowLine(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const client = io(line.url, { transports: ['websocket'], reconnection: false })
  const socket = await new Promise<Socket>((settle) => server.on('connection', settle))
  countArrivingBytes(socket)
  line.limit(10_000)
  const outcome = new Promise((settle) => {
    socket.on('large', (body: string) => settle(body.length))
    socket.on('disconnect', settle)
  })
  client.emit('large', 'x'.repeat(40_000))
  expect(await outcome).toBe(40_000)
  client.close()
  await server.close()
  await line.close()
})
