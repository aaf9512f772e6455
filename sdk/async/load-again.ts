import type { Clock } from '../../protocol/index.ts'

/** Code that could not be loaded is not asked for again in this time, unless the application needs it. */
const PAUSE_MS = 1_000
const LONGEST_MS = 30_000

/** The time, and what ends it: nobody wants the code any more. */
export interface LoadAgainOptions {
  readonly clock: Clock
  readonly over?: AbortSignal
}

/**
 * When code that could not be loaded is asked for again: 2 s after the first failure, then after twice as long
 * each time, up to 30 s.
 */
export class LoadAgain {
  readonly #options: LoadAgainOptions
  readonly #load: () => void
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #timer: unknown

  constructor(options: LoadAgainOptions, load: () => void) {
    this.#options = options
    this.#load = () => {
      this.#stop()
      if (!options.over?.aborted) load()
    }
  }

  /** Whether it failed since something waits for it. */
  get hasFailed(): boolean {
    return this.#failures > 0
  }

  /** Whether it failed just now. */
  get isPause(): boolean {
    return this.#options.clock.now() - this.#failedAt < PAUSE_MS
  }

  /** Asks for it: at once, or later where it failed just now. */
  ask(): void {
    if (!this.isPause) this.#load()
    else this.#timer ??= this.#options.clock.setTimeout(this.#load, PAUSE_MS)
  }

  /** It could not be loaded. `isWanted`: something waits for it still. */
  failed(isWanted: boolean): void {
    const { clock, over } = this.#options
    this.#failedAt = clock.now()
    this.#stop()
    if (!isWanted || over?.aborted) return this.rest()
    const delayMs = Math.min(LONGEST_MS, PAUSE_MS * 2 ** ++this.#failures)
    this.#timer = clock.setTimeout(this.#load, delayMs)
  }

  /** Nothing waits for it any more. */
  rest(): void {
    this.#failures = 0
    this.#stop()
  }

  #stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
