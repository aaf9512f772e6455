import type { ServiceClock } from './clock/clock.ts'
import type { RunningService } from './start-service.ts'

/** Whatever hangs, beside the time in which pages are asked to go. */
const STOP_LIMIT_MS = 20_000

interface StopperParts {
  readonly service: Pick<RunningService, 'withdraw' | 'stop'>
  /** What load balancers need to notice. */
  readonly drainWaitMs: number
  /** In which connections are asked to go elsewhere. */
  readonly drainTimeMs?: number
  readonly clock: ServiceClock
  readonly exit: (code: number) => void
}

interface Stopper {
  /**
   * A signal came: the first one lets load balancers know before the service stops, another one does not wait
   * for them.
   */
  readonly onSignal: () => void
  /** Another process has the database: the service stops at once, and has failed. */
  readonly onLost: () => void
}

/** What ends the process. */
export function stopper({ service, drainWaitMs, drainTimeMs = 0, clock, exit }: StopperParts): Stopper {
  let wait: unknown = null
  let isStopping = false
  const stop = (code: number): void => {
    if (isStopping) return
    isStopping = true
    clock.clearTimeout(wait)
    clock.setTimeout(() => exit(1), STOP_LIMIT_MS + drainTimeMs)
    service.stop().then(
      () => exit(code),
      () => exit(1),
    )
  }
  return {
    onSignal: () => {
      service.withdraw()
      if (wait !== null || drainWaitMs === 0) stop(0)
      else wait = clock.setTimeout(() => stop(0), drainWaitMs)
    },
    onLost: () => stop(1),
  }
}
