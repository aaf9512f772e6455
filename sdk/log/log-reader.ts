import { foldEntry, initialContactState } from '../../protocol/index.ts'
import type { ContactState, Entry, Fact, FoldedContact, MediaOffer, Slot } from '../../protocol/index.ts'
import { contain } from '../async/contain.ts'
import { ReplayLimit } from './replay-limit.ts'
import type { EntryLine } from './replay-limit.ts'

/** An entry that a page has read: its number and id. */
export interface KnownEntry {
  readonly seq: number
  readonly id: string
}

/** One entry with the fold before and after it. */
export interface ReadEntry {
  readonly entry: Entry
  readonly fact: Fact
  readonly before: ContactState
  readonly after: ContactState
  /** Of a transition by an answer: the offer that was answered. Null where this page has not read it. */
  readonly answered: MediaOffer | null
  /** Of a secure contact: there is nothing to tell of it, as it was not sealed or cannot be read. */
  readonly isUntold?: true
  /** Of a secure contact: an earlier page of the tab has held its events, which are still to come. */
  readonly isLate?: true
  /** Of a secure contact: id of the key that it is sealed with. */
  readonly key?: string
}

/** What the log asks of the encryption of a secure contact. */
export interface LogGuard {
  /**
   * Looks at an entry before it is folded. False: its key may still come, and it waits.
   * @throws {@link ContactError} `tampered`
   */
  check(entry: Entry, before: ContactState): boolean
  /** Folds an entry into the contact. */
  readonly fold: (before: ContactState, entry: Entry) => FoldedContact
  /** What was read, with its members decrypted; void where it is not to be told. */
  open(read: ReadEntry): ReadEntry
}

export interface ContactLogOptions {
  readonly reader: Slot
  /** The contact's first offer, relative to the agent. */
  readonly initialOffer: MediaOffer | undefined
  readonly secure?: boolean
  /** What is known already; all is read without. */
  readonly from?: ContactState | undefined
  /** Of a secure contact. */
  readonly guard?: LogGuard | null | undefined
  readonly onEntry: (read: ReadEntry) => void
  /**
   * Entries are missing: the channel has to be opened again. `isAwaited`: they are of what is being waited for
   * since it was opened.
   */
  readonly onGap: (isAwaited: boolean) => void
  /** Over which entries come; without it, what is waited for is waited for without a limit. */
  readonly line?: EntryLine | undefined
}

/** Reads a contact's log: each entry once, in order, without gaps. */
export class ContactLog {
  readonly #onEntry: (read: ReadEntry) => void
  readonly #onGap: (isAwaited: boolean) => void
  readonly #guard: LogGuard | null | undefined
  readonly #limit: ReplayLimit | undefined
  #state: ContactState
  #last: KnownEntry | null = null
  /** What waits behind an entry whose key may still come. */
  #held: Entry[] | null = null
  #isStopped = false
  #answered: MediaOffer | null = null
  #caughtUp: { readonly head: number; readonly resolve: () => void }[] = []

  constructor({ reader, from, guard, onEntry, onGap, line, ...start }: ContactLogOptions) {
    this.#limit = line && new ReplayLimit(line, () => onGap(true))
    this.#guard = guard
    this.#state = from ?? initialContactState(reader, start)
    this.#onEntry = onEntry
    this.#onGap = onGap
  }

  get state(): ContactState {
    return this.#state
  }

  /** The last entry that was read; null where none was. */
  get last(): KnownEntry | null {
    return this.#last
  }

  /** Entries that were read before are passed over; a gap is reported, and what follows it left alone. */
  receive(entries: readonly Entry[]): void {
    if (this.#held) return void this.#held.push(...entries)
    for (const [at, entry] of entries.entries()) {
      if (entry.seq <= this.#state.seq) continue
      if (this.#isStopped) return
      if (entry.seq > this.#state.seq + 1) return this.#onGap(this.#caughtUp.length > 0)
      const before = this.#state
      if (this.#guard?.check(entry, before) === false) {
        this.#held = entries.slice(at)
        return this.#limit?.end()
      }
      const { state, fact } = (this.#guard?.fold ?? foldEntry)(before, entry)
      this.#state = state
      this.#last = { seq: entry.seq, id: entry.id }
      const { phase } = before.shared
      if (fact.kind === 'transiting') this.#answered = phase.name === 'offered' ? phase.offer : null
      const read = { entry, fact, before, after: state, answered: this.#answered }
      this.#tell(this.#guard?.open(read) ?? read)
    }
    const reached = this.#caughtUp.filter(({ head }) => head <= this.#state.seq)
    this.#caughtUp = this.#caughtUp.filter((waiting) => !reached.includes(waiting))
    for (const { resolve } of reached) resolve()
    this.#look()
  }

  /** What waited for a key is read. */
  goOn(): void {
    const held = this.#held ?? []
    this.#held = null
    this.receive(held)
  }

  /** Nothing is read any more, and nobody waits for it. */
  stop(): void {
    this.#isStopped = true
    this.#limit?.end()
    for (const { resolve } of this.#caughtUp.splice(0)) resolve()
  }

  /** What fails at one entry keeps nobody from the next. */
  #tell(read: ReadEntry): void {
    contain(() => this.#onEntry(read))
  }

  /** Resolves when everything up to `head` has been read. */
  reaches(head: number): Promise<void> {
    if (this.#isStopped || head <= this.#state.seq) return Promise.resolve()
    const reached = new Promise<void>((resolve) => this.#caughtUp.push({ head, resolve }))
    this.#look()
    return reached
  }

  /** What waits for its key is not lost. */
  #look(): void {
    if (this.#caughtUp.length > 0 && !this.#held) this.#limit?.begin()
    else this.#limit?.end()
  }
}
