/** What ends with a signal. */
const endings = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `run` when the signal is aborted, unless the function that is returned is called before. All that ends with
 * a signal shares one listener: a page gives one signal to dozens of handlers, and Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = endings.get(signal) ?? begin(signal)
  all.add(run)
  return () => void all.delete(run)
}

function begin(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>()
  endings.set(signal, all)
  signal.addEventListener('abort', () => {
    for (const run of [...all]) run()
  })
  return all
}
