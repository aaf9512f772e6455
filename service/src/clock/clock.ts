/** Time from outside, so that tests can make it. */
export interface ServiceClock {
  /** Milliseconds since the epoch. Never runs backwards while the service lives. */
  now(): number
  setTimeout(run: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}

/** Node rings at once what is further away. */
const FURTHEST_MS = 2 ** 31 - 1

/** Wall time at the start, carried on by the monotonic clock: a jump of the machine's clock moves no timer. */
export function systemClock(): ServiceClock {
  const start = Date.now() - performance.now()
  return {
    now: () => Math.round(start + performance.now()),
    setTimeout: (run, delayMs) => setTimeout(run, Math.min(delayMs, FURTHEST_MS)),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  }
}
