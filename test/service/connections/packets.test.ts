import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket as NodeSocket } from 'ws'
import { agentMessages } from '../../../protocol/index.ts'
import type { TransportEvent } from '../../../protocol/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { GREETING, PollingServer, webSocketServer } from '../../support/packet-server.ts'
import type { PacketServer } from '../../support/packet-server.ts'

const WAYS: readonly [name: string, start: () => Promise<PacketServer>, Socket: unknown][] = [
  ['a WebSocket', webSocketServer, NodeSocket],
  ['long polling', () => PollingServer.start(), null],
]

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** The transport on such a service, greeted. */
async function connected<S extends PacketServer>(start: () => Promise<S>, Socket: unknown) {
  const server = await start()
  const events: TransportEvent[] = []
  let heard = (): void => {}
  const until = async (met: () => boolean): Promise<void> => {
    while (!met()) await new Promise<void>((resolve) => (heard = resolve))
  }
  const connection = socketTransport({
    service: server.url,
    token: 'token',
    messages: agentMessages,
    WebSocket: Socket as typeof WebSocket,
  }).connect((event) => {
    events.push(event)
    heard()
  })
  server.onReceived = () => heard()
  ends.push(() => {
    connection.close()
    server.close()
  })
  await server.connected
  return {
    server,
    received: server.received,
    send: (packet: string) => server.send(packet),
    events,
    connection,
    until,
  }
}

async function greeted<S extends PacketServer>(start: () => Promise<S>, Socket: unknown) {
  const line = await connected(start, Socket)
  line.send(GREETING)
  await line.until(() => line.received.length === 1)
  return line
}

async function accepted<S extends PacketServer>(start: () => Promise<S>, Socket: unknown) {
  const line = await greeted(start, Socket)
  line.send('40{"sid":"x"}')
  await line.until(() => line.events.length > 0)
  return line
}

const codes = (events: readonly TransportEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'down' ? [event.error.code] : [event.type]))

describe.each(WAYS)('the Socket.IO protocol over %s', (_name, start, Socket) => {
  it('LOG-14 the token goes in the connection packet, and in no other', async () => {
    const { received, events } = await accepted(start, Socket)
    expect(received).toEqual(['40{"token":"token","protocol":"1.1"}'])
    expect(codes(events)).toEqual(['up'])
  })

  it('LOG-14 a ping is answered by a pong', async () => {
    const { send, received, until } = await accepted(start, Socket)
    send('2')
    await until(() => received.length > 1)
    expect(received.slice(1)).toEqual(['3'])
  })

  it('CLU-89 a push that asks for an answer gets one, after it was read', async () => {
    const { send, received, events, until } = await accepted(start, Socket)
    send('42["agent.withdrawn",{"id":"c","reason":"taken"}]')
    send('4217["agent.withdrawn",{"id":"d","reason":"taken"}]')
    await until(() => received.length > 1)
    expect([received.slice(1), events.length]).toEqual([['4317[]'], 3])
  })

  it('LOG-14 acknowledgements find their calls in any order', async () => {
    const { send, received, connection, until } = await accepted(start, Socket)
    const [first, second] = [connection.call('ice.servers', {}), connection.call('ice.servers', {})]
    await until(() => received.length > 2)
    expect(received.slice(1)).toEqual(['421["ice.servers",{}]', '422["ice.servers",{}]'])
    const reply = (expiresInMs: number): string =>
      JSON.stringify([{ ok: true, value: { iceServers: [], expiresInMs } }])
    send(`432${reply(2)}`)
    send(`431${reply(1)}`)
    expect([(await first).expiresInMs, (await second).expiresInMs]).toEqual([1, 2])
  })

  it('LOG-14 packets that nobody asked for change nothing: unknown acknowledgements, later pushes, noops', async () => {
    const { send, events, connection, received, until } = await accepted(start, Socket)
    for (const packet of ['6', '43999[1]', '42["no.push.of.ours",{}]', '4', '5probe']) send(packet)
    const call = connection.call('ice.servers', {})
    await until(() => received.length > 1)
    send('431[{"ok":true,"value":{"iceServers":[],"expiresInMs":1}}]')
    await call
    expect(codes(events)).toEqual(['up'])
  })

  it.each(['42[', '42["log.entries",{"contact":1}]', '0{', '43'])(
    'LOG-14 what is no packet of the protocol ends the connection: %s',
    async (packet) => {
      const { send, events, until } = await accepted(start, Socket)
      send(packet)
      await until(() => events.length > 1)
      expect(codes(events)).toEqual(['up', 'protocol'])
    },
  )

  it.each(['41', '1'])('LOG-14 a packet that ends the connection is a loss: %s', async (packet) => {
    const { send, events, connection, until } = await accepted(start, Socket)
    const call = connection.call('ice.servers', {})
    send(packet)
    await until(() => events.length > 1)
    expect(codes(events)).toEqual(['up', 'offline'])
    await expect(call).rejects.toMatchObject({ code: 'offline' })
  })

  it('LOG-14 a refusal has the code of the service, and nothing else is tried', async () => {
    const { send, events, until } = await greeted(start, Socket)
    send(
      '44{"message":"unauthorized","data":{"code":"unauthorized","message":"unable to connect; no token"}}',
    )
    await until(() => events.length > 0)
    expect(codes(events)).toEqual(['unauthorized'])
  })

  it('LOG-14 a service that is silent for longer than its heartbeat is lost', async () => {
    const { send, events, until } = await connected(start, Socket)
    send(GREETING.replaceAll('10000', '50'))
    send('40{"sid":"x"}')
    await until(() => events.length > 1)
    expect(codes(events)).toEqual(['up', 'offline'])
  })
})

// Less than the silence after which a connection is lost in any case.
describe('long polling', { timeout: 5_000 }, () => {
  const start = (): Promise<PollingServer> => PollingServer.start()

  it('LOG-14 packets of one answer are told in order, and as they arrive', async () => {
    const { server, connection, events, until } = await accepted(start, null)
    const call = connection.call('ice.servers', {})
    await until(() => server.received.length === 2)
    await server.polled()
    const poll = server.takePoll()
    const refused = '431[{"ok":false,"error":{"code":"not_found","message":"é😀"}}]'
    const bytes = Buffer.from(`42["link.coming",{"bytes":98304}]\u001E${refused}\u001E2`)
    const withinCharacter = bytes.indexOf(0xf0) + 2
    poll.write(bytes.subarray(0, withinCharacter))
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({ push: { name: 'link.coming' } })
    poll.end(bytes.subarray(withinCharacter))
    await expect(call).rejects.toMatchObject({ code: 'not_found', message: 'é😀' })
    await until(() => server.received.length === 3)
    expect(server.received.at(-1)).toBe('3')
  })

  it('LOG-14 what is sent meanwhile goes together, a request at a time, and a large packet alone', async () => {
    const { server, connection, until } = await accepted(start, null)
    const read = (contact: string): Promise<unknown> =>
      connection.call('contact.read', { contact }).catch((thrown: unknown) => thrown)
    for (const contact of ['a', 'b', 'c', 'd'.repeat(20_000), 'e', 'f']) void read(contact)
    await until(() => server.received.length === 7)
    expect(server.requests.slice(1).map((packets) => packets.map((packet) => packet.slice(0, 3)))).toEqual([
      ['421'],
      ['422', '423'],
      ['424'],
      ['425', '426'],
    ])
  })

  it('LOG-14 the end is told behind what was sent before it', async () => {
    const { server, connection, until } = await accepted(start, null)
    for (const contact of ['a', 'b']) connection.call('contact.read', { contact }).catch(() => {})
    connection.close()
    await until(() => server.received.at(-1) === '1')
    expect(server.received.slice(1).map((packet) => packet.slice(0, 3))).toEqual(['421', '422', '1'])
    await server.polledNoMore()
  })

  it.each(['', '<html>', '7', '6'])(
    'LOG-14 an answer that is no greeting is a loss, and asked for once: %j',
    async (body) => {
      const { server, events, until } = await connected(start, null)
      server.takePoll().end(body)
      await until(() => events.length > 0)
      expect([codes(events), server.received]).toEqual([['offline'], []])
    },
  )

  it.each(['', '<html>', '2\u001E7'])('LOG-14 an answer without packets is a loss: %j', async (body) => {
    const { server, events, until } = await accepted(start, null)
    await server.polled()
    server.takePoll().end(body)
    await until(() => events.length > 1)
    expect(codes(events)).toEqual(['up', 'offline'])
  })

  it.each([400, 403, 413, 500])('LOG-14 a request that is refused with %i is a loss', async (status) => {
    const { server, events, connection, until } = await accepted(start, null)
    server.refuse(status)
    const call = connection.call('ice.servers', {})
    await expect(call).rejects.toMatchObject({ code: 'offline' })
    await until(() => events.length > 1)
    expect(codes(events)).toEqual(['up', 'offline'])
  })

  it('LOG-14 an answer that breaks off tells nothing of its last packet, and is a loss', async () => {
    const { server, events, until } = await accepted(start, null)
    await server.polled()
    const poll = server.takePoll().writeHead(200, { 'content-length': '1000' })
    poll.write('42["agent.withdrawn",{"id":"d","reason":"taken"}]\u001E43')
    await until(() => events.length === 2)
    poll.destroy()
    await until(() => events.length === 3)
    expect(codes(events)).toEqual(['up', 'push', 'offline'])
  })
})
