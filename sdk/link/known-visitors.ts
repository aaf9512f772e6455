import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
import type { KeyValueStore } from '../api/client.ts'

const knownSchema = v.array(
  v.object({ visitor: v.string(), refresh: v.exactOptional(v.string()), contacts: v.array(v.string()) }),
)

/** A visitor of this browser who has an open contact. */
export interface KnownVisitor {
  readonly visitor: string
  /** Gives the next token; missing where the site issues the tokens. */
  readonly refresh?: string
  /** Those that are not over for the visitor, the newest last. */
  readonly contacts: readonly string[]
}

/** Visitors and contacts that are kept, each; the oldest give way. */
const MOST = 16

/**
 * The visitors of this browser for all of its tabs, the newest last: each is kept as long as one of the
 * contacts is open, together with what proves who it is.
 * A tab reads it anew each time, since another one may have written.
 */
export class KnownVisitors {
  readonly #store: KeyValueStore
  readonly #key: string

  constructor(store: KeyValueStore, key: string) {
    this.#store = store
    this.#key = key
  }

  /** The one whom a contact belongs to. */
  ofContact = (contact: string): KnownVisitor | undefined =>
    this.all().find(({ contacts }) => contacts.includes(contact))

  /** One by id. */
  get = (visitor: string): KnownVisitor | undefined => this.all().find((known) => known.visitor === visitor)

  /** The newest. */
  newest = (): KnownVisitor | undefined => this.all().at(-1)

  /** A visitor is in a contact: both are the newest now. */
  entered(visitor: string, contact: string, refresh: string | undefined): void {
    const known = this.get(visitor)
    const contacts = [...(known?.contacts ?? []).filter((id) => id !== contact), contact].slice(-MOST)
    const newest = { ...(refresh !== undefined && { refresh }), ...known, visitor, contacts }
    this.#save([...this.all().filter((other) => other.visitor !== visitor), newest].slice(-MOST))
  }

  /** A visitor who is kept has another refresh token. */
  renewed(visitor: string, refresh: string): void {
    this.#save(this.all().map((known) => (known.visitor === visitor ? { ...known, refresh } : known)))
  }

  /** A contact is over; a visitor without any is forgotten. */
  over(contact: string): void {
    this.#save(
      this.all().map((known) => ({ ...known, contacts: known.contacts.filter((id) => id !== contact) })),
    )
  }

  /** The service knows a visitor no more. */
  forget(visitor: string): void {
    this.#save(this.all().filter((known) => known.visitor !== visitor))
  }

  #save(all: readonly KnownVisitor[]): void {
    const needed = all.filter(({ contacts }) => contacts.length > 0)
    if (needed.length > 0) this.#store.setItem(this.#key, JSON.stringify(needed))
    else this.#store.removeItem(this.#key)
  }

  /** The newest last. */
  all(): readonly KnownVisitor[] {
    return readAs(knownSchema, this.#store.getItem(this.#key)) ?? []
  }
}
