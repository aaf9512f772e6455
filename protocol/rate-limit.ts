export interface RateLimitOptions {
  /** So often at once. */
  readonly burst: number
  /** Then once in each interval, in milliseconds. */
  readonly intervalMs: number
}

/** How often something may be done. Times are of one clock, in milliseconds. */
export class RateLimit {
  readonly #options: RateLimitOptions
  /** When the next one were due if they came one in each interval. */
  #dueAtMs = Number.NEGATIVE_INFINITY

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Whether it may be done now. */
  allows(nowMs: number): boolean {
    return this.#dueAtMs <= nowMs
  }

  /** It is done, whether or not it may be. */
  count(nowMs: number): void {
    const { burst, intervalMs } = this.#options
    this.#dueAtMs = Math.max(this.#dueAtMs, nowMs - (burst - 1) * intervalMs) + intervalMs
  }
}
