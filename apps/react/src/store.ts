/** A value that changes, in the shape of React's `useSyncExternalStore`. */
export class Store<T> {
  readonly #listeners = new Set<() => void>()
  #snapshot: T
  #isOpen = false

  constructor(snapshot: T) {
    this.#snapshot = snapshot
  }

  readonly getSnapshot = (): T => this.#snapshot

  /**
   * In strict mode React subscribes, takes the listener off and subscribes again in one task: what was opened
   * stays open then.
   */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (!this.#isOpen) {
      this.#isOpen = true
      this.opened()
    }
    return () => {
      this.#listeners.delete(listener)
      queueMicrotask(() => {
        if (!this.#isOpen || this.#listeners.size > 0) return
        this.#isOpen = false
        this.closed()
      })
    }
  }

  protected set(snapshot: T): void {
    this.#snapshot = snapshot
    for (const listener of [...this.#listeners]) listener()
  }

  /** Somebody is subscribed. */
  protected opened(): void {}

  /** Nobody is subscribed any more. */
  protected closed(): void {}
}
