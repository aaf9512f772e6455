/**
 * One party of a secure contact as the checker runs it: the production encryption over a log that the service
 * shows to it alone. What it is follows from what it has read and what its user did.
 */
import type { Secrecy } from '../../../sdk/crypto/secrecy.ts'
import type { ContactState, Draft, Entry, Slot, UnsentEntry, Verification } from '../../../protocol/index.ts'
import type { Production } from './load.ts'
import { Randomness, drawing, signatureOf } from './symbols.ts'

export const CONTACT = 'c-1'
/** Public key of the organisation. */
export const ORGANISATION = new Uint8Array(32).fill(7)
/** Id of the agent, as the service names it. */
export const AGENT = 'ada'

/** What happens to a party. */
export type Happening =
  | { readonly type: 'read'; readonly entry: Entry }
  /** Its users have compared the codes. */
  | { readonly type: 'compared'; readonly isEqual: boolean }
  /** The page is loaded anew; the tab keeps its store. */
  | { readonly type: 'reload' }

export interface PartyOptions {
  readonly production: Production
  readonly slot: Slot
  /** The organisation signs the agent's keys, and visitors ask for that. */
  readonly isSigned: boolean
}

const OFF_CLOCK = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} }

/** A party in one moment of a run. */
export class Party {
  readonly slot: Slot
  readonly written: Draft[] = []
  readonly #options: PartyOptions
  readonly #random: Randomness
  readonly #store = new Map<string, string>()
  readonly #entries: Entry[] = []
  #page = 0
  #counter = 0
  #state: ContactState
  #secrecy: Secrecy | null = null
  /** An announcement of this session is on its way, or was read. */
  #isPresented = false

  constructor(options: PartyOptions) {
    this.#options = options
    this.slot = options.slot
    this.#random = new Randomness(options.slot)
    this.#state = this.#start()
    this.#open()
  }

  get session(): string {
    return `${this.slot}-${this.#page}`
  }

  get state(): ContactState {
    return this.#state
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get verification(): Verification {
    return (this.#secrecy as Secrecy).verification
  }

  /** Id of the newest key that it has agreed on; null where none is in use. */
  get key(): string | null {
    const { state } = this.verification
    return state === 'agreeing' || state === 'broken'
      ? null
      : (this.#ring.findLast(({ until }) => until === null)?.id ?? null)
  }

  /** Ids of all keys that it has agreed on. */
  get keys(): readonly string[] {
    return this.#ring.map(({ id }) => id)
  }

  get #ring(): readonly { readonly id: string; readonly until: number | null }[] {
    const kept = [...this.#store].find(([name]) => name.endsWith(':keys'))?.[1] ?? '[]'
    return JSON.parse(kept) as readonly { readonly id: string; readonly until: number | null }[]
  }

  /** Messages are sealed and read. */
  get isSecured(): boolean {
    return (this.#secrecy as Secrecy).key !== null
  }

  /** Secrets of its key pairs, by their public keys, the oldest first. */
  get pairs(): ReadonlyMap<string, string> {
    return this.#random.pairs
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.type === 'reload') {
      this.#page += 1
      this.#isPresented = false
      this.#counter = 0
      this.#open()
    } else if (happening.type === 'compared') {
      const secrecy = this.#secrecy as Secrecy
      this.#run(() => secrecy.verify(happening.isEqual))
    } else this.#read(happening.entry)
    await this.#settled()
  }

  /** What it writes without anybody having done anything. */
  async begun(): Promise<this> {
    await this.#settled()
    return this
  }

  #start = (): ContactState => this.#options.production.initialContactState(this.slot, { secure: true })

  #run = <T>(run: () => T): T => drawing(this.#random, run)

  #open(): void {
    const { production, isSigned } = this.#options
    const store = this.#store
    const before = this.#entries.splice(0)
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
      actor: { clock: OFF_CLOCK, id: 'encryption' },
      clock: OFF_CLOCK,
      trustedKeys: isSigned && this.slot === 'visitor' ? [production.base64(ORGANISATION)] : [],
      signKey:
        isSigned && this.slot === 'agent'
          ? ({ session, commit, key }: { session: string; commit: string; key: string }) =>
              this.#signature(session, commit, key)
          : undefined,
      // Node has a BroadcastChannel of its own, which would connect all worlds of the search.
      openTabs: () => null,
      place: () => ({
        id: CONTACT,
        session: this.session,
        seen,
        log: { state: { ...this.#state, agent: { user: AGENT } } },
      }),
      delivery: { emit: () => {} },
      onChange: () => {},
      write: (entry: UnsentEntry) => this.#write(entry),
      onRead: () => {},
      onBroken: () => {},
    }
    this.#run(() => {
      this.#secrecy = new production.Secrecy(CONTACT, undefined, host as never)
    })
    for (const entry of before) this.#read(entry)
  }

  #signature(session: string, commit: string, key: string) {
    const { production } = this.#options
    const bytes = (text: string) => production.fromBase64(text) ?? new Uint8Array()
    const message = production.shareToSign({
      contact: CONTACT,
      agent: AGENT,
      agentSession: session,
      commit: bytes(commit),
      agentKey: bytes(key),
    })
    return {
      signer: production.base64(ORGANISATION),
      signature: production.base64(signatureOf(message, ORGANISATION)),
    }
  }

  #read(entry: Entry): void {
    const secrecy = this.#secrecy as Secrecy
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

  /** The outbox: what is due is sealed and sent at once. */
  async #settled(): Promise<void> {
    this.#send()
    if (!this.#options.isSigned || this.slot !== 'agent') return
    // The organisation has signed.
    await new Promise((settle) => setImmediate(settle))
    this.#send()
  }

  #send(): void {
    const secrecy = this.#secrecy as Secrecy
    const holds = this.#state.shared.session[this.slot] === this.session
    if (!holds && !this.#isPresented) {
      this.#isPresented = true
      const after = this.#state.shared.session[this.slot]
      const body = { capabilities: { Media: {}, Mobile: false }, media: {}, after }
      this.#write({ id: `present-${this.session}`, type: 'present', body })
      for (const entry of this.#run(() => secrecy.due(true))) this.#write(entry)
    } else if (holds) for (const entry of this.#run(() => secrecy.due(false))) this.#write(entry)
  }

  #write(entry: UnsentEntry): void {
    const draft = { ...entry, session: this.session, counter: ++this.#counter } as Draft
    this.written.push(this.#run(() => (this.#secrecy as Secrecy).seal(draft)))
  }
}
