import type { Clock } from '../../protocol/index.ts'

/** The least pause: the service closes a connection of which it refuses more than ten calls a second. */
const LEAST_PAUSE_MS = 250
/** How many more frames may be under way for each that the service takes. */
const GROWTH = 1 / 32
/** The other side has frames sent again at most so often, milliseconds, and first so many. */
const RESEND_EVERY_MS = 1_000
const RESENT_AT_ONCE = 16

/**
 * How fast a relay sends, since each frame is a call of the service. After a refusal it pauses as long as the
 * service wants, goes on with half as many frames under way, and grows with each that is taken.
 */
export class RelayPace {
  readonly #clock: Clock
  /** Frames that the service has not answered, and how many that may be. */
  #underWay = 0
  #mayBeUnderWay = Number.POSITIVE_INFINITY
  #pause: unknown = null
  /** When frames were sent again because the other side had asked; the timer until the next time. */
  #resentAtMs = Number.NEGATIVE_INFINITY
  #resending: unknown = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a frame may be sent now. */
  get hasRoom(): boolean {
    return this.#pause === null && this.#underWay < this.#mayBeUnderWay
  }

  sent(): void {
    this.#underWay++
  }

  answered(): void {
    this.#underWay--
  }

  taken(): void {
    this.#mayBeUnderWay += GROWTH
  }

  /** The service finds it too fast: `goOn` is called after the pause. */
  refused(waitMs: number, goOn: () => void): void {
    if (this.#pause !== null) return
    this.#mayBeUnderWay = Math.max(1, Math.min(this.#mayBeUnderWay, this.#underWay) / 2)
    const end = (): void => {
      this.#pause = null
      goOn()
    }
    this.#pause = this.#clock.setTimeout(end, Math.max(waitMs, LEAST_PAUSE_MS))
  }

  /** The other side asks for frames again: calls `resend` now, or when it is time. */
  asked(resend: () => void): void {
    const waitMs = this.#resentAtMs + RESEND_EVERY_MS - this.#clock.now()
    const run = (): void => {
      this.#resending = null
      this.#resentAtMs = this.#clock.now()
      this.#mayBeUnderWay = Math.min(this.#mayBeUnderWay, RESENT_AT_ONCE)
      resend()
    }
    if (waitMs <= 0) run()
    else this.#resending ??= this.#clock.setTimeout(run, waitMs)
  }

  /** Another session is spoken to, or none. */
  reset(): void {
    for (const timer of [this.#pause, this.#resending]) if (timer !== null) this.#clock.clearTimeout(timer)
    this.#pause = this.#resending = null
    this.#underWay = 0
    this.#mayBeUnderWay = Number.POSITIVE_INFINITY
    this.#resentAtMs = Number.NEGATIVE_INFINITY
  }
}
