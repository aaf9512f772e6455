/** Time from outside, so that tests can make it. */
export interface ServiceClock {
  /**
   * Milliseconds since the epoch, as the machine tells them: where its clock is set, or a machine that was
   * suspended wakes, this jumps with it.
   */
  now(): number
  setTimeout(run: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}

/** Node rings at once what is further away. */
const FURTHEST_MS = 2 ** 31 - 1

/** The machine's clock. Timers measure time that passes, whatever the clock is set to. */
export const systemClock = (): ServiceClock => ({
  now: () => Date.now(),
  setTimeout: (run, delayMs) => setTimeout(run, Math.min(delayMs, FURTHEST_MS)),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
})
