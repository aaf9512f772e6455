import type { Clock } from '../../protocol/index.ts'

/** A second page of the party takes a slot that nobody has taken by then, milliseconds. */
const LIMIT_MS = 10_000
/** The same where no other page of the party is there: one that is loaded anew comes back sooner. */
const ALONE_MS = 1_000

/** How long a page lets another one of its party go first, where the contact has gone on under another id. */
export class SecondPage {
  readonly #clock: Clock
  readonly #begin: () => void
  #limit: unknown
  #alone: unknown = null

  constructor(clock: Clock, begin: () => void) {
    this.#clock = clock
    this.#begin = begin
  }

  /** `isFirstThere`: the other page was connected when the contact went on. */
  wait(isFirstThere: boolean): void {
    this.#clock.clearTimeout(this.#limit)
    this.#limit = this.#clock.setTimeout(this.#begin, isFirstThere ? LIMIT_MS : ALONE_MS)
  }

  /** Whether no other page of the party is known to be there now. */
  look(isAlone: boolean): void {
    if (isAlone) this.#alone ??= this.#clock.setTimeout(this.#begin, ALONE_MS)
    else this.#stopLooking()
  }

  end(): void {
    this.#clock.clearTimeout(this.#limit)
    this.#stopLooking()
  }

  #stopLooking(): void {
    this.#clock.clearTimeout(this.#alone)
    this.#alone = null
  }
}
