import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket as NodeSocket, WebSocketServer } from 'ws'
import type { WebSocket as ServerSocket } from 'ws'
import { agentMessages } from '../../../protocol/index.ts'
import type { TransportEvent } from '../../../protocol/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const Platform = NodeSocket as unknown as typeof WebSocket
const GREETING = '0{"sid":"s","upgrades":[],"pingInterval":10000,"pingTimeout":10000,"maxPayload":131072}'

let test: TestService
const ends: (() => unknown)[] = []

beforeAll(async () => {
  test = await startTestService()
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(() => test.close())

/** A service of which only the packets are real: the test writes them. */
async function packetServer(): Promise<{ url: string; socket: Promise<ServerSocket>; received: string[] }> {
  const http: Server = createServer((_request, answer) => answer.writeHead(404).end())
  const server = new WebSocketServer({ server: http, path: '/v1/link/' })
  const received: string[] = []
  const socket = new Promise<ServerSocket>((resolve) => server.once('connection', resolve))
  server.on('connection', (each) => each.on('message', (data) => received.push(String(data as Buffer))))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    for (const each of server.clients) each.terminate()
    server.close()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, socket, received }
}

/** The transport on such a service, greeted and accepted. */
async function connected() {
  const server = await packetServer()
  const events: TransportEvent[] = []
  let heard = (): void => {}
  const until = async (met: () => boolean): Promise<void> => {
    while (!met()) await new Promise<void>((resolve) => (heard = resolve))
  }
  const connection = socketTransport({
    service: server.url,
    token: 'token',
    messages: agentMessages,
    WebSocket: Platform,
  }).connect((event) => {
    events.push(event)
    heard()
  })
  const socket = await server.socket
  socket.on('message', () => heard())
  ends.push(() => connection.close())
  socket.send(GREETING)
  await until(() => server.received.length === 1)
  return { ...server, socket, events, connection, until }
}

async function accepted() {
  const line = await connected()
  line.socket.send('40{"sid":"x"}')
  await line.until(() => line.events.length > 0)
  return line
}

const codes = (events: readonly TransportEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'down' ? [event.error.code] : [event.type]))

describe('the Socket.IO protocol over a WebSocket', () => {
  it('LOG-14 the token goes in the connection packet, and nowhere else', async () => {
    const { received, events } = await accepted()
    expect(received).toEqual(['40{"token":"token","protocol":"1.1"}'])
    expect(codes(events)).toEqual(['up'])
  })

  it('LOG-14 a ping is answered by a pong', async () => {
    const { socket, received, until } = await accepted()
    socket.send('2')
    await until(() => received.length > 1)
    expect(received.slice(1)).toEqual(['3'])
  })

  it('CLU-89 a push that asks for an answer gets one, after it was read', async () => {
    const { socket, received, events, until } = await accepted()
    socket.send('42["agent.withdrawn",{"id":"c","reason":"taken"}]')
    socket.send('4217["agent.withdrawn",{"id":"d","reason":"taken"}]')
    await until(() => received.length > 1)
    expect([received.slice(1), events.length]).toEqual([['4317[]'], 3])
  })

  it('LOG-14 acknowledgements find their calls in any order', async () => {
    const { socket, received, connection, until } = await accepted()
    const [first, second] = [connection.call('ice.servers', {}), connection.call('ice.servers', {})]
    await until(() => received.length > 2)
    expect(received.slice(1)).toEqual(['421["ice.servers",{}]', '422["ice.servers",{}]'])
    const reply = (expiresInMs: number): string =>
      JSON.stringify([{ ok: true, value: { iceServers: [], expiresInMs } }])
    socket.send(`432${reply(2)}`)
    socket.send(`431${reply(1)}`)
    expect([(await first).expiresInMs, (await second).expiresInMs]).toEqual([1, 2])
  })

  it('LOG-14 packets that nobody asked for change nothing: unknown acknowledgements, later pushes, noops', async () => {
    const { socket, events, connection, received, until } = await accepted()
    for (const packet of ['6', '43999[1]', '42["no.push.of.ours",{}]', '4', '5probe']) socket.send(packet)
    const call = connection.call('ice.servers', {})
    await until(() => received.length > 1)
    socket.send('431[{"ok":true,"value":{"iceServers":[],"expiresInMs":1}}]')
    await call
    expect(codes(events)).toEqual(['up'])
  })

  it.each(['42[', '42["log.entries",{"contact":1}]', '0{', '43'])(
    'LOG-14 what is no packet of the protocol ends the connection: %s',
    async (packet) => {
      const { socket, events, until } = await accepted()
      socket.send(packet)
      await until(() => events.length > 1)
      expect(codes(events)).toEqual(['up', 'protocol'])
    },
  )

  it.each(['41', '1'])('LOG-14 a packet that ends the connection is a loss: %s', async (packet) => {
    const { socket, events, connection, until } = await accepted()
    const call = connection.call('ice.servers', {})
    socket.send(packet)
    await until(() => events.length > 1)
    expect(codes(events)).toEqual(['up', 'offline'])
    await expect(call).rejects.toMatchObject({ code: 'offline' })
  })

  it('LOG-14 a refusal has the code of the service, and nothing else is tried', async () => {
    const { socket, events, until } = await connected()
    socket.send(
      '44{"message":"unauthorized","data":{"code":"unauthorized","message":"unable to connect; no token"}}',
    )
    await until(() => events.length > 0)
    expect(codes(events)).toEqual(['unauthorized'])
  })

  it('LOG-14 a service that is silent for longer than its heartbeat is lost', async () => {
    const server = await packetServer()
    const events: TransportEvent[] = []
    const lost = new Promise<void>((resolve) => {
      const connection = socketTransport({
        service: server.url,
        token: 'token',
        WebSocket: Platform,
      }).connect((event) => {
        events.push(event)
        if (event.type === 'down') resolve()
      })
      ends.push(() => connection.close())
    })
    const socket = await server.socket
    socket.send(GREETING.replaceAll('10000', '50'))
    socket.send('40{"sid":"x"}')
    await lost
    expect(codes(events)).toEqual(['up', 'offline'])
  })

  it('LOG-14 where no WebSocket gets through, long polling carries the contact', async () => {
    const tried: string[] = []
    const Blocked = class extends NodeSocket {
      constructor(url: URL) {
        super(new URL('/nothing', url))
        tried.push(url.protocol)
      }
    } as unknown as typeof WebSocket
    const { token } = await signInVisitor(test.url)
    const client = createClient({
      service: test.url,
      storage: memoryStore(),
      transport: socketTransport({ service: test.url, token, WebSocket: Blocked }),
    })
    ends.push(() => client.close())
    const contact = await client.createContact({ nick: 'Vera' })
    await contact.sendText('hello')
    await contact.leave()
    expect(tried).toEqual(['ws:'])
  })

  it('LOG-6 LOG-14 a connection that is cut at any frame loses and doubles no text', async () => {
    const runs = await Promise.all(Array.from({ length: 24 }, (_, frame) => textsThrough(frame)))
    for (const { texts } of runs) expect(texts).toEqual(['one', 'two', 'three'])
    expect(runs.filter(({ isCut }) => isCut).length).toBeGreaterThanOrEqual(12)
  })
})

/**
 * What the service has stored of three texts, where the first connection ends at this frame, of either side.
 */
async function textsThrough(
  frame: number,
): Promise<{ readonly texts: readonly string[]; readonly isCut: boolean }> {
  const { token } = await signInVisitor(test.url)
  let left = frame
  const count = (socket: NodeSocket): boolean => {
    left -= 1
    if (left === -1) socket.terminate()
    return left === -1
  }
  const Cut = class extends NodeSocket {
    override send(data: string): void {
      if (!count(this)) super.send(data)
    }
    override emit(name: string | symbol, ...args: unknown[]): boolean {
      return name === 'message' && count(this) ? true : super.emit(name, ...args)
    }
  } as unknown as typeof WebSocket
  const client = createClient({
    service: test.url,
    storage: memoryStore(),
    transport: socketTransport({ service: test.url, token, WebSocket: Cut }),
  })
  const contact = await created(client)
  await Promise.all(['one', 'two', 'three'].map((text) => contact.sendText(text)))
  const reader = await WireClient.connect(test.url, token)
  const { entries } = await reader.call('log.read', { contact: contact.id, after: 0, limit: 100 })
  reader.close()
  await client.close()
  return {
    texts: entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : [])),
    isCut: left < 0,
  }
}

/** A contact, asked for again where the connection was cut before it was made. */
async function created(client: ReturnType<typeof createClient>) {
  try {
    return await client.createContact({ nick: 'Vera' })
  } catch {
    return client.createContact({ nick: 'Vera' })
  }
}
