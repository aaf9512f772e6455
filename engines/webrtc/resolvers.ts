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
export async function untilAborted(promise: Promise<unknown>, signal: AbortSignal, reason: () => Error): Promise<void> {
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
