/**
 * Runs an operation that may never settle: rejects when `limitMs` is over, and then aborts the signal that
 * the operation has got.
 */
export async function within<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_answer, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${limitMs} ms`))
      limit.abort()
    }, limitMs)
  })
  try {
    return await Promise.race([run(limit.signal), over])
  } finally {
    clearTimeout(timer)
  }
}
