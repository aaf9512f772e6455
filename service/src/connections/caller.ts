import { ContactError } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { CheckToken } from '../auth/tokens.ts'
import type { Channel } from './channel.ts'
import type { Lease } from './lease.ts'
import type { OfferPushes } from './offer-pushes.ts'
import type { PacketSink } from './packet-sink.ts'
import { AnswerQueue } from './answer-queue.ts'

const CHANNELS_LIMIT = 200

interface CallerParts {
  /** Of this connection alone. */
  readonly id: string
  readonly sink: PacketSink
  /** Resolves when the service has stored the connection. */
  readonly ready: Promise<void>
  readonly lease: Lease
  /** Of an agent. */
  readonly offers?: OfferPushes | null
  /** Checks a token like the first token of the connection. */
  readonly check: CheckToken
}

/** One connection and its open channels. */
export class Caller {
  readonly id: string
  readonly sink: PacketSink
  readonly ready: Promise<void>
  readonly offers: OfferPushes | null
  /** Runs the calls whose answer may be large. */
  readonly largeAnswers: AnswerQueue
  readonly #lease: Lease
  readonly #check: CheckToken
  #principal: Principal
  /** A channel that is still opening is a Promise. */
  readonly #channels = new Map<string, Channel | Promise<Channel>>()
  readonly #calls = new Set<Promise<void>>()

  constructor(principal: Principal, { id, sink, ready, lease, offers = null, check }: CallerParts) {
    this.id = id
    this.#principal = principal
    this.sink = sink
    this.largeAnswers = new AnswerQueue(sink)
    this.ready = ready
    this.offers = offers
    this.#lease = lease
    this.#check = check
  }

  get principal(): Principal {
    return this.#principal
  }

  /**
   * Replaces the token with a new one of the same party.
   *
   * @throws {@link ContactError} `unauthorized`, `forbidden`, `offline`: the connection is gone
   */
  async renew(token: string): Promise<Principal> {
    const fresh = await this.#check(token)
    if (fresh.use !== this.#principal.use || fresh.id !== this.#principal.id)
      throw new ContactError(
        'forbidden',
        'unable to renew the connection; the token belongs to another party',
      )
    if (!this.sink.isOpen()) throw new ContactError('offline', 'unable to renew the connection; it is gone')
    this.#principal = fresh
    this.#lease.extend(fresh.expires)
    return fresh
  }

  /** Keeps a call until it has been answered. */
  answers(call: Promise<void>): void {
    this.#calls.add(call)
    void call.finally(() => this.#calls.delete(call))
  }

  /** Resolves when every call has been answered. */
  async answered(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls)
  }

  /**
   * Keeps a channel from the start of its opening until it closes, and removes it when opening fails.
   *
   * @throws {@link ContactError} `rate_limited`, `offline`: the connection is gone
   */
  async open(contact: string, session: string, opening: () => Promise<Channel>): Promise<Channel> {
    const key = `${contact} ${session}`
    if (!this.sink.isOpen())
      throw new ContactError('offline', 'unable to open the contact; the connection is gone')
    if (this.#channels.size >= CHANNELS_LIMIT && !this.#channels.has(key))
      throw new ContactError(
        'rate_limited',
        'unable to open the contact; this connection has too many channels',
      )
    const promise = opening()
    this.#channels.set(key, promise)
    const forget = (kept: Channel | Promise<Channel>): void =>
      void (this.#channels.get(key) === kept && this.#channels.delete(key))
    try {
      const channel = await promise
      if (this.#channels.get(key) === promise) this.#channels.set(key, channel)
      else channel.close()
      channel.whenClosed(() => forget(channel))
      return channel
    } catch (thrown) {
      forget(promise)
      throw thrown
    }
  }

  /**
   * Calls a function with the channel of a session on this connection, or with none. It runs in this turn if
   * the channel is open, so that calls keep their order.
   */
  async find<T>(contact: string, session: string, work: (channel: Channel | null) => Promise<T>): Promise<T> {
    const found = this.#channels.get(`${contact} ${session}`) ?? null
    const channel = found instanceof Promise ? await found.catch(() => null) : found
    return work(channel?.isClosed ? null : channel)
  }

  /** Whether a contact is open on this connection. */
  get hasOpen(): boolean {
    return [...this.#channels.values()].some((each) => !(each instanceof Promise) && !each.isClosed)
  }

  /**
   * Calls a function with every channel: in this turn with open ones, and with the others as soon as they are
   * open.
   */
  async eachChannel(run: (channel: Channel) => void): Promise<void> {
    const runFor = async (each: Channel | Promise<Channel>): Promise<void> => {
      const channel = each instanceof Promise ? await each.catch(() => null) : each
      if (channel) run(channel)
    }
    await Promise.all([...this.#channels.values()].map(runFor))
  }
}
