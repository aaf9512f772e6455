import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'socket.io'

type Transport = Socket['conn']['transport']

/** The parts of Engine.IO's transports that are private: the WebSocket's TCP connection, a poller's requests. */
interface TransportParts {
  readonly socket?: { readonly _socket: EventEmitter }
  onRequest?: (request: IncomingMessage) => void
}

/**
 * Counts bytes that arrive as a sign of life. Engine.IO waits for whole packets: the answer to its ping stands
 * behind what the page is sending, which may take a slow line longer than a ping may. Only the bytes of this
 * connection count: a proxy sends the requests of other pages over the TCP connection of a long poller.
 */
export function countArrivingBytes({ conn }: Socket): void {
  const arrived = (): void => void conn['pingTimeoutTimer']?.refresh()
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
  tcp.on('data', arrived)
  transport.once('close', () => tcp.off('data', arrived))
}
