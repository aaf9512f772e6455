import type { Clock, PastContact, Rating, Transport } from '../../protocol/index.ts'
import type { Contact, ContactOptions } from './contact.ts'
import type { TranscriptOptions, TranscriptPage } from './transcript.ts'

/** Keeps a few small strings over page loads. `localStorage` and `sessionStorage` fit. */
export interface KeyValueStore {
  /** The value, or null. */
  getItem(key: string): string | null
  /** Keeps a value; may throw where there is no room. */
  setItem(key: string, value: string): void
  /** Forgets a value. */
  removeItem(key: string): void
}

/** An observer as XState's own `inspect` takes it, for example that of `@statelyai/inspect`. */
export interface InspectionObserver {
  /** Called with each inspection event. */
  next?(event: unknown): void
}

/** Sees every event and snapshot of the machines: a function, or an observer. */
export type Inspect = InspectionObserver | NonNullable<InspectionObserver['next']>

/** Where the SDK says what it does. Never contents, never keys. */
export interface Log {
  /** For those who look for a fault. */
  debug(message: string, details?: Readonly<Record<string, unknown>>): void
  /** Something is wrong, and Duolog goes on. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** What the pages of visitors and of agents have in common. */
export interface PageOptions {
  /** Address of the service, for example `https://contact.example.org`. */
  readonly service: string
  /** Another way to reach the service, for example in memory. */
  readonly transport?: Transport
  /**
   * An XState inspection observer that sees every machine, and what is read of the log without what messages
   * say.
   */
  readonly inspect?: Inspect
  /** Silent by default. */
  readonly log?: Log
  /** `relay` uses TURN only. */
  readonly iceTransportPolicy?: 'all' | 'relay'
  /** Milliseconds that an offer of this page waits for its answer, 10,000 to 300,000. Default: 60,000. */
  readonly offerLifetime?: number
  /** Time from outside, for tests. */
  readonly clock?: Clock
}

/** How a visitor's page reaches the service. */
export interface ClientOptions extends PageOptions {
  /**
   * A visitor's token where the site issues them itself, or what gives a fresh one each time; else the
   * service does.
   */
  readonly token?: string | (() => string | Promise<string>)
  /**
   * Who the visitor is: a JWT of the site's own back end, or what gives a fresh one each time. The service checks
   * it (`--visitor-jwks`, `--visitor-secret`). The visitor is then the same one in every browser: `resumeContact`
   * finds their open contact, `history` those of before. Where it is refused, operations fail with `unauthorized`.
   */
  readonly identity?: string | (() => string | Promise<string>)
  /** Default: `localStorage`; memory where it is blocked. */
  readonly storage?: KeyValueStore
  /**
   * Public keys of the organisation (Ed25519, RFC 8032), base64 of 32 bytes each. Where they are given, a key
   * of an agent that none of them has signed, and that does not go on from one that was, breaks a secure
   * contact; one that is signed is `verified` by `organisation`.
   */
  readonly trustedKeys?: readonly string[]
  /**
   * After a transfer of a secure contact, this page tells the next agent what was said before, as far as it can
   * read it and up to 1 MiB of the newest: as an encrypted file, whose `attachment` has `kind: 'history'`. That
   * agent's `readTranscript` goes on in it. Default: false, and the next agent reads nothing of it.
   */
  readonly shareHistory?: boolean
}

/**
 * A visitor's page.
 *
 * Every operation that talks to the service can also give `unauthorized`, `protocol`, `rate_limited`,
 * `timeout` or `internal`; they are not repeated below.
 */
export interface Client {
  /**
   * Starts a contact. Resolves when it is stored and queued: texts may be sent from then on.
   *
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `invalid_offer`, `no_crypto` — `secure`
   *   is asked for and encryption is not available;
   * `invalid_state` — this page has a contact already; `offline`; `left` — the client is closed.
   * @example
   * ```ts
   * const client = createClient({ service: 'https://contact.example.org' })
   * const contact = await client.createContact({ nick: 'Robin' })
   * contact.on('text', ({ text, from_nick }) => console.log(from_nick, text))
   * ```
   */
  createContact(options?: ContactOptions): Promise<Contact>

  /**
   * Takes up the contact that an earlier page of this site left open.
   *
   * A secure contact whose log is not the one that the earlier page has read, or that was tampered with in
   * another way, is handed out all the same: its `verification.state` is `broken`, its event `error` tells
   * `tampered`, nothing is read or sent, and only `leave()` works. After that it is not taken up again.
   *
   * @returns `contact` null where there is none. `resumed`: it was taken up by this call. `answered`: the id of a
   *   contact for later that has ended while no page was there: `readTranscript` reads the answer, until the next
   *   `createContact`.
   * @throws {@link ContactError} `offline`, `left`
   * @example
   * ```ts
   * const { contact } = await client.resumeContact()
   * if (contact) console.log(`still talking: ${contact.id}`)
   * ```
   */
  resumeContact(): Promise<{
    readonly contact: Contact | null
    readonly resumed: boolean
    readonly answered?: string
  }>

  /**
   * Contacts of this visitor, the newest first, at most 20 of them: those of before, and one that is open. Of a
   * contact that went on after a transfer, only the last is among them.
   *
   * @param before cursor of an earlier page.
   * @returns `before` null where there is nothing more.
   * @throws `ContactError` `invalid_argument` — no such cursor; `offline`; `left` — the client is closed.
   * @example
   * ```ts
   * const { contacts } = await client.history()
   * for (const { id, agent } of contacts) console.log(agent, (await client.readTranscript(id)).messages)
   * ```
   */
  history(
    before?: string | null,
  ): Promise<{ readonly contacts: readonly PastContact[]; readonly before: string | null }>

  /**
   * What was said in a contact of `history`, as `readTranscript` of a contact. Nothing of a secure one can be read
   * again.
   *
   * @throws `ContactError` `invalid_argument` — no id of a contact, no such cursor, or a limit that is none;
   *   `not_found` — the visitor has no such contact; `offline`; `rate_limited`; `timeout`; `left` — the client is
   *   closed.
   * @example
   * ```ts
   * const { messages } = await client.readTranscript(id, { limit: 20 })
   * ```
   */
  readTranscript(id: string, options?: TranscriptOptions): Promise<TranscriptPage>

  /**
   * Rates a contact that is over, or that the visitor has left, until 24 hours after its end: the rating is the form
   * `rating` of the contact's data (`score`, `comment`). Another one takes the place of the one before. A page
   * without `identity` or `token` can rate the contact that it had last.
   *
   * @param rating `score` 1 to 5; `comment` of 1 to 2,048 characters.
   * @throws `ContactError` `invalid_argument` — no id of a contact, or no such rating; `too_large` — the
   *   comment, or the contact's forms leave no room; `not_found` — the visitor has no such contact; `invalid_state`
   *   — it is not over, went on under another id, or ended longer ago; `forbidden` — a comment about a secure
   *   contact, which would not be encrypted; `offline`; `left` — the client is closed.
   * @example
   * ```ts
   * contact.on('cleared', ({ id }) => client.rate(id, { score: 5, comment: 'Quick and kind' }))
   * ```
   */
  rate(id: string, rating: Rating): Promise<void>

  /**
   * Gives back the connection and everything else of this page. The contact goes on and can be resumed.
   *
   * @example
   * ```ts
   * await client.close()
   * ```
   */
  close(): Promise<void>
}
