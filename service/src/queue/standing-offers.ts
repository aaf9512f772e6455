import type { Kysely } from 'kysely'
import type { Distribution } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'
import { distributionOf } from './distribution.ts'
import { openingWords } from './opening-words.ts'

/** Offers to an agent that stand, as the agent is told of them: all, or that of one contact. */
export async function standingOffers(
  db: Kysely<Tables>,
  { agent, contact, now }: { readonly agent: string; readonly contact?: string; readonly now: number },
): Promise<Distribution[]> {
  const offers = db
    .selectFrom('offers')
    .innerJoin('contacts', 'contacts.id', 'offers.contact')
    .select((row) => [
      'contacts.id',
      'contacts.nick',
      'contacts.tags',
      'contacts.queued_at',
      'offers.due',
      row.fn.coalesce('contacts.distribution', 'contacts.details').as('distribution'),
    ])
    .where('offers.agent', '=', agent)
    .where('contacts.waiting', '=', true)
  const rows = await (contact === undefined ? offers : offers.where('offers.contact', '=', contact)).execute()
  const words = await openingWords(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) =>
    distributionOf(row, { expiresInMs: Math.max(0, row.due - now), now, words: words.get(row.id) }),
  )
}
