import type { Clock } from '../../protocol/index.ts'

/** Whether Promises fulfil within a time. */
export class TimeLimit {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #timers = new Set<unknown>()

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Whether `settles` fulfils in time. */
  within(settles: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(() => done(false), this.#limitMs)
      this.#timers.add(timer)
      const done = (ok: boolean): void => {
        this.#clock.clearTimeout(timer)
        this.#timers.delete(timer)
        resolve(ok)
      }
      settles.then(
        () => done(true),
        () => done(false),
      )
    })
  }

  /** Nobody waits any longer. */
  stop(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer)
    this.#timers.clear()
  }
}
