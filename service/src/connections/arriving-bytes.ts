import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'socket.io'

type Transport = Socket['conn']['transport']

/** So often a page is told that its packet is arriving, milliseconds. */
const SIGN_MS = 3_000

/** The parts of Engine.IO's transports that are private: the WebSocket's TCP connection, a poller's requests. */
interface TransportParts {
  readonly socket?: { readonly _socket: EventEmitter }
  onRequest?: (request: IncomingMessage) => void
}

/**
 * Counts bytes that arrive as a sign of life. Engine.IO waits for whole packets: the answer to its ping stands
 * behind what the page is sending, which may take a slow line longer than a ping may. Only the bytes of this
 * connection count: a proxy sends the requests of other pages over the TCP connection of a long poller.
 * `tell` is called every 3 s in which a packet arrives: the page hears nothing else meanwhile.
 */
export function countArrivingBytes({ conn }: Pick<Socket, 'conn'>, tell: () => void = () => {}): void {
  /** Since when a packet arrives that is not whole, and when the page was told last. */
  let since: number | null = null
  let toldAt = Number.NEGATIVE_INFINITY
  const arrived = (): void => {
    conn['pingTimeoutTimer']?.refresh()
    const now = performance.now()
    since ??= now
    if (now - Math.max(since, toldAt) < SIGN_MS) return
    toldAt = now
    tell()
  }
  conn.on('packet', () => (since = null))
  countIn(conn.transport, arrived)
  conn.on('upgrade', (transport: Transport) => countIn(transport, arrived))
}

function countIn(transport: Transport, arrived: () => void): void {
  const parts = transport as unknown as TransportParts
  if (parts.socket) return countInWebSocket(transport, parts.socket._socket, arrived)
  const onRequest = parts.onRequest?.bind(transport)
  parts.onRequest = (request) => {
    if (request.method === 'POST') request.on('data', arrived)
    onRequest?.(request)
  }
}

function countInWebSocket(transport: Transport, tcp: EventEmitter, arrived: () => void): void {
  // Before the packet that the bytes end is read.
  tcp.prependListener('data', arrived)
  transport.once('close', () => tcp.off('data', arrived))
}
