import * as v from '../../protocol/checks.ts'
import type { ContactState, UnsentEntry } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { Wanted, WishesMemory } from '../media/pending-offer.ts'
import { readAs } from '../values/stored.ts'
import { KeptUnsent } from './saved-unsent.ts'

const keptSchema = v.object({
  cursor: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  gone: v.exactOptional(v.string()),
  offered: v.exactOptional(v.boolean()),
  wanted: v.exactOptional(
    v.object({
      media: v.record(v.string(), v.object({ tx: v.boolean(), rx: v.boolean() })),
      seq: v.number(),
    }),
  ),
})

/** What a tab remembers of a contact over a page load. */
export interface Memory {
  /** Last entry whose events the application has seen. */
  readonly cursor?: number
  /** Session of the tab's page that has gone: the service may not have heard of that yet. */
  readonly gone?: string | undefined
  /** The contact's first offer was made, and decided. */
  readonly offered?: boolean
  readonly wanted?: Wanted | undefined
}

/** The form of a {@link Checkpoint}: another number with each change of it, or of what the fold gives. */
const FORM = 2

/** Where the log was read to, so that a page need not read it from the start. */
export interface Checkpoint {
  readonly state: ContactState
  readonly wishes: WishesMemory
}

/** Where a tab keeps its {@link Memory} of a contact. */
export const keptKey = (service: string, contact: string): string => `duolog:${service}:${contact}`

/** Where it stands for all tabs which requests of the remote were carried out. */
export const seenKey = (service: string, contact: string): string => `duolog:${service}:${contact}:requests`

/** A tab's memory of one contact, until it is erased. */
export class Kept {
  readonly #key: string
  readonly #checkpointKey: string
  #store: KeyValueStore | null
  readonly #unsent: KeptUnsent
  #memory: Memory
  /** Undefined where the log has to be read from the start. */
  readonly checkpoint: Checkpoint | undefined

  constructor(store: KeyValueStore, key: string) {
    this.#key = key
    this.#checkpointKey = checkpointKey(key)
    this.#store = store
    this.#unsent = new KeptUnsent(store, key)
    this.#memory = read(store.getItem(this.#key))
    this.checkpoint = readCheckpoint(store.getItem(this.#checkpointKey))
  }

  get memory(): Memory {
    return this.#memory
  }

  save(more: Memory): void {
    this.#memory = { ...this.#memory, ...more }
    this.#store?.setItem(this.#key, JSON.stringify(this.#memory))
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

  /** Forgets the contact; nothing is kept of it any more. */
  erase(): void {
    if (this.#store) eraseKept(this.#store, this.#key)
    this.release()
  }

  /** What stands is the next page's, which goes on behind it. */
  release(): void {
    this.#store = null
  }
}

const checkpointKey = (key: string): string => `${key}:checkpoint`

/** Erases all that a tab remembers of a contact. */
export function eraseKept(store: KeyValueStore, key: string): void {
  for (const each of [key, checkpointKey(key)]) store.removeItem(each)
  new KeptUnsent(store, key).erase()
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

const read = (text: string | null): Memory => readAs(keptSchema, text) ?? {}
