import { io } from 'socket.io-client'
import type { Socket } from 'socket.io-client'
import { ContactError } from '../../protocol/index.ts'
import { Silence } from './silence.ts'
import type { OpenSocket, SocketOptions } from './wire-socket.ts'

/** For the service to answer at all. */
const GREETING_LIMIT_MS = 20_000
/** The longest that a timer can be told, milliseconds. */
const NEVER_MS = 2 ** 31 - 1

/** What Socket.IO tells of a connection that was not made: `data` where the service has answered. */
type Refusal = Error & { readonly data?: unknown }

/**
 * The whole Socket.IO client: long polling where a page cannot have a WebSocket, and Node's WebSocket. A
 * module of its own, loaded where it is needed.
 */
export const openSocketIo: OpenSocket = (options, events) => {
  const socket = dial(options)
  const close = (): void => {
    silence.stop()
    socket.off().offAny().disconnect()
  }
  const lost = (cause?: unknown): void => {
    close()
    events.down(
      new ContactError('offline', 'unable to reach the service; the connection was lost', { cause }),
      true,
    )
  }
  const silence = silenceOf(socket.io.engine, lost)
  socket.on('connect', () => events.up())
  socket.on('connect_error', (error: Refusal) => {
    if (!error.data) return lost(error)
    close()
    events.refused(error)
  })
  socket.on('disconnect', () => lost())
  socket.onAny((name: string, body: unknown, answer?: () => void) => {
    events.event(name, body)
    answer?.()
  })
  return {
    emit: (name, body, answer) => void socket.emit(name, body, answer),
    expect: (ms) => silence.expect(ms),
    close,
  }
}

const dial = ({ service, auth, WebSocket: platform = globalThis.WebSocket }: SocketOptions): Socket =>
  io(service, {
    path: '/v1/link',
    auth,
    extraHeaders: { authorization: `Bearer ${auth.token}` },
    timestampRequests: false,
    transports: platform === undefined ? ['websocket', 'polling'] : ['polling'],
    tryAllTransports: true,
    reconnection: false,
    forceNew: true,
  })

/** Counts silence in the place of Engine.IO, which counts pings only: they stand behind what a slow line carries. */
function silenceOf(engine: Socket['io']['engine'], lost: () => void): Silence {
  const silence = new Silence(lost, GREETING_LIMIT_MS)
  silence.broken()
  engine.on('handshake', (terms) => {
    silence.limitMs = terms.pingInterval + terms.pingTimeout
    terms.pingTimeout = NEVER_MS - terms.pingInterval
  })
  engine.on('packet', () => silence.broken())
  return silence
}
