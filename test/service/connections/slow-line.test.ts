import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import type { Socket } from 'socket.io'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createClient } from '../../../sdk/index.ts'
import type { DataCollection } from '../../../protocol/index.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import type { LinkState } from '../../../sdk/link/service-link.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { countArrivingBytes } from '../../../service/src/connections/arriving-bytes.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { slowLine } from '../../support/slow-line.ts'
import { WireClient } from '../../support/wire-client.ts'

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
})

it.concurrent('SND-303 a page on a line of 32 kbit/s sends 80 KiB of messages, on one connection', async () => {
  const line = await slowLine(test.url)
  const client = createClient({ service: line.url, storage: memoryStore() })
  const contact = await client.createContact()
  line.limit(SLOW)
  await Promise.all(TEXTS.map((text) => contact.sendText(text)))
  expect(line.webSockets()).toBe(1)
  await client.close()
  await line.close()
})

/** Forms of 96 KiB: 24 s, longer than a ping may take with its answer. */
const data = [
  {
    name: 'f',
    data: Array.from({ length: 96 }, (_, n) => ({ name: `${n}`, type: 'text', value: 'x'.repeat(1_024) })),
  },
] as const satisfies DataCollection
const creation = (request: string) => ({ request, contact: { nick: 'Vera', data } })

/** A page that has long polling only, on a line of 32 kbit/s, and what became of its connections. */
async function onPolling() {
  const line = await slowLine(test.url)
  const { token } = await signInVisitor(test.url)
  const link = new ServiceLink({
    transport: socketTransport({ service: line.url, token, WebSocket: null }),
    clock: pageClock,
    random: Math.random,
  })
  const states: LinkState[] = []
  link.onState((state) => void states.push(state))
  link.start()
  await link.online()
  return { line, token, link, states }
}

it.concurrent('SND-351 a page that has long polling only sends a message of 96 KiB over a line of 32 kbit/s', async () => {
  const { line, link, states } = await onPolling()
  line.limit(SLOW)
  expect(await link.call('contact.create', creation('sent'))).toEqual({ contact: expect.any(String) })
  expect(states).toEqual(['connecting', 'online'])
  link.close()
  await line.close()
})

it.concurrent('SND-351 a page that has long polling only gets a message of 96 KiB over a line of 32 kbit/s', async () => {
  const { line, token, link, states } = await onPolling()
  const quick = await WireClient.connect(test.url, token)
  const { contact } = await quick.call('contact.create', creation('read'))
  quick.close()
  line.limit(SLOW)
  expect((await link.call('contact.read', { contact })).record.data).toEqual(data)
  expect(states).toEqual(['connecting', 'online'])
  link.close()
  await line.close()
})

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
