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
    const waitMs = this.#waitFor(cost, bucket)
    if (waitMs === 0) bucket.level -= cost
    return waitMs
  }

  /** The same, without taking anything. */
  waitOf(key: string, cost: number): number {
    return this.#waitFor(cost, this.#fill(key))
  }

  #waitFor(cost: number, { level }: Bucket): number {
    const missing = Math.min(cost, this.#rate.burst) - level
    return missing > ROUNDING ? Math.ceil(((missing - ROUNDING) / this.#rate.perSecond) * 1_000) : 0
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
