/** The logs that a party may read of a contact and of those that it went on from, in parts. */
import type { Entry } from '../../protocol/index.ts'
import type { TranscriptEvent, TranscriptMessage } from '../api/transcript.ts'
import { isContactClosed } from '../contact/contact-closed.ts'
import { MOST_TRANSFERS } from '../contact/earlier-contacts.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { ServiceLink } from '../link/service-link.ts'

/** Entries of a part, messages of a page. */
export const MOST = 200

/** What the transcript needs of its contact. */
export interface TranscriptHost {
  /** Id of the contact. */
  readonly id: string
  /** Origin of the service. */
  readonly service: string
  readonly link: Pick<ServiceLink, 'call'>
  /** Of a secure contact. */
  readonly encryption?: Pick<Encryption, 'files' | 'readable'> | null
}

/** Gives the bytes of a file of the contact. @throws {@link ContactError} as `openAttachment` of a contact */
export type OpenFile = (id: string) => Promise<Blob>

/** A place in the transcript: in which contact, before which entry; null for its end. */
export interface Place {
  readonly contact: string
  readonly before: number | null
  /** How many transfers were gone back over; none without. */
  readonly transfers?: number
}

/** Messages, newest first, and where those before them stand. */
export interface Said {
  readonly said: readonly TranscriptMessage[]
  readonly events?: readonly TranscriptEvent[]
  /** Null where there is nothing more. */
  readonly next: Place | null
  /** Entries of which this page has not the key. */
  readonly unreadable?: number
}

/** Entries of one log. */
export interface Part {
  readonly contact: string
  readonly entries: readonly Entry[]
  /** Number of the first entry that was read. */
  readonly from: number
  readonly transfers: number
}

/** Entries before a place, 200 at most. */
export async function readBefore(
  { link }: TranscriptHost,
  { contact, before, transfers = 0 }: Place,
): Promise<Part> {
  const end =
    before === null || before === 0
      ? (await link.call('log.read', { contact, after: 0, limit: 1 })).head
      : before - 1
  const from = Math.max(0, end - MOST)
  if (end <= from) return { contact, entries: [], from, transfers }
  const entries: Entry[] = []
  // A page of the service may have fewer than were asked for.
  for (let after = from; after < end;) {
    const page = await link.call('log.read', { contact, after, limit: end - after })
    entries.push(...page.entries)
    after = page.entries.at(-1)?.seq ?? end
  }
  return { contact, entries, from, transfers }
}

/**
 * What comes before a part: more of the same log, or the contact that it went on from, where this party may
 * read it.
 */
export async function earlier(
  { link }: TranscriptHost,
  { contact, from, transfers }: Part,
): Promise<Place | null> {
  if (from > 0) return { contact, before: from + 1, transfers }
  if (transfers >= MOST_TRANSFERS) return null
  const { record } = await link.call('contact.read', { contact })
  const { transferredFrom: before } = record
  if (before === undefined) return null
  try {
    const { head } = await link.call('log.read', { contact: before, after: 0, limit: 1 })
    return { contact: before, before: head + 1, transfers: transfers + 1 }
  } catch (thrown) {
    if (isContactClosed(thrown)) return null
    throw thrown
  }
}
