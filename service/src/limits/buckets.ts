import type { ServiceClock } from '../clock/clock.ts'

/** Tokens that come back with time: `burst` at once, then `perSecond`. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  level: number
  at: number
}

/** Full buckets are forgotten when there are more than this. */
const SWEEP_SIZE = 10_000

/** What many small sums may be off. */
const ROUNDING = 1e-6

/** One bucket for each key. */
export class Buckets {
  readonly #rate: Rate
  readonly #clock: ServiceClock
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, clock: ServiceClock) {
    this.#rate = rate
    this.#clock = clock
  }

  /** 0 where the cost was taken; else nothing was, and it is the time to wait in milliseconds. */
  take(key: string, cost = 1): number {
    const bucket = this.#fill(key)
    const missing = Math.min(cost, this.#rate.burst) - bucket.level
    if (missing > ROUNDING) return this.#waitFor(missing)
    bucket.level -= cost
    return 0
  }

  /** Whether there is nothing left, without taking anything. */
  waitOf(key: string): number {
    const { level } = this.#fill(key)
    return level >= 1 - ROUNDING ? 0 : this.#waitFor(1 - level)
  }

  #waitFor(missing: number): number {
    return Math.ceil(((missing - ROUNDING) / this.#rate.perSecond) * 1_000)
  }

  #fill(key: string): Bucket {
    const now = this.#clock.now()
    const { perSecond, burst } = this.#rate
    const bucket = this.#buckets.get(key) ?? { level: burst, at: now }
    bucket.level = Math.min(burst, bucket.level + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    if (this.#buckets.size >= SWEEP_SIZE) this.#sweep(now)
    this.#buckets.set(key, bucket)
    return bucket
  }

  #sweep(now: number): void {
    for (const [key, { level, at }] of this.#buckets) if (level + ((now - at) / 1_000) * this.#rate.perSecond >= this.#rate.burst) this.#buckets.delete(key)
  }
}
