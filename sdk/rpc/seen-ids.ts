import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
import type { KeyValueStore } from '../api/client.ts'

/** Ids that a page remembers, and those of them that outlive it. */
const MOST = 1_000
const MOST_KEPT = 100
const keptSchema = v.array(v.string())

/**
 * Ids of requests whose procedure was run by a page of this contact, an earlier one or one in another tab as
 * well.
 */
export class SeenIds {
  readonly #key: () => string
  readonly #own = new Set<string>()
  readonly #store: KeyValueStore

  constructor(store: KeyValueStore, key: () => string) {
    this.#key = key
    this.#store = store
  }

  has = (id: string): boolean => this.#own.has(id) || this.#kept().includes(id)

  add(id: string): void {
    this.#own.add(id)
    for (const oldest of [...this.#own].slice(0, -MOST)) this.#own.delete(oldest)
    this.#store.setItem(this.#key(), JSON.stringify([...this.#kept(), id].slice(-MOST_KEPT)))
  }

  #kept(): readonly string[] {
    return readAs(keptSchema, this.#store.getItem(this.#key())) ?? []
  }
}
