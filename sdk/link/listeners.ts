/** Adds a listener. Returns what removes it. */
export function listen<T>(set: Set<T>, handler: T): () => void {
  set.add(handler)
  return () => void set.delete(handler)
}
