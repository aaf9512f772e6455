import type { Clock } from '../../protocol/index.ts'

/** A second page of the party takes a slot that nobody has taken by then, milliseconds. */
const LIMIT_MS = 10_000
/** The same where no other page of the party is there: one that is loaded anew comes back sooner. */
const ALONE_MS = 1_000

/**
 * Whether this page lets another one of its party go first, where the contact has gone on under another id,
 * and for how long.
 */
export class SecondPage {
  readonly #clock: Clock
  readonly #begin: () => void
  #isSecond = false
  #isFirstThere = false
  #limit: unknown
  #alone: unknown = null

  /** `begin`: the time is over. */
  constructor(clock: Clock, begin: () => void) {
    this.#clock = clock
    this.#begin = begin
  }

  /**
   * The contact goes on under another id. `isSecond`: another page of the party held the slot;
   * `isFirstThere`: it was connected then.
   */
  move(isSecond: boolean, isFirstThere: boolean): void {
    this.#stopTimers()
    this.#isSecond ||= isSecond
    this.#isFirstThere = isFirstThere
  }

  /** The page is about to take the slot. Returns whether it waits. */
  wait(isSlotFree: boolean): boolean {
    this.#isSecond &&= isSlotFree
    if (!this.#isSecond) return false
    this.#clock.clearTimeout(this.#limit)
    this.#limit = this.#clock.setTimeout(this.#begin, this.#isFirstThere ? LIMIT_MS : ALONE_MS)
    return true
  }

  /** Whether no other page of the party is known to be there now. */
  look(isAlone: boolean): void {
    if (!this.#isSecond) return
    if (isAlone) this.#alone ??= this.#clock.setTimeout(this.#begin, ALONE_MS)
    else this.#stopLooking()
  }

  /** The page waits no longer. Returns whether it has. */
  end(): boolean {
    const wasSecond = this.#isSecond
    this.#isSecond = false
    this.#stopTimers()
    return wasSecond
  }

  #stopTimers(): void {
    this.#clock.clearTimeout(this.#limit)
    this.#stopLooking()
  }

  #stopLooking(): void {
    this.#clock.clearTimeout(this.#alone)
    this.#alone = null
  }
}
