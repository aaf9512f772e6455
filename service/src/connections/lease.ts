import type { ServiceClock } from '../clock/clock.ts'

/** A connection outlives its token by the time that clocks may differ. */
const SKEW_MS = 30_000
/** The party is told so long before. */
const WARNING_MS = 30_000

interface LeaseParts {
  readonly clock: ServiceClock
  /** The token expires soon. */
  readonly warn: (expiresInMs: number) => void
  readonly end: () => void
}

/** A connection lasts as long as its token. */
export class Lease {
  readonly #parts: LeaseParts
  #timers: readonly unknown[] = []
  #stopped = false

  constructor(parts: LeaseParts, expires: number) {
    this.#parts = parts
    this.extend(expires)
  }

  /** Goes on with a token that expires then, unless it has been stopped. */
  extend(expires: number): void {
    if (this.#stopped) return
    const { clock, warn, end } = this.#parts
    this.#clear()
    const leftMs = expires - clock.now()
    const warning = clock.setTimeout(() => warn(Math.max(0, expires - clock.now())), leftMs - WARNING_MS)
    this.#timers = [warning, clock.setTimeout(end, leftMs + SKEW_MS)]
  }

  stop(): void {
    this.#stopped = true
    this.#clear()
  }

  #clear(): void {
    for (const timer of this.#timers) this.#parts.clock.clearTimeout(timer)
  }
}
