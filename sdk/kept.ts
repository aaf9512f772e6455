import * as v from 'valibot'
import type { Letter, PartialMediaState } from '../protocol/index.ts'
import type { KeyValueStore } from './client.ts'
import { KEPT_TYPES } from './outbox.ts'

const keptSchema = v.object({
  cursor: v.exactOptional(v.number()),
  offered: v.exactOptional(v.boolean()),
  wanted: v.exactOptional(v.object({ media: v.record(v.string(), v.object({ tx: v.boolean(), rx: v.boolean() })), seq: v.number() })),
  letters: v.exactOptional(v.array(v.object({ id: v.string(), type: v.picklist(KEPT_TYPES), body: v.record(v.string(), v.unknown()) }))),
})

/** What a tab remembers of a contact over a page load. */
export interface Memory {
  /** Last entry whose events the application has seen. */
  readonly cursor?: number
  /** The contact's first offer was made, and decided. */
  readonly offered?: boolean
  /** Media that an own offer, which was not decided, was to leave on, and the last entry that was read before it. */
  readonly wanted?: { readonly media: PartialMediaState; readonly seq: number } | undefined
  /** Messages that were still to be sent. */
  readonly letters?: readonly Letter[]
}

/** Where a tab keeps its {@link Memory} of a contact. */
export const keptKey = (service: string, contact: string): string => `parley:${service}:${contact}`

/** Where it stands for all tabs which requests of the remote were carried out. */
export const seenKey = (service: string, contact: string): string => `parley:${service}:${contact}:requests`

/** A tab's memory of one contact, until it is erased. */
export class Kept {
  readonly #key: string
  #store: KeyValueStore | null
  #memory: Memory

  constructor(store: KeyValueStore, key: string) {
    this.#key = key
    this.#store = store
    this.#memory = read(store.getItem(this.#key))
  }

  get memory(): Memory {
    return this.#memory
  }

  save(more: Memory): void {
    this.#memory = { ...this.#memory, ...more }
    this.#store?.setItem(this.#key, JSON.stringify(this.#memory))
  }

  /** Forgets the contact; nothing is kept of it any more. */
  erase(): void {
    this.#store?.removeItem(this.#key)
    this.#store = null
  }
}

function read(text: string | null): Memory {
  try {
    return v.parse(keptSchema, JSON.parse(text ?? '{}')) as unknown as Memory
  } catch {
    return {}
  }
}
