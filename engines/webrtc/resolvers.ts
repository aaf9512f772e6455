import type { Clock } from '../../protocol/index.ts'

/** A promise with its ends outside. Nobody has to wait for it. */
export interface Resolvers {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function withResolvers(): Resolvers {
  let resolve: () => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** Waits for `promise`, but no longer than until `signal` is aborted: then it rejects with `reason()`. */
export async function untilAborted(
  promise: Promise<unknown>,
  signal: AbortSignal,
  reason: () => Error,
): Promise<void> {
  const aborted = withResolvers()
  const abort = (): void => aborted.reject(reason())
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** How long to wait, on which clock (default: the page's own), and what ends it earlier. */
export interface Limit {
  readonly ms: number
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal
}

/**
 * Waits for what a browser may never settle.
 * @throws what `promise` does; `reason()` after the limit, or when `signal` is aborted
 */
export async function within<T>(
  promise: Promise<T>,
  { ms, clock, signal }: Limit,
  reason: () => Error,
): Promise<T> {
  const late = withResolvers()
  const giveUp = (): void => late.reject(reason())
  const time: Pick<Clock, 'setTimeout' | 'clearTimeout'> = clock ?? pageTime
  const timer = time.setTimeout(giveUp, ms)
  signal?.addEventListener('abort', giveUp)
  try {
    return await Promise.race([promise, late.promise as Promise<never>])
  } finally {
    time.clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

const pageTime: Pick<Clock, 'setTimeout' | 'clearTimeout'> = {
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
