import {
  ContactError,
  PROTOCOL_VERSION,
  isErrorCode,
  toContactError,
  visitorMessages,
} from '../../protocol/index.ts'
import type {
  CallName,
  Calls,
  Connection,
  MessageReader,
  Push,
  Transport,
  TransportEvent,
} from '../../protocol/index.ts'
import { longestMs } from './large-message.ts'
import { openWebSocket } from './web-socket.ts'
import type { OpenSocket, WireSocket } from './wire-socket.ts'

export interface SocketTransportOptions {
  /** Origin of the service. */
  readonly service: string
  /**
   * One token, or what gives one that is valid now, other than `refused`.
   * @throws {@link ContactError} `unauthorized`, `offline`
   */
  readonly token: string | ((refused?: string) => string | Promise<string>)
  /** Told of each token that is used. */
  readonly onToken?: (token: string) => void
  /** Reads what the service sends to the party; to a visitor by default. */
  readonly messages?: MessageReader
  /** The platform's WebSocket by default; null: long polling only. */
  readonly WebSocket?: typeof WebSocket | null
}

/** The token of an attempt to connect, and whether another one was refused before it. */
interface Tried {
  readonly token: string
  readonly isAnother: boolean
  readonly Socket: typeof WebSocket | null
}

/** What got through last, and is tried first the next time. */
interface Way {
  open: OpenSocket
  /** It is a WebSocket. */
  isKnown: boolean
}

/**
 * Reaches the service by the Socket.IO protocol: over a WebSocket, and where that cannot be had over long
 * polling, whose code is loaded then.
 */
export const socketTransport = (options: SocketTransportOptions): Transport => {
  const way: Way = { open: openWebSocket, isKnown: false }
  return { connect: (onEvent) => new SocketConnection({ ...options, way }, onEvent) }
}

class SocketConnection implements Connection {
  #onEvent: ((event: TransportEvent) => void) | null
  readonly #options: SocketTransportOptions & { readonly way: Way }
  #socket: WireSocket | null = null
  #isUp = false
  /** What ends the calls that wait for an answer. */
  readonly #waiting = new Set<() => void>()

  constructor(
    options: SocketTransportOptions & { readonly way: Way },
    onEvent: (event: TransportEvent) => void,
  ) {
    this.#options = options
    this.#onEvent = onEvent
    this.#start()
  }

  async call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    const reply = await this.#ask(name, args)
    return this.#messages.parseReply(name, reply)
  }

  get #messages(): MessageReader {
    return this.#options.messages ?? visitorMessages
  }

  close(): void {
    this.#onEvent = null
    this.#isUp = false
    this.#socket?.close()
    this.#socket = null
    for (const end of this.#waiting) end()
  }

  #start(refused?: string): void {
    this.#connect(refused).catch((thrown: unknown) => this.#down(unreachable(thrown)))
  }

  async #connect(refused: string | undefined): Promise<void> {
    const { WebSocket: Socket = globalThis.WebSocket ?? (await nodeSocket?.()) ?? null, way } = this.#options
    const tried = { token: await this.#token(refused), isAnother: refused !== undefined, Socket }
    if (!Socket) return await this.#fallBack(tried)
    try {
      this.#open(way.open, tried)
    } catch {
      await this.#fallBack(tried)
    }
  }

  #open(open: OpenSocket, tried: Tried): void {
    if (!this.#onEvent) return
    const { token, Socket } = tried
    const { service, way } = this.#options
    this.#socket = open(
      { service, auth: { token, protocol: PROTOCOL_VERSION }, WebSocket: Socket, isKnown: way.isKnown },
      {
        up: () => {
          this.#isUp = true
          way.open = open
          way.isKnown = open === openWebSocket
          this.#onEvent?.({ type: 'up' })
        },
        refused: (answer) => this.#refused(refusal(answer), tried),
        event: (name, body) => this.#pushed(name, body),
        down: (error, reached) => {
          if (!this.#isUp) way.open = openWebSocket
          if (reached) this.#down(error)
          else this.#fallBack(tried).catch((thrown: unknown) => this.#down(unreachable(thrown)))
        },
      },
    )
  }

  /** A token that was thought to be good may be an old one: a fresh one is tried, once. */
  #refused(error: ContactError, { token, isAnother }: Tried): void {
    if (error.code !== 'unauthorized' || isAnother || typeof this.#options.token !== 'function')
      return this.#down(error)
    this.#socket?.close()
    this.#socket = null
    this.#start(token)
  }

  /** No WebSocket gets through: long polling may. */
  async #fallBack(tried: Tried): Promise<void> {
    this.#open((await import('./polling.ts')).openPolling, tried)
  }

  #ask(name: string, body: unknown): Promise<unknown> {
    const offline = (why: string): ContactError =>
      new ContactError('offline', `unable to call ${name}; ${why}`)
    const socket = this.#isUp ? this.#socket : null
    if (!socket) return Promise.reject(offline('there is no connection'))
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(end)
        reject(offline('the connection was lost'))
      }
      this.#waiting.add(end)
      socket.emit(name, body, (reply) => {
        this.#waiting.delete(end)
        resolve(reply)
      })
    })
  }

  #pushed(name: string, body: unknown): void {
    const push = this.#read(name, body)
    if (push?.name === 'link.coming') this.#socket?.expect(longestMs(push.body.bytes))
    if (push?.name === 'link.expiring') void this.#renew().catch(() => {})
    else if (push) this.#onEvent?.({ type: 'push', push })
  }

  #read(name: string, body: unknown): Push | null {
    try {
      return this.#messages.parsePush(name, body)
    } catch (thrown) {
      this.#down(toContactError(thrown, 'protocol', 'the service answered something else'))
      return null
    }
  }

  /** Without a fresh token the service ends the connection, and the next one tells why. */
  async #renew(): Promise<void> {
    await this.call('link.renew', { token: await this.#token() })
  }

  async #token(refused?: string): Promise<string> {
    const { token: given, onToken } = this.#options
    const token = typeof given === 'function' ? await given(refused) : given
    onToken?.(token)
    return token
  }

  #down(error: ContactError): void {
    const tell = this.#onEvent
    this.close()
    tell?.({ type: 'down', error })
  }
}

const unreachable = (thrown: unknown): ContactError =>
  toContactError(thrown, 'offline', 'unable to connect; the service cannot be reached')

/** Node has a WebSocket from version 22 on. */
const nodeSocket = globalThis.process
  ? async () => (await import('ws')).default as unknown as typeof WebSocket
  : undefined

/** What the service said to a party that it does not accept: the error of Socket.IO's connection packet. */
function refusal(answer: unknown): ContactError {
  const { data } = answer as {
    readonly data?: { readonly code?: unknown; readonly message?: unknown; readonly retryAfterMs?: unknown }
  }
  const { code, message, retryAfterMs } = data ?? {}
  if (!isErrorCode(code)) return unreachable(answer)
  return new ContactError(
    code,
    typeof message === 'string' ? message : `unable to connect; the service answered ${code}`,
    {
      cause: answer,
      retryAfterMs: typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined,
    },
  )
}
