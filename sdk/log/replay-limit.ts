import type { Clock } from '../../protocol/index.ts'

/** After so much silence, entries that are waited for count as lost: as long as the replay on a new connection. */
const SILENT_MS = 15_000
/** So long at most they may be behind something else that arrives. */
const BEHIND_MS = 120_000

/** The connection over which entries come. */
export interface EntryLine {
  readonly clock: Clock
  /** Milliseconds since something arrived. */
  readonly silentMs: number
}

/** Notices that entries for which a page waits do not come. */
export class ReplayLimit {
  readonly #line: EntryLine
  readonly #onLost: () => void
  #since = 0
  #timer: unknown

  constructor(line: EntryLine, onLost: () => void) {
    this.#line = line
    this.#onLost = onLost
  }

  /** Entries are waited for, or some of them came. */
  begin(): void {
    this.end()
    this.#since = this.#line.clock.now()
    this.#wait(SILENT_MS)
  }

  /** Nothing is waited for. */
  end(): void {
    this.#line.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    this.#timer = this.#line.clock.setTimeout(() => {
      const { clock, silentMs } = this.#line
      const waited = clock.now() - this.#since
      const left = Math.min(SILENT_MS - Math.min(silentMs, waited), BEHIND_MS - waited)
      if (left > 0) return this.#wait(left)
      this.begin()
      this.#onLost()
    }, ms)
  }
}
