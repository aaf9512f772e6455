import type { Socket } from 'socket.io-client'
import { ContactError, PROTOCOL_VERSION, isErrorCode, parsePush, parseReply, toContactError } from '../../protocol/index.ts'
import type { CallName, Calls, Connection, Transport, TransportEvent } from '../../protocol/index.ts'

const CALL_LIMIT_MS = 10_000

export interface SocketTransportOptions {
  /** Origin of the service. */
  readonly service: string
  /** One token, or what gives one that is valid now. @throws {@link ContactError} `unauthorized`, `offline` */
  readonly token: string | (() => string | Promise<string>)
}

/** What Socket.IO tells of a connection that was not made. */
type Refusal = Error & { readonly data?: { readonly code?: unknown; readonly message?: unknown } }

/** Reaches the service by Socket.IO, which is loaded on the first connection. */
export const socketTransport = (options: SocketTransportOptions): Transport => ({ connect: (onEvent) => new SocketConnection(options, onEvent) })

class SocketConnection implements Connection {
  #onEvent: ((event: TransportEvent) => void) | null
  readonly #options: SocketTransportOptions
  #socket: Socket | null = null

  constructor(options: SocketTransportOptions, onEvent: (event: TransportEvent) => void) {
    this.#options = options
    this.#onEvent = onEvent
    this.#start().catch((thrown: unknown) => this.#down(unreachable(thrown)))
  }

  async call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    const socket = this.#socket
    if (!socket?.connected) throw new ContactError('offline', `unable to call ${name}; there is no connection`)
    const reply: unknown = await socket
      .timeout(CALL_LIMIT_MS)
      .emitWithAck(name, args)
      .catch((cause: unknown) => {
        throw new ContactError(socket.connected ? 'timeout' : 'offline', `unable to call ${name}; the service did not answer`, { cause })
      })
    return parseReply(name, reply)
  }

  close(): void {
    this.#onEvent = null
    this.#socket?.disconnect()
    this.#socket = null
  }

  async #start(): Promise<void> {
    const [{ io }, token] = await Promise.all([import('socket.io-client'), this.#token()])
    if (!this.#onEvent) return
    const socket = io(this.#options.service, {
      path: '/v1/link',
      auth: { token, protocol: PROTOCOL_VERSION },
      extraHeaders: { authorization: `Bearer ${token}` },
      timestampRequests: false,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnection: false,
      forceNew: true,
    })
    this.#socket = socket
    socket.on('connect', () => this.#onEvent?.({ type: 'up' }))
    socket.on('connect_error', (error: Refusal) => this.#down(refusal(error)))
    socket.on('disconnect', () => this.#down(new ContactError('offline', 'unable to reach the service; the connection was lost')))
    socket.onAny((name: string, body: unknown) => this.#pushed(name, body))
  }

  #pushed(name: string, body: unknown): void {
    try {
      const push = parsePush(name, body)
      if (push?.name === 'link.expiring') void this.#renew().catch(() => {})
      else if (push) this.#onEvent?.({ type: 'push', push })
    } catch (thrown) {
      this.#down(toContactError(thrown, 'protocol', 'the service answered something else'))
    }
  }

  /** Without a fresh token the service ends the connection, and the next one tells why. */
  async #renew(): Promise<void> {
    await this.call('link.renew', { token: await this.#token() })
  }

  async #token(): Promise<string> {
    const { token } = this.#options
    return typeof token === 'function' ? token() : token
  }

  #down(error: ContactError): void {
    const tell = this.#onEvent
    this.close()
    tell?.({ type: 'down', error })
  }
}

const unreachable = (thrown: unknown): ContactError => toContactError(thrown, 'offline', 'unable to connect; the service cannot be reached')

function refusal(error: Refusal): ContactError {
  const { code, message } = error.data ?? {}
  if (!isErrorCode(code)) return unreachable(error)
  return new ContactError(code, typeof message === 'string' ? message : `unable to connect; the service answered ${code}`, { cause: error })
}
