import { ContactError, PROTOCOL_VERSION, isErrorCode, parsePush, parseReply, toContactError } from '../../protocol/index.ts'
import type { CallName, Calls, Connection, ErrorCode, Transport, TransportEvent } from '../../protocol/index.ts'
import { openWebSocket } from './web-socket.ts'
import type { OpenSocket, WireSocket } from './wire-socket.ts'

const CALL_LIMIT_MS = 10_000

export interface SocketTransportOptions {
  /** Origin of the service. */
  readonly service: string
  /** One token, or what gives one that is valid now. @throws {@link ContactError} `unauthorized`, `offline` */
  readonly token: string | (() => string | Promise<string>)
  /** The platform's WebSocket by default; null: long polling only. */
  readonly WebSocket?: typeof WebSocket | null
}

/** Reaches the service by the Socket.IO protocol: over a WebSocket, and where that cannot be had by the whole Socket.IO client, which is loaded then. */
export const socketTransport = (options: SocketTransportOptions): Transport => ({ connect: (onEvent) => new SocketConnection(options, onEvent) })

class SocketConnection implements Connection {
  #onEvent: ((event: TransportEvent) => void) | null
  readonly #options: SocketTransportOptions
  #socket: WireSocket | null = null
  #isUp = false
  /** What ends the calls that wait for an answer. */
  readonly #waiting = new Set<() => void>()

  constructor(options: SocketTransportOptions, onEvent: (event: TransportEvent) => void) {
    this.#options = options
    this.#onEvent = onEvent
    this.#start().catch((thrown: unknown) => this.#down(unreachable(thrown)))
  }

  async call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    return parseReply(name, await this.#ask(name, args))
  }

  close(): void {
    this.#onEvent = null
    this.#isUp = false
    this.#socket?.close()
    this.#socket = null
    for (const end of this.#waiting) end()
  }

  async #start(): Promise<void> {
    const { WebSocket: Socket = globalThis.WebSocket } = this.#options
    const token = await this.#token()
    this.#open(Socket ? openWebSocket : await wholeClient(), token)
  }

  #open(open: OpenSocket, token: string): void {
    if (!this.#onEvent) return
    const { service, WebSocket } = this.#options
    this.#socket = open(
      { service, auth: { token, protocol: PROTOCOL_VERSION }, WebSocket },
      {
        up: () => {
          this.#isUp = true
          this.#onEvent?.({ type: 'up' })
        },
        refused: (answer) => this.#down(refusal(answer)),
        event: (name, body) => this.#pushed(name, body),
        down: (error, reached) => (reached ? this.#down(error) : this.#fallBack(token)),
      },
    )
  }

  /** No WebSocket gets through: long polling may. */
  #fallBack(token: string): void {
    wholeClient().then(
      (open) => this.#open(open, token),
      (thrown: unknown) => this.#down(unreachable(thrown)),
    )
  }

  #ask(name: string, body: unknown): Promise<unknown> {
    const failed = (code: ErrorCode, why: string): ContactError => new ContactError(code, `unable to call ${name}; ${why}`)
    const socket = this.#isUp ? this.#socket : null
    if (!socket) return Promise.reject(failed('offline', 'there is no connection'))
    return new Promise((resolve, reject) => {
      const settle = (run: () => void): void => {
        clearTimeout(limit)
        this.#waiting.delete(end)
        run()
      }
      const end = (): void => settle(() => reject(failed('offline', 'the connection was lost')))
      const limit = setTimeout(() => settle(() => reject(failed('timeout', 'the service did not answer'))), CALL_LIMIT_MS)
      this.#waiting.add(end)
      socket.emit(name, body, (reply) => settle(() => resolve(reply)))
    })
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

const wholeClient = async (): Promise<OpenSocket> => (await import('./socket-io.ts')).openSocketIo

/** What the service said to a party that it does not accept: the error of Socket.IO's connection packet. */
function refusal(answer: unknown): ContactError {
  const { data } = answer as { readonly data?: { readonly code?: unknown; readonly message?: unknown } }
  const { code, message } = data ?? {}
  if (!isErrorCode(code)) return unreachable(answer)
  return new ContactError(code, typeof message === 'string' ? message : `unable to connect; the service answered ${code}`, { cause: answer })
}
