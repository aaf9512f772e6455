import type { Clock } from '../../protocol/index.ts'

/** So often a message that is on its way counts as heard, milliseconds. */
const SIGN_MS = 3_000
/** A line carries this at least, bytes each millisecond: half of 32 kbit/s. */
const SLOWEST = 2

/** How long a message of so many bytes may take on the slowest line, milliseconds. */
export const longestMs = (bytes: number): number => bytes / SLOWEST

/**
 * A large message that the service has announced: a browser shows no part of it before it is whole, so until then
 * the line counts as heard.
 */
export class LargeMessage {
  readonly #clock: Clock
  readonly #heard: () => void
  #until = 0
  #timer: unknown

  constructor(clock: Clock, heard: () => void) {
    this.#clock = clock
    this.#heard = heard
  }

  /** It is on its way. */
  coming(bytes: number): void {
    this.came()
    this.#until = this.#clock.now() + longestMs(bytes)
    this.#wait()
  }

  /** It is here, or the connection is gone. */
  came(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(): void {
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#clock.now() > this.#until) return this.came()
      this.#heard()
      this.#wait()
    }, SIGN_MS)
  }
}
