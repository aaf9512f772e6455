import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
import type { KeyValueStore } from '../api/client.ts'

const ownSchema = v.object({ contact: v.string(), visitor: v.string() })

/** A contact, and whose. */
export type Own = v.InferOutput<typeof ownSchema>

/** Which contact a tab is in, and as whom: over page loads. */
export class OwnContact {
  readonly #tab: KeyValueStore
  readonly #key: string

  constructor(tab: KeyValueStore, key: string) {
    this.#tab = tab
    this.#key = key
  }

  get(): Own | null {
    return readAs(ownSchema, this.#tab.getItem(this.#key))
  }

  set(own: Own): void {
    this.#tab.setItem(this.#key, JSON.stringify(own))
  }

  erase(): void {
    this.#tab.removeItem(this.#key)
  }
}
