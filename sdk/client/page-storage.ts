import type { KeyValueStore } from '../api/client.ts'

/** Keeps values as long as the page lives: where storage is blocked. */
export function memoryStore(): KeyValueStore {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/**
 * A store that never throws: what `open` gives, and memory for what that does not keep or forget, because it
 * is blocked, full, or answers later.
 * `warn` is called once.
 */
export function safeStore(open: () => KeyValueStore | undefined, warn: () => void): KeyValueStore {
  /** What the store did not keep; null for what it did not forget. */
  const memory = new Map<string, string | null>()
  let isTold = false
  /** What the store answers at once; null where it cannot be used. */
  const ask = (run: (store: KeyValueStore) => unknown): { readonly answer: unknown } | null => {
    try {
      const store = open()
      if (!store) return null
      const answer = run(store)
      if (!isLater(answer)) return { answer }
      answer.then(undefined, () => {})
    } catch {
      // The warning below is all that can be done.
    }
    if (!isTold) warn()
    isTold = true
    return null
  }
  const change = (key: string, value: string | null, run: (store: KeyValueStore) => void): void => {
    memory.set(key, value)
    // A store that is full still has what stood there before, which a later page would believe.
    if (ask(run) || (value !== null && ask((store) => store.removeItem(key)) && ask(run))) memory.delete(key)
  }
  return {
    getItem(key) {
      const value = memory.has(key) ? memory.get(key) : ask((store) => store.getItem(key))?.answer
      return typeof value === 'string' ? value : null
    },
    setItem: (key, value) => change(key, value, (store) => store.setItem(key, value)),
    removeItem: (key) => change(key, null, (store) => store.removeItem(key)),
  }
}

const isLater = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function'

/** The page's own storage, made safe. */
export const pageStore = (
  kind: 'localStorage' | 'sessionStorage',
  warn: (message: string) => void,
): KeyValueStore =>
  safeStore(
    () => globalThis[kind],
    () => warn(`${kind} cannot be used; nothing is kept over page loads`),
  )
