import { PacketSocket } from './packet-socket.ts'
import type { OpenSocket } from './wire-socket.ts'

/** For the WebSocket to open and the service to greet: a proxy may swallow the request. */
const GREETING_LIMIT_MS = 4_000
/**
 * Where none has swallowed it before. A service to which the pages of another node come all at once greets each
 * in its turn: who gives up begins anew behind all others, and costs the service another handshake.
 */
const KNOWN_LIMIT_MS = 10_000

/** The Socket.IO protocol over a WebSocket: a packet is a message. */
export const openWebSocket: OpenSocket = ({ service, auth, WebSocket: custom, isKnown = false }, events) => {
  const url = new URL('/v1/link/?EIO=4&transport=websocket', service)
  url.protocol = url.protocol.replace('http', 'ws')
  return new PacketSocket(
    {
      auth,
      greetingLimitMs: isKnown ? KNOWN_LIMIT_MS : GREETING_LIMIT_MS,
      carry: ({ packet, lost }) => {
        const socket = new (custom ?? WebSocket)(url)
        socket.addEventListener('message', ({ data }) => packet(String(data)))
        for (const end of ['close', 'error']) socket.addEventListener(end, lost)
        return socket
      },
    },
    events,
  )
}
