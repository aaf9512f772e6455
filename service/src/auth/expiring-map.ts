/** So fine are the moments at which something is forgotten. */
const STEP_MS = 60_000

interface Held<V> {
  readonly value: V
  readonly expires: number
}

/**
 * A map of which each entry has an end. Forgetting costs as much as there is to forget, however many others
 * there are.
 */
export class ExpiringMap<K, V> {
  readonly #held = new Map<K, Held<V>>()
  /** Keys by the step in which they end, which may have been put off meanwhile. */
  readonly #ending = new Map<number, K[]>()
  /** The first step that has not been looked at. */
  #next = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#held.size
  }

  get(key: K): V | undefined {
    return this.#held.get(key)?.value
  }

  has(key: K): boolean {
    return this.#held.has(key)
  }

  set(key: K, value: V, expires: number): void {
    this.#held.set(key, { value, expires })
    const step = Math.ceil(expires / STEP_MS)
    const keys = this.#ending.get(step)
    if (keys) keys.push(key)
    else this.#ending.set(step, [key])
    this.#next = Math.min(this.#next, step)
  }

  /** Forgets what has ended. */
  prune(now: number): void {
    if (this.#next * STEP_MS > now) return
    for (const [step, keys] of this.#ending) {
      if (step * STEP_MS > now) continue
      for (const key of keys) if ((this.#held.get(key)?.expires ?? now) <= now) this.#held.delete(key)
      this.#ending.delete(step)
    }
    this.#next = Math.min(Number.POSITIVE_INFINITY, ...this.#ending.keys())
  }
}
