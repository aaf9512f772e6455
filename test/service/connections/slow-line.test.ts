import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import type { Socket } from 'socket.io'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createClient } from '../../../sdk/index.ts'
import { countArrivingBytes } from '../../../service/src/connections/arriving-bytes.ts'
import { startTestService } from '../../support/service.ts'
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
