import type { ServiceClock } from '../../service/src/clock/clock.ts'

interface Waiting {
  readonly at: number
  readonly run: () => void
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements ServiceClock {
  #now = Date.UTC(2026, 0, 1)
  readonly #waiting = new Set<Waiting>()

  now(): number {
    return this.#now
  }

  setTimeout(run: () => void, delayMs: number): unknown {
    const waiting = { at: this.#now + Math.max(0, delayMs), run }
    this.#waiting.add(waiting)
    // What is due now needs no moving of the clock.
    if (delayMs <= 0) setImmediate(() => this.#ring())
    return waiting
  }

  clearTimeout(handle: unknown): void {
    this.#waiting.delete(handle as Waiting)
  }

  /** Moves on and rings what is due, in order. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.at)
      this.#ring()
    }
    this.#now = until
  }

  #next(until: number): Waiting | undefined {
    return [...this.#waiting].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
  }

  #ring(): void {
    const due = [...this.#waiting].filter(({ at }) => at <= this.#now).toSorted((a, b) => a.at - b.at)
    for (const waiting of due) {
      if (!this.#waiting.delete(waiting)) continue
      waiting.run()
    }
  }
}
