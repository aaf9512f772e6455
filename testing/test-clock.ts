import type { Clock } from '../protocol/index.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** Time that stands still until a test moves it. */
export class TestClock implements Clock {
  #now = 0
  #order = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#now
  }

  setTimeout(run: () => void, delayMs: number): unknown {
    const timer = { at: this.#now + Math.max(0, delayMs), order: ++this.#order, run }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer)
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.size
  }

  /** Moves time on; timers run in order, and what they set off settles before the next one runs. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (let timer = this.#due(end); timer; timer = this.#due(end)) {
      this.#timers.delete(timer)
      this.#now = timer.at
      timer.run()
      await settled()
    }
    this.#now = end
  }

  #due(end: number): Timer | undefined {
    return [...this.#timers]
      .filter(({ at }) => at <= end)
      .toSorted((a, b) => a.at - b.at || a.order - b.order)[0]
  }
}

/** What the kit waits for outside of memory: the bytes of a file, a digest. */
const outside = new Set<Promise<unknown>>()

/** Lets `settled` wait for work that takes the time of the machine. */
export async function awaited<T>(work: Promise<T>): Promise<T> {
  outside.add(work)
  try {
    return await work
  } finally {
    outside.delete(work)
  }
}

/** Resolves when everything that is under way has come to rest. */
export async function settled(): Promise<void> {
  do {
    await Promise.allSettled(outside)
    for (let task = 0; task < 4; task++) await new Promise((resolve) => setTimeout(resolve))
  } while (outside.size > 0)
}
