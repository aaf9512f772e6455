import { deferred } from './deferred.ts'
import type { Clock } from './link.ts'

/** What ends a wait. */
export interface WaitLimit {
  readonly clock?: Pick<Clock, 'setTimeout' | 'clearTimeout'>
  /** Milliseconds of `clock`; without it only `over` ends the wait. */
  readonly ms?: number
  /** Ends the wait when it is aborted meanwhile. */
  readonly over?: AbortSignal | undefined
}

/**
 * Waits for work that may never settle.
 *
 * @throws what `work` rejects with; `late()`, or `undefined`, after the limit; the reason of `over` (where that
 *   is `null`: as after the limit)
 */
export async function within<T>(
  work: Promise<T>,
  { clock, ms, over }: WaitLimit,
  late?: () => Error,
): Promise<T> {
  const end = deferred()
  const timer = ms === undefined ? undefined : clock?.setTimeout(() => end.reject(late?.()), ms)
  const abort = (): void => end.reject(over?.reason ?? late?.())
  over?.addEventListener('abort', abort)
  try {
    return await Promise.race([work, end.promise as Promise<never>])
  } finally {
    clock?.clearTimeout(timer)
    over?.removeEventListener('abort', abort)
  }
}
