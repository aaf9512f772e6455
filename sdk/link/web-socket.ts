import { ContactError } from '../../protocol/index.ts'
import type { OpenSocket, SocketEvents, SocketOptions, WireSocket } from './wire-socket.ts'

/**
 * Packet types of Engine.IO 4 and Socket.IO 5 in one text frame: `42["name",…]` is an event, `43` answers
 * one.
 */
const OPEN = '0'
const CLOSE = '1'
const PING = '2'
const PONG = '3'
const CONNECT = '40'
const DISCONNECT = '41'
const EVENT = '42'
const ACK = '43'
const CONNECT_ERROR = '44'

/** For the WebSocket to open and the service to greet: a proxy may swallow the request. */
const GREETING_LIMIT_MS = 4_000
/** For the service to accept the token. */
const ACCEPT_LIMIT_MS = 10_000

/**
 * The part of the Socket.IO protocol that the service speaks with a page, over a WebSocket: text frames, one
 * namespace, no attachments.
 */
export const openWebSocket: OpenSocket = (options, events) => new TextSocket(options, events)

class TextSocket implements WireSocket {
  readonly #socket: WebSocket
  readonly #auth: SocketOptions['auth']
  /** What the answers to calls are handed to, by the number of the call. */
  readonly #answers = new Map<number, (reply: unknown) => void>()
  #events: SocketEvents | null
  #silence: ReturnType<typeof setTimeout> | undefined
  /** The longest that the service may be silent. */
  #limitMs = GREETING_LIMIT_MS
  #calls = 0
  /** An Engine.IO server has answered: what fails from here on fails over every transport. */
  #isReached = false

  constructor({ service, auth, WebSocket: custom }: SocketOptions, events: SocketEvents) {
    this.#auth = auth
    this.#events = events
    const url = new URL('/v1/link/?EIO=4&transport=websocket', service)
    url.protocol = url.protocol.replace('http', 'ws')
    this.#socket = new (custom ?? WebSocket)(url)
    this.#socket.addEventListener('message', ({ data }) => this.#read(String(data)))
    for (const end of ['close', 'error']) this.#socket.addEventListener(end, () => this.#lost())
    this.#hear()
  }

  emit(name: string, body: unknown, answer: (reply: unknown) => void): void {
    this.#answers.set((this.#calls += 1), answer)
    this.#socket.send(`${EVENT}${this.#calls}${JSON.stringify([name, body])}`)
  }

  expect(ms: number): void {
    this.#hear(this.#limitMs + ms)
  }

  close(): void {
    this.#events = null
    clearTimeout(this.#silence)
    this.#answers.clear()
    this.#socket.close()
  }

  #hear(limitMs = this.#limitMs): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#lost(), limitMs)
  }

  #read(packet: string): void {
    if (!this.#events) return
    try {
      this.#hear()
      this.#take(packet)
    } catch (cause) {
      this.#down(
        new ContactError('protocol', 'unable to read what the service sent; it is no packet of Socket.IO', {
          cause,
        }),
      )
    }
  }

  #take(packet: string): void {
    if (packet === PING) return this.#socket.send(PONG)
    if (packet.startsWith(OPEN)) return this.#greet(JSON.parse(packet.slice(1)))
    const kind = packet.slice(0, 2)
    const [, id, text] = /^(\d*)(.*)$/s.exec(packet.slice(2)) as unknown as [string, string, string]
    if (kind === CONNECT) this.#events?.up()
    if (kind === CONNECT_ERROR) this.#events?.refused(JSON.parse(text))
    if (packet === CLOSE || kind === DISCONNECT) this.#lost()
    if (kind === EVENT) {
      this.#events?.event(...(JSON.parse(text) as [string, unknown]))
      if (id) this.#socket.send(`${ACK}${id}[]`)
    }
    if (kind === ACK) this.#answer(Number(id), JSON.parse(text))
  }

  #greet({ pingInterval, pingTimeout }: { pingInterval: number; pingTimeout: number }): void {
    this.#isReached = true
    this.#limitMs = pingInterval + pingTimeout
    this.#hear(ACCEPT_LIMIT_MS)
    this.#socket.send(CONNECT + JSON.stringify(this.#auth))
  }

  #answer(id: number, [reply]: [unknown]): void {
    this.#answers.get(id)?.(reply)
    this.#answers.delete(id)
  }

  #lost(): void {
    this.#down(new ContactError('offline', 'unable to reach the service; the connection was lost'))
  }

  #down(error: ContactError): void {
    const events = this.#events
    const reached = this.#isReached
    this.close()
    events?.down(error, reached)
  }
}
