import type { Clock } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'

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

/** What every actor of a page is given: its time, and who watches it. */
export const actorOptions = ({
  clock,
  inspect,
}: {
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
}) => ({ clock: machineClock(clock), ...(inspect && { inspect }) })
