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

/** Keys of a generation; there are two. */
export const BUCKETS_LIMIT = 100_000

/** What many small sums may be off. */
const ROUNDING = 1e-6

/**
 * One bucket for each key. A cost above `burst` leaves a debt, of `burst` at most. A bucket that was not
 * touched for as long as it takes to fill is full, which is what an unknown one is: so keys stand in two
 * generations, each as long as that, and the older one is forgotten whole. No call ever looks at other keys.
 */
export class Buckets {
  readonly #rate: Rate
  readonly #clock: ServiceClock
  readonly #limit: number
  readonly #fillMs: number
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #since: number

  constructor(rate: Rate, clock: ServiceClock, limit = BUCKETS_LIMIT) {
    this.#rate = rate
    this.#clock = clock
    this.#limit = limit
    this.#fillMs = ((2 * rate.burst) / rate.perSecond) * 1_000
    this.#since = clock.now()
  }

  /** 0 where the cost was taken; else nothing was, and it is the time to wait in milliseconds. */
  take(key: string, cost = 1): number {
    const bucket = this.#fill(key)
    const waitMs = this.#waitFor(cost, bucket)
    if (waitMs === 0) bucket.level = Math.max(bucket.level - cost, -this.#rate.burst)
    return waitMs
  }

  /** The same, without taking anything. */
  waitOf(key: string, cost: number): number {
    return this.#waitFor(cost, this.#fill(key))
  }

  /** Keys that it knows. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #waitFor(cost: number, { level }: Bucket): number {
    const missing = Math.min(cost, this.#rate.burst) - level
    return missing > ROUNDING ? Math.ceil(((missing - ROUNDING) / this.#rate.perSecond) * 1_000) : 0
  }

  #fill(key: string): Bucket {
    const now = this.#clock.now()
    const { perSecond, burst } = this.#rate
    const bucket = this.#find(key, now) ?? this.#keep(key, { level: burst, at: now })
    bucket.level = Math.min(burst, bucket.level + (Math.max(0, now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    return bucket
  }

  #find(key: string, now: number): Bucket | undefined {
    // A clock that was set back begins anew.
    if (now < this.#since) this.#since = now
    if (now - this.#since >= this.#fillMs) this.#turn(now)
    const young = this.#young.get(key)
    if (young) return young
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    return this.#keep(key, old)
  }

  #keep(key: string, bucket: Bucket): Bucket {
    if (this.#young.size >= this.#limit) this.#turn(bucket.at)
    this.#young.set(key, bucket)
    return bucket
  }

  #turn(now: number): void {
    this.#old = now - this.#since >= 2 * this.#fillMs ? new Map() : this.#young
    this.#young = new Map()
    this.#since = now
  }
}
