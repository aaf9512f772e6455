import type { Clock } from '../../protocol/index.ts'

/** At most so many answers in a period, milliseconds. */
const MOST = 16
const PERIOD_MS = 1_000

/**
 * Answers to frames that the other side may send as often as it likes: what is said of one subject replaces
 * what waits to be said of it, and all subjects together get 16 answers a second.
 */
export class Replies {
  readonly #clock: Clock
  /** By subject. */
  readonly #waiting = new Map<number | 'unable', () => void>()
  #sent = 0
  #timer: unknown = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `send` is called now, or when it is time. */
  answer(subject: number | 'unable', send: () => void): void {
    this.#waiting.set(subject, send)
    this.#timer ??= this.#clock.setTimeout(() => this.#next(), PERIOD_MS)
    this.#send()
  }

  /** What waits is not said any more. */
  stop(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#timer = null
    this.#sent = 0
    this.#waiting.clear()
  }

  #next(): void {
    this.#timer = null
    this.#sent = 0
    if (this.#waiting.size === 0) return
    this.#timer = this.#clock.setTimeout(() => this.#next(), PERIOD_MS)
    this.#send()
  }

  #send(): void {
    for (const [subject, send] of this.#waiting) {
      if (this.#sent >= MOST) return
      this.#sent++
      this.#waiting.delete(subject)
      send()
    }
  }
}
