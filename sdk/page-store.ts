import type { KeyValueStore } from './client.ts'

/** Keeps values as long as the page lives: where storage is blocked. */
export function memoryStore(): KeyValueStore {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/** The page's own storage; memory where there is none, or for what it does not take: it is blocked or full, which is told once. */
export function pageStore(kind: 'localStorage' | 'sessionStorage', warn: (message: string) => void): KeyValueStore {
  const memory = memoryStore()
  let isTold = false
  /** What the storage gives; undefined where it cannot be used. */
  const use = <T>(run: (store: KeyValueStore) => T): T | undefined => {
    try {
      const store: KeyValueStore | undefined = globalThis[kind]
      if (store) return run(store)
    } catch {
      if (!isTold) warn(`${kind} cannot be used; nothing is kept over page loads`)
      isTold = true
    }
    return undefined
  }
  return {
    getItem: (key) => memory.getItem(key) ?? use((store) => store.getItem(key)) ?? null,
    setItem(key, value) {
      const isKept = use((store) => {
        store.setItem(key, value)
        return true
      })
      if (isKept) memory.removeItem(key)
      else memory.setItem(key, value)
    },
    removeItem(key) {
      memory.removeItem(key)
      use((store) => store.removeItem(key))
    },
  }
}
