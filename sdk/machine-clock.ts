import type { Clock } from '../protocol/index.ts'

/** Time of the page. */
export const pageClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}

/** A clock as XState takes it. */
export const machineClock = (clock: Clock) => ({
  setTimeout: (run: (...args: never[]) => void, delayMs: number): unknown => clock.setTimeout(run, delayMs),
  clearTimeout: (handle: unknown): void => clock.clearTimeout(handle),
})
