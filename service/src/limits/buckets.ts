import type { ServiceClock } from '../clock/clock.ts'

/** Tokens that come back with time: `burst` at once, then `perSecond`. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  level: number
  at: number
  /** Taken here since the other nodes were told. */
  untold: number
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
  readonly #clock: Pick<ServiceClock, 'now'>
  readonly #limit: number
  readonly #fullMs: number
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #since: number
  /** Keys below half of which the other nodes have not been told everything. */
  readonly #low = new Map<string, Bucket>()
  /** How many nodes share the rate, none of which hears of the others; null: there is nobody to tell. */
  #nodes: number | null = null

  constructor(rate: Rate, clock: Pick<ServiceClock, 'now'>, limit = BUCKETS_LIMIT) {
    this.#rate = rate
    this.#clock = clock
    this.#limit = limit
    this.#fullMs = ((2 * rate.burst) / rate.perSecond) * 1_000
    this.#since = clock.now()
  }

  /** 0 where the cost was taken; else nothing was, and it is the time to wait in milliseconds. */
  take(key: string, cost = 1): number {
    const bucket = this.#fill(key)
    const waitMs = this.#waitFor(cost, bucket)
    if (waitMs > 0) return waitMs
    this.#spend(bucket, cost)
    bucket.untold += cost
    const isLow = this.#nodes !== null && bucket.level < this.#rate.burst / 2
    if (isLow && this.#low.size < this.#limit) this.#low.set(key, bucket)
    return 0
  }

  /** The same, without taking anything. */
  waitOf(key: string, cost: number): number {
    return this.#waitFor(cost, this.#fill(key))
  }

  /** Counts what was taken at another node. */
  spent(key: string, cost: number): void {
    this.#spend(this.#fill(key), cost)
  }

  /** What was taken here of keys below half, since it was asked last. */
  untold(): ReadonlyMap<string, number> {
    const told = new Map([...this.#low].map(([key, bucket]) => [key, bucket.untold] as const))
    for (const bucket of this.#low.values()) bucket.untold = 0
    this.#low.clear()
    return told
  }

  /** Each of so many nodes gives its part of the rate from now on. */
  shareAmong(nodes: number): void {
    this.#nodes = Math.max(1, nodes)
  }

  /** Most that one key can have taken in a time. */
  mostIn(ms: number): number {
    return this.#rate.burst + (ms / 1_000) * this.#rate.perSecond
  }

  /** Keys that it knows. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #spend(bucket: Bucket, cost: number): void {
    bucket.level = Math.max(bucket.level - cost, -this.#rate.burst)
  }

  get #fillMs(): number {
    return this.#fullMs * (this.#nodes ?? 1)
  }

  get #perSecond(): number {
    return this.#rate.perSecond / (this.#nodes ?? 1)
  }

  #waitFor(cost: number, { level }: Bucket): number {
    const missing = Math.min(cost, this.#rate.burst) - level
    return missing > ROUNDING ? Math.ceil(((missing - ROUNDING) / this.#perSecond) * 1_000) : 0
  }

  #fill(key: string): Bucket {
    const now = this.#clock.now()
    const { burst } = this.#rate
    const bucket = this.#find(key, now) ?? this.#keep(key, { level: burst, at: now, untold: 0 })
    bucket.level = Math.min(burst, bucket.level + (Math.max(0, now - bucket.at) / 1_000) * this.#perSecond)
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
