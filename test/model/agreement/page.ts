/**
 * One page of a party as the checker runs it: the production encryption over a log that the service shows to this
 * page alone. What it is follows from what it has read, what its user did and what other tabs have told it.
 */
import type { Secrecy } from '../../../sdk/crypto/secrecy.ts'
import type { OpenTabs } from '../../../sdk/client/page-tabs.ts'
import type { ContactState, Draft, Entry, Slot, UnsentEntry, Verification } from '../../../protocol/index.ts'
import type { Production } from './load.ts'
import type { Randomness } from './symbols.ts'
import { drawing, signatureOf } from './symbols.ts'

/** Contacts: before a transfer and after it. */
export const CONTACTS = ['c-1', 'c-2'] as const
/** Public key of the organisation. */
export const ORGANISATION = new Uint8Array(32).fill(7)
/** Id of the agent of a contact, as the service names it. */
export const agentOf = (contact: string): string => (contact === CONTACTS[0] ? 'ada' : 'bob')

/** How long a page waits for other tabs (`sdk/crypto/tabs.ts`). Nothing else is timed here. */
const ASKING_MS = 200

/** A key as the page's tab keeps it. */
export interface StoredKey {
  readonly id: string
  readonly until: number | null
  readonly resume: string | null
}

export interface PageOptions {
  readonly production: Production
  readonly slot: Slot
  /** The organisation signs the agent's keys, and visitors ask for that. */
  readonly isSigned: boolean
  readonly random: Randomness
  /** Name of a session that nobody had. */
  readonly newSession: () => string
  /** What all pages of the party have written. */
  readonly written: Draft[]
  readonly openTabs: OpenTabs
  readonly contact: string
  /** Contact in which this tab was before, where it is in it again under another id. */
  readonly before?: string
  /** The tab's storage. */
  readonly store: Map<string, string>
  /** Other tabs of the party may have keys. */
  readonly isResumed: boolean
  /** What the service shows at once, as it showed it to another tab. */
  readonly log?: readonly Entry[]
}

/** A page in one moment of a run. */
export class Page {
  readonly slot: Slot
  session: string
  contact: string
  readonly #options: PageOptions
  readonly #entries: Entry[] = []
  readonly #limits = new Set<() => void>()
  #counter = 0
  #state: ContactState
  #secrecy!: Secrecy
  /** An announcement of this session is on its way, or was read. */
  #isPresented = false

  constructor(options: PageOptions) {
    this.#options = options
    this.slot = options.slot
    this.contact = options.contact
    this.session = options.newSession()
    this.#state = this.#start()
    this.#open(options.log ?? [], options.isResumed)
  }

  get state(): ContactState {
    return this.#state
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get verification(): Verification {
    return this.#secrecy.verification
  }

  /** Id of the key that it has agreed on with the other party, or has taken over; null where none is in use. */
  get key(): string | null {
    if (this.verification.state === 'changed')
      return this.ring.findLast(({ until }) => until === null)?.id ?? null
    return this.#secrecy.key
  }

  get ring(): readonly StoredKey[] {
    const kept = this.#options.store.get(`duolog:s:${this.contact}:keys`) ?? '[]'
    return JSON.parse(kept) as readonly StoredKey[]
  }

  /** The tab's storage. */
  get store(): Map<string, string> {
    return this.#options.store
  }

  /** Messages are sealed and read. */
  get isSecured(): boolean {
    return this.#secrecy.key !== null
  }

  /** Frames go from page to page. */
  get mayRelay(): boolean {
    return this.#secrecy.mayRelay
  }

  read(entry: Entry): void {
    const secrecy = this.#secrecy
    const before = this.#state
    this.#entries.push(entry)
    this.#run(() => {
      if (!secrecy.check(entry, before)) return
      const { state, fact } = this.#options.production.foldContact(before, entry)
      this.#state = state
      const read = { entry, fact, before, after: state, answered: null }
      secrecy.read(secrecy.open(read))
    })
  }

  /** The page is loaded anew; the tab keeps its storage. */
  reload(): void {
    this.#secrecy.end(false)
    this.#goOn()
    this.#open(this.#entries.splice(0), true)
  }

  /** The contact goes on under another id. */
  transfer(contact: string): void {
    this.contact = contact
    this.#entries.splice(0)
    this.#goOn()
    this.#state = this.#start()
    this.#run(() => this.#secrecy.begin())
  }

  /** Its users have compared the codes, which are equal. */
  compared(): void {
    this.#run(() => this.#secrecy.verify(true))
  }

  /** Its user goes on without having compared. */
  accepted(): void {
    this.#run(() => this.#secrecy.acceptKey())
  }

  /** This page's part has ended. */
  end(isOver: boolean): void {
    this.#run(() => this.#secrecy.end(isOver))
  }

  /** Nobody has answered in time. */
  limitIsOver(): void {
    for (const run of this.#limits) {
      this.#limits.delete(run)
      this.#run(run)
    }
  }

  /** The outbox: what is due is sealed and sent at once. */
  send(): void {
    const secrecy = this.#secrecy
    const after = this.#state.shared.session[this.slot]
    const holds = after === this.session
    if (!holds && !this.#isPresented) {
      this.#isPresented = true
      const body = { capabilities: { Media: {}, Mobile: false }, media: {}, after }
      this.#write({ id: `present-${this.session}`, type: 'present', body })
      for (const entry of this.#run(() => secrecy.due(true))) this.#write(entry)
    } else if (holds) for (const entry of this.#run(() => secrecy.due(false))) this.#write(entry)
  }

  #goOn(): void {
    this.session = this.#options.newSession()
    this.#isPresented = false
    this.#counter = 0
  }

  #start = (): ContactState => this.#options.production.initialContactState(this.slot, { secure: true })

  #run = <T>(run: () => T): T => drawing(this.#options.random, run)

  #clock = {
    now: () => 0,
    setTimeout: (run: () => void, ms: number): unknown => {
      if (ms === ASKING_MS) this.#limits.add(run)
      return run
    },
    clearTimeout: (run: unknown): void => void this.#limits.delete(run as () => void),
  }

  #open(before: readonly Entry[], isResumed: boolean): void {
    const { production, isSigned, store, openTabs } = this.#options
    this.#state = this.#start()
    const seen = before.length
    const host = {
      role: this.slot,
      service: 's',
      store: {
        getItem: (key: string) => store.get(key) ?? null,
        setItem: (key: string, value: string) => void store.set(key, value),
        removeItem: (key: string) => void store.delete(key),
      },
      actor: { clock: this.#clock, id: 'encryption' },
      clock: this.#clock,
      trustedKeys: isSigned && this.slot === 'visitor' ? [production.base64(ORGANISATION)] : [],
      signKey:
        isSigned && this.slot === 'agent'
          ? ({ session, commit, key }: { session: string; commit: string; key: string }) =>
              this.#signature(session, commit, key)
          : undefined,
      openTabs,
      isResumed,
      place: () => ({
        id: this.contact,
        session: this.session,
        seen,
        log: { state: { ...this.#state, agent: { user: agentOf(this.contact) } } },
      }),
      delivery: { emit: () => {}, inTurn: (run: () => void) => run() },
      onChange: () => {},
      write: (entry: UnsentEntry) => this.#write(entry),
      onRead: () => {},
      onBroken: () => {},
    }
    this.#run(() => {
      this.#secrecy = new production.Secrecy(this.contact, this.#options.before, host as never)
    })
    for (const entry of before) this.read(entry)
  }

  #signature(session: string, commit: string, key: string) {
    const { production } = this.#options
    const bytes = (text: string) => production.fromBase64(text) ?? new Uint8Array()
    const message = production.shareToSign({
      contact: this.contact,
      agent: agentOf(this.contact),
      agentSession: session,
      commit: bytes(commit),
      agentKey: bytes(key),
    })
    return {
      signer: production.base64(ORGANISATION),
      signature: production.base64(signatureOf(message, ORGANISATION)),
    }
  }

  #write(entry: UnsentEntry): void {
    const draft = { ...entry, session: this.session, counter: ++this.#counter } as Draft
    this.#options.written.push(this.#run(() => this.#secrecy.seal(draft)))
  }
}
