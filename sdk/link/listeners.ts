import { reportThrown } from '../async/callbackify.ts'

/** What one listener fails at is told to the page, and keeps nothing from the others. */
export function contain(run: () => void): void {
  try {
    run()
  } catch (thrown) {
    reportThrown(thrown)
  }
}

/** Adds a listener. Returns what removes it. */
export function listen<T>(set: Set<T>, handler: T): () => void {
  set.add(handler)
  return () => void set.delete(handler)
}
