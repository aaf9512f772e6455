interface Endings {
  /** What ends with the signal. */
  readonly all: Set<() => void>
  readonly listener: () => void
}

const endings = new WeakMap<AbortSignal, Endings>()

/**
 * Calls `run` when the signal is aborted, unless the function that is returned is called before. All that ends with
 * a signal shares one listener, which goes with the last of it: a page gives one signal to dozens of handlers, and
 * Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const { all } = endings.get(signal) ?? begin(signal)
  all.add(run)
  return () => {
    if (all.delete(run) && all.size === 0) end(signal)
  }
}

function begin(signal: AbortSignal): Endings {
  const all = new Set<() => void>()
  const listener = (): void => {
    end(signal)
    for (const run of [...all]) run()
  }
  const begun = { all, listener }
  endings.set(signal, begun)
  signal.addEventListener('abort', listener)
  return begun
}

function end(signal: AbortSignal): void {
  const ended = endings.get(signal)
  if (ended) signal.removeEventListener('abort', ended.listener)
  endings.delete(signal)
}
