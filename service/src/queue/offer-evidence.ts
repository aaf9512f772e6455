import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import type { OfferPair } from './offer-rows.ts'

/** Offers of one statement. */
const AT_ONCE = 1_000

interface EvidenceParts {
  readonly db: Kysely<Tables>
  readonly onFault: (thrown: unknown) => void
}

/**
 * Notes which offers were pushed to a connection of their agent (`told`), and which a connection that lives has
 * read (`seen`). All that comes while a statement runs is noted by the next one. What cannot be noted is lost:
 * then an offer that was told may be made again, and one that was seen pauses nobody.
 */
export class OfferEvidence {
  readonly #parts: EvidenceParts
  readonly #waiting = new Map<string, OfferPair & { readonly seen: boolean }>()
  #running: Promise<void> | null = null

  constructor(parts: EvidenceParts) {
    this.#parts = parts
  }

  told(pair: OfferPair): void {
    this.#note(pair, false)
  }

  seen(pair: OfferPair): void {
    this.#note(pair, true)
  }

  /** Resolves when all is noted. */
  async stop(): Promise<void> {
    await this.#running
  }

  #note({ contact, agent }: OfferPair, seen: boolean): void {
    const key = `${contact} ${agent}`
    if (this.#waiting.get(key)?.seen) return
    this.#waiting.set(key, { contact, agent, seen })
    this.#running ??= this.#store().finally(() => (this.#running = null))
  }

  async #store(): Promise<void> {
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, AT_ONCE)
      for (const [key] of some) this.#waiting.delete(key)
      await noteOffers(
        this.#parts.db,
        some.map(([, news]) => news),
      ).catch(this.#parts.onFault)
    }
  }
}

/** Offers are locked in the order in which everybody locks them. */
const noteOffers = (
  db: Kysely<Tables>,
  news: readonly (OfferPair & { readonly seen: boolean })[],
): Promise<unknown> =>
  sql`
    with news as materialized (
      select * from unnest(${news.map(({ contact }) => contact)}::text[],
        ${news.map(({ agent }) => agent)}::text[], ${news.map(({ seen }) => seen)}::boolean[])
        as n(contact, agent, seen)
    ), locked as materialized (
      select o.contact, o.agent, n.seen from offers o join news n on n.contact = o.contact
        and n.agent = o.agent
      order by o.contact, o.agent for no key update of o
    ) update offers o set told = true, seen = o.seen or l.seen from locked l
      where o.contact = l.contact and o.agent = l.agent`.execute(db)
