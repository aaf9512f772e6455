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

/** The page's own storage; memory where there is none, it is blocked or full. */
export function pageStore(kind: 'localStorage' | 'sessionStorage', warn: (message: string) => void): KeyValueStore {
  const fallback = memoryStore()
  const use = <T>(run: (store: KeyValueStore) => T): T => {
    try {
      const store: KeyValueStore | undefined = globalThis[kind]
      if (store) return run(store)
    } catch {
      warn(`${kind} cannot be used; nothing is kept over page loads`)
    }
    return run(fallback)
  }
  return {
    getItem: (key) => use((store) => store.getItem(key)),
    setItem: (key, value) => use((store) => store.setItem(key, value)),
    removeItem: (key) => use((store) => store.removeItem(key)),
  }
}
