/** A waiting contact, as matching and as agents see it. */
import type { ContactRequest, Distribution } from '../../../protocol/index.ts'
import type { Kysely } from 'kysely'
import type { ContactRow, Tables } from '../store/tables.ts'
import type { OfferPair, WaitingRow } from './offer-rows.ts'
import { openingWords } from './opening-words.ts'
import type { OpeningWords } from './opening-words.ts'
import type { Waiting } from './strategy.ts'

/** What matching looks at. */
export function waitingOf({
  id,
  tags,
  distribution,
  queued_at: queuedAt,
  only_agent: onlyAgent,
  handed_by: handedBy,
  handed_at: handedAt,
}: WaitingRow): Waiting {
  const offer = (JSON.parse(distribution) as ContactRequest).initialOffer ?? {}
  const media = Object.entries(offer).flatMap(([medium, asked]) =>
    asked?.tx === 'required' || asked?.rx === 'required' ? [medium] : [],
  )
  return { id, tags, media, queuedAt, onlyAgent, handedBy, handedAt }
}

interface Offered {
  readonly expiresInMs: number
  readonly now: number
  readonly words: OpeningWords | undefined
}

/** What an agent is shown of a contact before accepting it. */
export function distributionOf(
  {
    id,
    nick,
    tags,
    distribution,
    queued_at: queuedAt,
  }: Pick<ContactRow, 'id' | 'nick' | 'tags' | 'queued_at'> & { readonly distribution: string },
  { expiresInMs, now, words }: Offered,
): Distribution {
  const { lang, initialOffer, secure, later } = JSON.parse(distribution) as ContactRequest
  return {
    id,
    ...(nick === null ? {} : { nick }),
    ...(lang === undefined ? {} : { lang }),
    tags,
    ...(initialOffer === undefined ? {} : { initialOffer }),
    secure: secure ?? false,
    ...(later === true && { later }),
    ...(queuedAt !== null && { waitedMs: Math.max(0, now - queuedAt) }),
    ...words,
    expiresInMs,
  }
}

interface Made extends Omit<Offered, 'words'> {
  /** The rows of the contacts, by id. */
  readonly shown: ReadonlyMap<string, WaitingRow>
}

/** What the agents of these offers are told. */
export async function distributionsOf(
  db: Kysely<Tables>,
  pairs: readonly OfferPair[],
  { shown, ...told }: Made,
): Promise<{ readonly agent: string; readonly distribution: Distribution }[]> {
  const words = await openingWords(
    db,
    pairs.map(({ contact }) => contact),
  )
  return pairs.flatMap(({ contact, agent }) => {
    const row = shown.get(contact)
    return row ? [{ agent, distribution: distributionOf(row, { ...told, words: words.get(contact) }) }] : []
  })
}
