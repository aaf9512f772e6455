import { foldContact } from '../../../protocol/index.ts'
import type { ContactState, Entry } from '../../../protocol/index.ts'
import type { Page } from '../log/read-log.ts'

/** How the service noticed that it had missed entries. */
export type HealedBy = 'gap' | 'poll'

interface FoldParts {
  readonly read: (page: Page) => Promise<readonly Entry[]>
  /** Takes what follows in the log, in order. */
  readonly take: (fresh: readonly Entry[]) => void
  /** Entries were missed that did not come by themselves. */
  readonly onHealed: (by: HealedBy) => void
  readonly later: (run: () => void, delayMs: number) => void
  readonly onFault: (thrown: unknown) => void
}

interface Waiting {
  readonly after: number
  readonly run: (isReached: boolean) => void
}

const PAGE = 500
/** What comes from another node may arrive after what was stored later. */
const GAP_MS = 20
/** Entries that are kept until those before them are here. Of more, the rest is read from the log. */
const AHEAD_LIMIT = 1_000

/**
 * The stored entries of a contact that this node knows, folded in order, from wherever they come. What is
 * missing is read from the log, unless it arrives in a moment.
 */
export class ContactFold {
  readonly #parts: FoldParts
  readonly #ahead = new Map<number, Entry>()
  #waiting: Waiting[] = []
  #state: ContactState
  /** Number of the last entry that is known to exist. */
  #head: number
  #isWaiting = false
  #isMending = false
  #last: Entry | null = null

  constructor(state: ContactState, parts: FoldParts) {
    this.#parts = parts
    this.#state = state
    this.#head = state.seq
  }

  get state(): ContactState {
    return this.#state
  }

  /** The entry that ended the contact. */
  get last(): Entry | null {
    return this.#last
  }

  /** A state that was read from the store. */
  advance(state: ContactState): void {
    if (state.seq <= this.#state.seq) return
    this.#state = state
    this.#progress()
  }

  /** Entries as they come, those of one list in order. */
  take(entries: readonly Entry[]): void {
    const fresh: Entry[] = []
    for (const entry of entries) {
      this.#head = Math.max(this.#head, entry.seq)
      if (entry.seq === this.#state.seq + 1) this.#fold(entry, fresh)
      else if (entry.seq > this.#state.seq && this.#ahead.size < AHEAD_LIMIT)
        this.#ahead.set(entry.seq, entry)
    }
    for (let next = this.#following(); next; next = this.#following()) this.#fold(next, fresh)
    if (fresh.length > 0) this.#parts.take(fresh)
    this.#progress()
    if (!this.#isMending) this.reach(this.#head, 'gap')
  }

  /** The log has at least so many entries. */
  reach(head: number, by: HealedBy): void {
    this.#head = Math.max(this.#head, head)
    if (this.#state.seq >= this.#head || this.#isWaiting || this.#isMending) return
    this.#isWaiting = true
    this.#parts.later(() => {
      this.#isWaiting = false
      if (this.#state.seq >= this.#head) return
      this.#parts.onHealed(by)
      this.#mend()
    }, GAP_MS)
  }

  /**
   * Calls a function once the fold has the entry `after`, in the order of these calls: at once, or with what
   * brings the entry. Not reached: the log cannot be read, or does not have it.
   */
  at(after: number, run: (isReached: boolean) => void): void {
    if (this.#waiting.length === 0 && this.#state.seq >= after) return run(true)
    this.#waiting.push({ after, run })
    this.reach(after, 'gap')
  }

  /** The contact is open here no more. */
  close(): void {
    this.#giveUp()
    this.#head = this.#state.seq
  }

  #following(): Entry | undefined {
    return this.#ahead.size === 0 ? undefined : this.#ahead.get(this.#state.seq + 1)
  }

  #fold(entry: Entry, fresh: Entry[]): void {
    this.#ahead.delete(entry.seq)
    this.#state = foldContact(this.#state, entry).state
    if (entry.type === 'cleared') this.#last = entry
    fresh.push(entry)
  }

  #progress(): void {
    for (const seq of this.#ahead.keys()) if (seq <= this.#state.seq) this.#ahead.delete(seq)
    while (this.#waiting[0] && this.#waiting[0].after <= this.#state.seq) this.#waiting.shift()?.run(true)
  }

  #giveUp(): void {
    const given = this.#waiting
    this.#waiting = []
    for (const { run } of given) run(false)
  }

  #mend(): void {
    this.#isMending = true
    this.#readRest()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#isMending = false
        this.#giveUp()
      })
  }

  async #readRest(): Promise<void> {
    while (this.#state.seq < this.#head) {
      const after = this.#state.seq
      this.take(await this.#parts.read({ after, limit: PAGE }))
      if (this.#state.seq === after) return
    }
  }
}
