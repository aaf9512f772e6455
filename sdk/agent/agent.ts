import type {
  AgentPresence,
  Colleague,
  ContactError,
  ContactNote,
  Distribution,
  ListenOptions,
  Rating,
  Unsubscribe,
} from '../../protocol/index.ts'
import type { Contact } from '../api/contact.ts'
import type { DeskOperations } from './desk-operations.ts'

/** Events of an agent, each with the one argument its handlers get. */
export interface AgentEvents {
  /**
   * A contact is offered: `accept` or `decline` it within `expiresInMs`. An offer is told once, and once more
   * after each loss of the connection while it stands.
   */
  distribution: Distribution
  /**
   * An offered contact is no longer to be had: `taken` and `declined` also on another page of this agent.
   * `expired` also where it went while there was no connection: what
   * still stands then is told again by `distribution`, before `online`.
   */
  withdrawn: {
    readonly id: string
    readonly reason: 'taken' | 'declined' | 'expired' | 'cleared'
    /** This agent has taken it, on another page: `contacts` has it. */
    readonly own?: boolean
  }
  /** What the visitor of an offered contact wrote first, after the offer was made: its beginning. */
  question: { readonly id: string; readonly text: string }
  /** A note about a contact of this agent, from any of their pages. */
  note: { readonly id: string; readonly note: ContactNote }
  /**
   * The visitor has rated a contact that this agent had last. The contact is over for the agent's page, whose
   * `data` stays as it was; its record has the rating as the form `rating`.
   */
  rating: { readonly id: string } & Rating
  /**
   * The agent to whom this agent has handed a contact (`id`: under which it goes on) does not take it: others
   * are asked.
   */
  declined: { readonly id: string; readonly user: string; readonly nick: string }
  /** The service has paused this agent, who let an offer expire; `ready` ends it. */
  paused: { readonly reason: 'expired' }
  /**
   * What this agent takes, after a change by any of their pages, and as this page begins while they are ready. A
   * reconnection says it again.
   */
  presence: AgentPresence
  /** `online` once the service knows this agent again. */
  connection: { readonly state: 'connecting' | 'online' | 'offline' }
  /** Something is wrong that belongs to no call. */
  error: ContactError
}

/** Whom a contact is handed to: one agent, or those who have all of the tags; an empty list is everybody. */
export type TransferTarget =
  | { readonly toAgent: string; readonly toTags?: never }
  | { readonly toTags: readonly string[]; readonly toAgent?: never }

/** How a contact is handed on. */
export interface TransferNote {
  /** For who takes the contact: never told to the visitor. At most 2,048 characters. */
  readonly note?: string
}

/** What an agent takes when ready. */
export type ReadyOptions = Omit<AgentPresence, 'state'>

/** How a contact is taken. */
export interface AcceptOptions {
  /**
   * Also a contact that waits and was not offered to this agent, where a third party routes contacts. Needs
   * the right `join:force` in the token.
   */
  readonly force?: boolean
}

/**
 * An agent at work: presence, distribution and the contacts that they have taken.
 *
 * Every operation that talks to the service can also give `unauthorized`, `protocol`, `rate_limited`,
 * `timeout` or `internal`; they are not repeated below.
 */
export interface Agent extends DeskOperations {
  /**
   * Calls `handler` with each event of that name until `off`, or until `signal` is aborted.
   *
   * @returns a function that takes the handler off.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * agent.on('distribution', ({ id, nick, expiresInMs }) => console.log(id, nick, expiresInMs))
   * ```
   */
  on<E extends keyof AgentEvents>(
    event: E,
    handler: (event: AgentEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe
  /**
   * Stops calling `handler`; without one, every handler of the event.
   *
   * @example
   * ```ts
   * agent.off('distribution')
   * ```
   */
  off<E extends keyof AgentEvents>(event: E, handler?: (event: AgentEvents[E]) => void): void
  /**
   * Calls `handler` with the next event of that name only.
   *
   * @returns as `on`.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * agent.once('paused', () => console.log('an offer was not answered in time'))
   * ```
   */
  once<E extends keyof AgentEvents>(
    event: E,
    handler: (event: AgentEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe

  /**
   * Takes contacts from now on, also after a reconnection.
   *
   * @throws {@link ContactError} `offline`, `invalid_argument`, `too_large`, `left` — the agent is closed.
   * @example
   * ```ts
   * await agent.ready({ media: { Voice: true, Video: false }, capacity: 3, tags: ['bills'] })
   * ```
   */
  ready(options?: ReadyOptions): Promise<void>

  /**
   * Takes no more contacts; those taken go on.
   *
   * @throws {@link ContactError} `offline`, `left`
   * @example
   * ```ts
   * await agent.pause()
   * ```
   */
  pause(): Promise<void>

  /**
   * Takes an offered contact. It is assigned then, and entered by `join`.
   *
   * @throws {@link ContactError} `not_assigned` — taken by another, expired, over or never offered;
   *   `not_found` — there is no such contact; `invalid_argument`, `too_large` — of `id`;
   * `forbidden` — `force` without the right `join:force`; `invalid_state` — this agent has as many contacts
   * as their capacity; `offline`; `left`.
   * @example
   * ```ts
   * agent.on('distribution', async ({ id }) => {
   *   const contact = await agent.accept(id)
   *   await contact.join()
   * })
   * ```
   */
  accept(id: string, options?: AcceptOptions): Promise<Contact>

  /**
   * Lets an offered contact go on to another agent.
   *
   * @throws {@link ContactError} `not_assigned` — it is not offered; `not_found`, `invalid_argument`,
   *   `too_large`, `offline`, `left`
   * @example
   * ```ts
   * agent.on('distribution', ({ id, secure }) => {
   *   if (secure) void agent.decline(id)
   * })
   * ```
   */
  decline(id: string): Promise<void>

  /**
   * Hands a contact on. Once joined it goes on under a new id (the visitor's `Contact` follows by itself,
   * Native media stay, all others are off), and this agent's part in it ends with the event `transferred`;
   * one that is not joined yet keeps its id.
   *
   * @returns the id under which it goes on.
   * @throws {@link ContactError} `invalid_argument` — the target is neither one agent nor tags, or is this
   *   agent; `not_found` — there is no such agent;
   * `not_assigned` — this agent does not have the contact; `forbidden` — a note about a secure contact, which
   * would not be encrypted; `too_large`; `offline`; `left`.
   * @example
   * ```ts
   * const id = await agent.transfer(contact.id, { toTags: ['bills'] }, { note: 'Wants a refund' })
   * ```
   */
  transfer(id: string, to: TransferTarget, options?: TransferNote): Promise<string>

  /**
   * Agents who are connected, this one apart, at most 200: those who are ready first, by their nick.
   *
   * @throws {@link ContactError} `offline`, `left`
   * @example
   * ```ts
   * const free = (await agent.colleagues()).filter(({ state }) => state === 'ready')
   * ```
   */
  colleagues(): Promise<readonly Colleague[]>

  /**
   * Writes a note about a contact of this agent: for agents, never told to the visitor. At most 2,048
   * characters. The event `note` tells it to all pages of this agent.
   *
   * @throws {@link ContactError} `invalid_argument`, `too_large`; `not_found`; `not_assigned`; `forbidden` — the
   *   contact is secure, and the note would not be encrypted, or it has 1,000 notes; `offline`; `left`
   * @example
   * ```ts
   * await agent.note(contact.id, 'Has called twice about this')
   * ```
   */
  note(id: string, text: string): Promise<ContactNote>

  /**
   * Notes about a contact of this agent and about those that it went on from: the newest 200, the oldest first.
   *
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `not_assigned`, `offline`, `left`
   * @example
   * ```ts
   * for (const { nick, text } of await agent.notes(contact.id)) console.log(nick, text)
   * ```
   */
  notes(id: string): Promise<readonly ContactNote[]>

  /**
   * Contacts that this agent has taken and that are not over, ready to be joined (again).
   *
   * @throws {@link ContactError} `offline`, `left`
   * @example
   * ```ts
   * for (const contact of await agent.contacts()) await contact.join()
   * ```
   */
  contacts(): Promise<Contact[]>

  /**
   * Leaves nothing behind on this page; contacts are not ended and can be taken up again by `contacts`.
   *
   * @example
   * ```ts
   * window.addEventListener('pagehide', () => void agent.close())
   * ```
   */
  close(): Promise<void>
}
