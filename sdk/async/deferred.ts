/** A Promise that is settled from outside; nobody has to listen to it. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export function deferred(): Deferred {
  let [resolve, reject]: [() => void, (reason: unknown) => void] = [() => {}, () => {}]
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** Runs at once, inside the caller's click; a throw is a rejection. */
export const atOnce = async <T>(run: () => T | Promise<T>): Promise<T> => await run()
