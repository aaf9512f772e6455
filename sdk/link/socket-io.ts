import { io } from 'socket.io-client'
import { ContactError } from '../../protocol/index.ts'
import type { OpenSocket } from './wire-socket.ts'

/** What Socket.IO tells of a connection that was not made: `data` where the service has answered. */
type Refusal = Error & { readonly data?: unknown }

/**
 * The whole Socket.IO client: long polling where a page cannot have a WebSocket, and Node's WebSocket. A
 * module of its own, loaded where it is needed.
 */
export const openSocketIo: OpenSocket = (
  { service, auth, WebSocket: Socket = globalThis.WebSocket },
  events,
) => {
  const socket = io(service, {
    path: '/v1/link',
    auth,
    extraHeaders: { authorization: `Bearer ${auth.token}` },
    timestampRequests: false,
    transports: Socket === undefined ? ['websocket', 'polling'] : ['polling'],
    tryAllTransports: true,
    reconnection: false,
    forceNew: true,
  })
  const close = (): void => void socket.off().offAny().disconnect()
  const lost = (cause?: unknown): void => {
    close()
    events.down(
      new ContactError('offline', 'unable to reach the service; the connection was lost', { cause }),
      true,
    )
  }
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
    // Engine.IO's own client counts silence by itself.
    expect: () => {},
    close,
  }
}
