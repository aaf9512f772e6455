/** A waiting contact, as matching and as agents see it. */
import type { ContactRequest, Distribution } from '../../../protocol/index.ts'
import type { ContactRow } from '../store/tables.ts'
import type { WaitingRow } from './offer-rows.ts'
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

/** What an agent is shown of a contact before accepting it. */
export function distributionOf(
  {
    id,
    nick,
    tags,
    distribution,
  }: Pick<ContactRow, 'id' | 'nick' | 'tags'> & { readonly distribution: string },
  expiresInMs: number,
): Distribution {
  const { lang, initialOffer, secure } = JSON.parse(distribution) as ContactRequest
  return {
    id,
    ...(nick === null ? {} : { nick }),
    ...(lang === undefined ? {} : { lang }),
    tags,
    ...(initialOffer === undefined ? {} : { initialOffer }),
    secure: secure ?? false,
    expiresInMs,
  }
}
