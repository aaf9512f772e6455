/** A Promise that is settled from outside. A rejection that nobody handles is not reported. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Makes a {@link Deferred}. */
export function deferred(): Deferred {
  let [resolve, reject]: [() => void, (reason: unknown) => void] = [() => {}, () => {}]
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
