import { ContactError } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import { hasLeft } from '../contacts/index.ts'
import type { CheckToken } from '../auth/tokens.ts'
import type { Channel, Outlet } from './channel.ts'
import type { Lease } from './lease.ts'

const CHANNELS_LIMIT = 200

interface CallerParts {
  readonly outlet: Outlet
  /** Resolves when the service has noted the connection. */
  readonly ready: Promise<void>
  readonly lease: Lease
  /** Checks a token as that of the connection was. */
  readonly check: CheckToken
}

/** One connection and what it has open. */
export class Caller {
  readonly outlet: Outlet
  readonly ready: Promise<void>
  readonly #lease: Lease
  readonly #check: CheckToken
  #principal: Principal
  /** Promises of those that are being opened. */
  readonly #channels = new Map<string, Channel | Promise<Channel>>()
  readonly #calls = new Set<Promise<void>>()
  /** Sessions that have left here. */
  readonly #left = new Set<string>()

  constructor(principal: Principal, { outlet, ready, lease, check }: CallerParts) {
    this.#principal = principal
    this.outlet = outlet
    this.ready = ready
    this.#lease = lease
    this.#check = check
  }

  get principal(): Principal {
    return this.#principal
  }

  /**
   * Goes on with a fresh token of the same party.
   *
   * @throws {@link ContactError} `unauthorized`, `forbidden`
   */
  async renew(token: string): Promise<Principal> {
    const fresh = await this.#check(token)
    if (fresh.use !== this.#principal.use || fresh.id !== this.#principal.id)
      throw new ContactError('forbidden', 'unable to renew the connection; the token belongs to another party')
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

  /** Keeps a channel that is being opened. One that fails to open is forgotten. */
  async open(contact: string, session: string, opening: Promise<Channel>): Promise<Channel> {
    const key = `${contact} ${session}`
    if (this.#channels.size >= CHANNELS_LIMIT && !this.#channels.has(key)) {
      opening.catch(() => {})
      throw new ContactError('rate_limited', 'unable to open the contact; this connection has too many channels')
    }
    this.#channels.set(key, opening)
    try {
      const channel = await opening
      if (this.#channels.get(key) === opening) this.#channels.set(key, channel)
      return channel
    } catch (thrown) {
      if (this.#channels.get(key) === opening) this.#channels.delete(key)
      throw thrown
    }
  }

  /**
   * Does something with the channel of a session on this connection: in this turn where it is open, so that calls keep their order.
   *
   * @throws {@link ContactError} `not_joined`, `left`
   */
  use<T>(contact: string, session: string, work: (channel: Channel) => Promise<T>): Promise<T> {
    return this.find(contact, session, (channel) => {
      if (this.#left.has(`${contact} ${session}`)) throw hasLeft()
      if (!channel || channel.isReplaced) throw new ContactError('not_joined', 'unable to use the contact; this connection has not opened it with this session')
      return work(channel)
    })
  }

  /** The same, whether there is one or not. */
  async find<T>(contact: string, session: string, work: (channel: Channel | null) => Promise<T>): Promise<T> {
    const found = this.#channels.get(`${contact} ${session}`) ?? null
    return work(found instanceof Promise ? await found.catch(() => null) : found)
  }

  /** The session has left: nothing more is taken from it. */
  leave({ contact, session }: Channel): void {
    this.#channels.delete(`${contact} ${session}`)
    this.#left.add(`${contact} ${session}`)
  }

  /** All channels, as soon as they are open. */
  async channels(): Promise<Channel[]> {
    const settled = await Promise.allSettled([...this.#channels.values()].map((each) => Promise.resolve(each)))
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }
}
