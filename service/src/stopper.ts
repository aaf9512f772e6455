import type { ServiceClock } from './clock/clock.ts'
import type { RunningService } from './start-service.ts'

/** Whatever hangs. */
const STOP_LIMIT_MS = 20_000

interface StopperParts {
  readonly service: Pick<RunningService, 'withdraw' | 'stop'>
  /** What load balancers need to notice. */
  readonly drainWaitMs: number
  readonly clock: ServiceClock
  readonly exit: (code: number) => void
}

/** What a signal does: the first one lets load balancers know before the service stops, another one does not wait for them. */
export function stopper({ service, drainWaitMs, clock, exit }: StopperParts): () => void {
  let wait: unknown = null
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    clock.clearTimeout(wait)
    clock.setTimeout(() => exit(1), STOP_LIMIT_MS)
    service.stop().then(
      () => exit(0),
      () => exit(1),
    )
  }
  return () => {
    service.withdraw()
    if (wait !== null || drainWaitMs === 0) stop()
    else wait = clock.setTimeout(stop, drainWaitMs)
  }
}
