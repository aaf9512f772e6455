import * as v from '../../protocol/checks.ts'
import type { ContactState, MediaOffer, UnsentEntry } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { PendingMemory, Wanted } from '../media/pending-offer.ts'
import { readAs } from '../values/stored.ts'
import { SavedUnsent } from './saved-unsent.ts'

const way = v.picklist(['required', 'optional', 'off'])
const carried = { via: v.exactOptional(v.string()), engine: v.exactOptional(v.string()) }
const savedSchema = v.object({
  cursor: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  last: v.exactOptional(v.string()),
  gone: v.exactOptional(v.string()),
  first: v.exactOptional(v.record(v.string(), v.object({ tx: way, rx: way, ...carried }))),
  offered: v.exactOptional(v.boolean()),
  agreed: v.exactOptional(v.array(v.string())),
  wanted: v.exactOptional(
    v.object({
      media: v.record(v.string(), v.object({ tx: v.boolean(), rx: v.boolean() })),
      seq: v.number(),
    }),
  ),
})

/** What a tab saves of a contact over a page load. */
export interface SavedValues {
  /** Last entry whose events the application has seen. */
  readonly cursor?: number
  /** Its id. */
  readonly last?: string
  /** Session of the tab's page that has gone: the service may not have heard of that yet. */
  readonly gone?: string | undefined
  /** The contact's first offer, as a page of this tab has asked for it; relative to the agent. */
  readonly first?: MediaOffer
  /** The contact's first offer was made, and decided. */
  readonly offered?: boolean
  /** What the user has agreed to transmit, where no tab can tell it to the others. */
  readonly agreed?: readonly string[]
  readonly wanted?: Wanted | undefined
}

/** The form of a {@link Checkpoint}: another number with each change of it, or of what the fold gives. */
const FORM = 4

/** Where the log was read to, so that a page need not read it from the start. */
export interface Checkpoint {
  readonly state: ContactState
  readonly pending: PendingMemory
}

/** Key of the {@link SavedValues} of a contact. */
export const savedKey = (service: string, contact: string): string => `duolog:${service}:${contact}`

/** Key, for all tabs, of the requests of the remote that were carried out. */
export const seenKey = (service: string, contact: string): string => `duolog:${service}:${contact}:requests`

/** Key, for all tabs, of a contact that is secure: no page takes it for one that is not. */
export const secureKey = (service: string, contact: string): string => `duolog:${service}:${contact}:secure`

/** Key under which a tab keeps the keys of a contact. */
export const ringKey = (service: string, contact: string): string => `duolog:${service}:${contact}:keys`
/** Key under which a tab keeps the head of a contact's log. */
export const headKey = (service: string, contact: string): string => `duolog:${service}:${contact}:head`

/** Key under which a tab keeps from which entry on it holds events of a contact. */
export const heldKey = (service: string, contact: string): string => `duolog:${service}:${contact}:held`

/** Erases the keys that a tab holds of a contact, and what is kept beside them. */
export function eraseRing(store: KeyValueStore, service: string, contact: string): void {
  for (const key of [ringKey, headKey, heldKey]) store.removeItem(key(service, contact))
}

/** What a tab has saved of one contact, until it is erased. */
export class SavedState {
  readonly #key: string
  readonly #checkpointKey: string
  #store: KeyValueStore | null
  readonly #unsent: SavedUnsent
  #values: SavedValues
  /** Undefined where the log has to be read from the start. */
  readonly checkpoint: Checkpoint | undefined

  constructor(store: KeyValueStore, key: string) {
    this.#key = key
    this.#checkpointKey = checkpointKey(key)
    this.#store = store
    this.#unsent = new SavedUnsent(store, key)
    this.#values = read(store.getItem(this.#key))
    this.checkpoint = readCheckpoint(store.getItem(this.#checkpointKey))
  }

  get values(): SavedValues {
    return this.#values
  }

  save(more: SavedValues): void {
    this.#values = { ...this.#values, ...more }
    this.#store?.setItem(this.#key, JSON.stringify(this.#values))
  }

  /** Messages that were still to be sent. */
  get unsent(): readonly UnsentEntry[] {
    return this.#unsent.found
  }

  /** These are still to be sent now. */
  saveUnsent(entries: readonly UnsentEntry[]): void {
    if (this.#store) this.#unsent.save(entries)
  }

  saveCheckpoint(checkpoint: Checkpoint): void {
    this.#store?.setItem(this.#checkpointKey, sealed(JSON.stringify(checkpoint)))
  }

  /** Erases what is saved of the contact, and saves no more. */
  erase(): void {
    if (this.#store) eraseSaved(this.#store, this.#key)
    this.release()
  }

  /** What is saved belongs to the next page, which goes on behind it. */
  release(): void {
    this.#store = null
  }
}

const checkpointKey = (key: string): string => `${key}:checkpoint`

/** Erases all that a tab has saved of a contact. */
export function eraseSaved(store: KeyValueStore, key: string): void {
  for (const each of [key, checkpointKey(key)]) store.removeItem(each)
  new SavedUnsent(store, key).erase()
}

/** A text behind a sum of it: only what was written whole, and in this form, is read again. */
function sealed(text: string): string {
  let sum = FORM
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619)
  return `${sum} ${text}`
}

function readCheckpoint(stored: string | null): Checkpoint | undefined {
  const text = stored?.slice(stored.indexOf(' ') + 1) ?? ''
  return stored === sealed(text) ? (JSON.parse(text) as Checkpoint) : undefined
}

const read = (text: string | null): SavedValues => readAs(savedSchema, text) ?? {}
