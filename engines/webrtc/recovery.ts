import type { Clock } from '../../protocol/index.ts'

export interface RecoveryOptions {
  readonly clock: Clock
  /** Tries to find new paths. */
  readonly restart: () => void
  /** All tries are used up. */
  readonly giveUp: () => void
}

/** Waits before each try, milliseconds, from the loss or the try before. */
const TRIES_AFTER_MS = [0, 1_000, 2_000, 4_000, 8_000] as const
/** What the last try may take, milliseconds. */
const LAST_TRY_MS = 15_000

/** Tries again and again, ever more slowly, while the network is gone. */
export class Recovery {
  readonly #options: RecoveryOptions
  #timer: unknown
  #isRunning = false

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#tryAt(0)
  }

  stop(): void {
    this.#isRunning = false
    this.#options.clock.clearTimeout(this.#timer)
  }

  #tryAt(index: number): void {
    const { clock, restart, giveUp } = this.#options
    const delayMs = TRIES_AFTER_MS[index]
    const run = (): void => {
      if (!this.#isRunning) return
      if (delayMs === undefined) {
        this.stop()
        return giveUp()
      }
      restart()
      this.#tryAt(index + 1)
    }
    this.#timer = clock.setTimeout(run, delayMs ?? LAST_TRY_MS)
  }
}
