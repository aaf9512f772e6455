import { codeOf } from './problems.ts'
import type { ErrorCode } from './sdk.ts'

/** Codes that say nothing about what was asked for. */
const UNDECIDED: ReadonlySet<ErrorCode> = new Set(['offline', 'timeout', 'rate_limited'])

/** Whether a failure leaves open what came of the operation. */
export const isUndecided = (thrown: unknown): boolean => UNDECIDED.has(codeOf(thrown))

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

export interface Asking {
  /** Nobody waits for the answer any more: nothing is asked again. */
  readonly signal: AbortSignal
  /** Whether a failure leaves open what came of it; default {@link isUndecided}. */
  readonly isOpen?: (thrown: unknown) => boolean
  /** Told of each time that nothing was decided. */
  readonly onUndecided?: (thrown: unknown) => void
  /** Calls `wake` when it is worth asking at once, until `signal` is aborted. */
  readonly onBack?: (wake: () => void, signal: AbortSignal) => void
}

/**
 * Asks until there is an answer: after waits that grow, and at once when the network is back or the page is
 * shown. Rejects with a refusal, and with the last failure when nobody waits any more.
 */
export async function untilDecided<T>(ask: () => Promise<T>, asking: Asking): Promise<T> {
  const isOpen = asking.isOpen ?? isUndecided
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await ask()
    } catch (thrown) {
      if (asking.signal.aborted || !isOpen(thrown)) throw thrown
      asking.onUndecided?.(thrown)
      await pause(waitMs, asking)
      if (asking.signal.aborted) throw thrown
    }
  }
}

function pause(ms: number, { signal, onBack }: Asking): Promise<void> {
  const over = new AbortController()
  return new Promise<void>((resolve) => {
    const until = { signal: over.signal }
    const timer = setTimeout(resolve, ms)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, until)
    if (typeof window !== 'undefined') {
      window.addEventListener('online', end, until)
      document.addEventListener(
        'visibilitychange',
        () => document.visibilityState === 'visible' && end(),
        until,
      )
    }
    onBack?.(end, over.signal)
  }).finally(() => over.abort())
}
