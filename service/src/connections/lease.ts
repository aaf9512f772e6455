import type { ServiceClock } from '../clock/clock.ts'

/** How much longer than its token a connection lives, because clocks differ. */
const SKEW_MS = 30_000
/** How long before the expiry the party is told. */
const WARNING_MS = 30_000

interface LeaseParts {
  readonly clock: ServiceClock
  /** Called when the token expires soon. */
  readonly warn: (expiresInMs: number) => void
  readonly end: () => void
}

/** Ends a connection when its token expires. */
export class Lease {
  readonly #parts: LeaseParts
  #timers: readonly unknown[] = []
  #stopped = false

  constructor(parts: LeaseParts, expires: number) {
    this.#parts = parts
    this.extend(expires)
  }

  /** Continues with a token that expires at that time, unless the lease was stopped. */
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
