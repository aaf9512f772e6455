import { ContactError } from '../../protocol/index.ts'
import type { Carrier, CarrierEvents, SocketEvents, SocketOptions, WireSocket } from './wire-socket.ts'

/**
 * Packet types of Engine.IO 4 and Socket.IO 5 in one text: `42["name",…]` is an event, `43` answers one.
 */
export const OPEN = '0'
export const CLOSE = '1'
const PING = '2'
const PONG = '3'
const CONNECT = '40'
const DISCONNECT = '41'
const EVENT = '42'
const ACK = '43'
const CONNECT_ERROR = '44'

/** For the service to accept the token. */
const ACCEPT_LIMIT_MS = 10_000

export interface PacketSocketOptions {
  readonly auth: SocketOptions['auth']
  /** For the service to greet. */
  readonly greetingLimitMs: number
  readonly carry: (events: CarrierEvents) => Carrier
}

/**
 * The part of the Socket.IO protocol that the service speaks with a page: packets of text, one namespace, no
 * attachments.
 */
export class PacketSocket implements WireSocket {
  readonly #carrier: Carrier
  readonly #auth: SocketOptions['auth']
  /** What the answers to calls are handed to, by the number of the call. */
  readonly #answers = new Map<number, (reply: unknown) => void>()
  #events: SocketEvents | null
  #silence: ReturnType<typeof setTimeout> | undefined
  /** The longest that the service may be silent. */
  #limitMs: number
  #calls = 0
  /** An Engine.IO server has answered: what fails from here on fails over every transport. */
  #isReached = false

  constructor({ auth, greetingLimitMs, carry }: PacketSocketOptions, events: SocketEvents) {
    this.#auth = auth
    this.#events = events
    this.#limitMs = greetingLimitMs
    this.#carrier = carry({ packet: (packet) => this.#read(packet), lost: (cause) => this.#lost(cause) })
    this.#hear()
  }

  emit(name: string, body: unknown, answer: (reply: unknown) => void): void {
    this.#answers.set((this.#calls += 1), answer)
    this.#carrier.send(`${EVENT}${this.#calls}${JSON.stringify([name, body])}`)
  }

  expect(ms: number): void {
    this.#hear(this.#limitMs + ms)
  }

  close(): void {
    this.#events = null
    clearTimeout(this.#silence)
    this.#answers.clear()
    this.#carrier.close()
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
    if (packet === PING) return this.#carrier.send(PONG)
    if (packet.startsWith(OPEN)) return this.#greet(JSON.parse(packet.slice(1)))
    const kind = packet.slice(0, 2)
    const [, id, text] = /^(\d*)(.*)$/s.exec(packet.slice(2)) as unknown as [string, string, string]
    if (kind === CONNECT) this.#events?.up()
    if (kind === CONNECT_ERROR) this.#events?.refused(JSON.parse(text))
    if (packet === CLOSE || kind === DISCONNECT) this.#lost()
    if (kind === EVENT) {
      this.#events?.event(...(JSON.parse(text) as [string, unknown]))
      if (id) this.#carrier.send(`${ACK}${id}[]`)
    }
    if (kind === ACK) this.#answer(Number(id), JSON.parse(text))
  }

  #greet({ pingInterval, pingTimeout }: { pingInterval: number; pingTimeout: number }): void {
    this.#isReached = true
    this.#limitMs = pingInterval + pingTimeout
    this.#hear(ACCEPT_LIMIT_MS)
    this.#carrier.send(CONNECT + JSON.stringify(this.#auth))
  }

  #answer(id: number, [reply]: [unknown]): void {
    this.#answers.get(id)?.(reply)
    this.#answers.delete(id)
  }

  #lost(cause?: unknown): void {
    this.#down(new ContactError('offline', 'unable to reach the service; the connection was lost', { cause }))
  }

  #down(error: ContactError): void {
    const events = this.#events
    const reached = this.#isReached
    this.close()
    events?.down(error, reached)
  }
}
