import type { Inspect, Log } from '../api/client.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Environment } from './environment.ts'
import { pageClock } from './clock.ts'
import { safeStore } from './page-storage.ts'

/**
 * The environment with what applications give to it made safe: a clock, a storage, a log or an observer that
 * throws disturbs nothing.
 */
export function contained<E extends Pick<Environment, 'clock' | 'log' | 'inspect' | 'store' | 'tab'>>(
  environment: E,
): E {
  const log = safeLog(environment.log)
  const { inspect, store, tab } = environment
  const safe = (inner: Environment['store']): Environment['store'] =>
    safeStore(
      () => inner,
      () => log.warn('the storage cannot be used; nothing is kept over page loads'),
    )
  return {
    ...environment,
    log,
    clock: safeClock(environment.clock),
    store: safe(store),
    tab: safe(tab),
    ...(inspect && { inspect: safeInspect(inspect, log) }),
  }
}

/** In place of a clock that throws, the page's own. */
function safeClock(clock: Clock): Clock {
  const either = <T>(run: (clock: Clock) => T): T => {
    try {
      return run(clock)
    } catch {
      return run(pageClock)
    }
  }
  return {
    now: () => either((one) => one.now()),
    setTimeout: (run, delayMs) => either((one) => ({ clock: one, handle: one.setTimeout(run, delayMs) })),
    clearTimeout: (timer) => {
      const { clock: one, handle } = (timer ?? {}) as { readonly clock?: Clock; readonly handle?: unknown }
      void quietly(() => one?.clearTimeout(handle))
    },
  }
}

const safeLog = (log: Log): Log => ({
  debug: (...args) => void quietly(() => log.debug(...args)),
  warn: (...args) => void quietly(() => log.warn(...args)),
})

/** An observer that throws is told once, and still gets what follows. */
function safeInspect(inspect: Inspect, log: Log): Inspect {
  let isTold = false
  return (event) => {
    if (quietly(() => (typeof inspect === 'function' ? inspect(event) : inspect.next?.(event))) || isTold)
      return
    isTold = true
    log.warn('the inspection observer threw')
  }
}

/** Runs what may throw, now or later; tells whether it did not throw now. */
function quietly(run: () => unknown): boolean {
  try {
    const running = run()
    if (running instanceof Promise) running.catch(() => {})
    return true
  } catch {
    return false
  }
}
