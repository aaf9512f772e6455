/**
 * The least that a service could do: takes a message, confirms it, hands it to the other one of the pair.
 * Nothing is checked or stored.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'

export const RELAY = 'relay'

/** With the transport settings of the service. */
export function serveRelay(): void {
  const http = createServer()
  const io = new Server(http, {
    path: '/v1/link',
    serveClient: false,
    allowEIO3: false,
    perMessageDeflate: false,
    httpCompression: false,
    transports: ['websocket'],
  })
  io.on('connection', (socket) => {
    const { pair } = socket.handshake.auth as { pair: string }
    void socket.join(pair)
    socket.on('text', (body: unknown, answer: (reply: unknown) => void) => {
      answer({ ok: true })
      socket.to(pair).emit('text', body)
    })
  })
  http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port))
}

export interface Relay {
  readonly url: string
  readonly pid: number
  stop(): void
}

/** A relay in a process of its own. */
export async function startRelay(): Promise<Relay> {
  const child = fork(process.argv[1] ?? '', [RELAY])
  const port = await new Promise<unknown>((settle) => child.once('message', settle))
  return { url: `http://127.0.0.1:${String(port)}`, pid: child.pid ?? 0, stop: () => child.kill() }
}
