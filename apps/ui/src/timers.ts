/** Timers that end with what they belong to: none starts, and none goes on, after `signal` is aborted. */

/** Calls `run` each `ms` until the returned function is called. */
export function every(ms: number, run: () => void, signal: AbortSignal): () => void {
  if (signal.aborted) return () => {}
  const timer = setInterval(run, ms)
  return ending(() => clearInterval(timer), signal)
}

/** Calls `run` once in `ms`, unless the returned function is called before. */
export function after(ms: number, run: () => void, signal: AbortSignal): () => void {
  if (signal.aborted) return () => {}
  const stop = ending(() => clearTimeout(timer), signal)
  const timer = setTimeout(() => {
    stop()
    run()
  }, ms)
  return stop
}

function ending(end: () => void, signal: AbortSignal): () => void {
  const stop = (): void => {
    end()
    signal.removeEventListener('abort', stop)
  }
  signal.addEventListener('abort', stop)
  return stop
}
