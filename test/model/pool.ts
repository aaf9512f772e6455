/** Equal values become one object with a small number: worlds are then short strings. */
export class Pool<T extends { readonly id: number }> {
  readonly #byKey = new Map<string, T>()
  readonly #all: T[] = []

  /** The value of `key`, made where it is new. */
  of(key: string, make: (id: number) => T): T {
    const known = this.#byKey.get(key)
    if (known) return known
    const value = make(this.#all.length)
    this.#all.push(value)
    this.#byKey.set(key, value)
    return value
  }

  at(id: number): T {
    const value = this.#all[id]
    if (!value) throw new Error(`there is no value ${id}`)
    return value
  }

  get size(): number {
    return this.#all.length
  }
}

/** A plain value where the session `from` is called `to`. */
export const called = <T>(value: T, from: string, to: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T
