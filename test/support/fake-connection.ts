import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { SocketSink } from '../../service/src/connections/packet-sink.ts'

/** A connection whose other side takes what it is told to. */
export function fakeConnection() {
  const transport = Object.assign(new EventEmitter(), { writable: true })
  let pings = 0
  const sendPacket = (type: string): void => {
    pings += 1
    conn.emit('packetCreate', { type })
  }
  const conn = Object.assign(new EventEmitter(), {
    ...{ transport, sendPacket, readyState: 'open' },
    write: (data: string) => {
      packets.push(data)
      conn.emit('packetCreate', { data })
    },
    close: () => conn.emit('close'),
  })
  const acknowledge: (() => void)[] = []
  const packets: string[] = []
  const socket = {
    conn,
    connected: true,
    timeout: () => ({
      emit: (name: string, body: unknown, answer: (late: null) => void) => {
        acknowledge.push(() => answer(null))
        socket.emit(name, body)
      },
    }),
    emit: (_name: string, body: unknown) => void conn.emit('packetCreate', { data: JSON.stringify(body) }),
  }
  conn.on('close', () => (socket.connected = false))
  return {
    sink: new SocketSink(socket as unknown as Socket),
    write: (bytes: number) => void conn.emit('packetCreate', { data: 'x'.repeat(bytes) }),
    /** Packets of pushes, in the protocol of Socket.IO. */
    packets,
    /** What the page's acknowledgements of pushes call, in order. */
    acknowledge,
    /** The service asks the page whether it is there, and the page answers the oldest question. */
    ping: () => void conn.emit('packetCreate', { type: 'ping' }),
    pong: () => void conn.emit('heartbeat'),
    /** Hands what was written to the kernel. */
    flush: () => void conn.emit('flush'),
    /** The kernel has taken it, and the page has answered the pings behind it. */
    drain: () => {
      transport.emit('drain')
      for (; pings > 0; pings -= 1) conn.emit('heartbeat')
    },
    /** Only the kernel has taken it. */
    leave: () => void transport.emit('drain'),
  }
}
