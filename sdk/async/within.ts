import type { Clock } from '../../protocol/index.ts'
import { deferred } from './deferred.ts'

/** How long to wait, and what ends it earlier. */
interface Limit {
  readonly clock: Clock
  readonly ms: number
  readonly over?: AbortSignal | undefined
}

/**
 * Waits for what may never settle.
 * @throws what `work` does; `late()`, or nothing to speak of, after the limit; the reason of `over`, where
 * that is aborted meanwhile
 */
export async function within<T>(
  work: Promise<T>,
  { clock, ms, over }: Limit,
  late?: () => Error,
): Promise<T> {
  const end = deferred()
  const timer = clock.setTimeout(() => end.reject(late?.()), ms)
  const abort = (): void => end.reject(over?.reason)
  over?.addEventListener('abort', abort)
  try {
    return await Promise.race([work, end.promise as Promise<never>])
  } finally {
    clock.clearTimeout(timer)
    over?.removeEventListener('abort', abort)
  }
}
