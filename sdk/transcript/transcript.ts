import { ContactError, definitionOf, isUnopened } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { TranscriptMessage, TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { isContactClosed } from '../contact/contact-closed.ts'
import { fromArguments } from '../values/arguments.ts'

const OPERATION = 'read the transcript'
const PAGE = 50
const MOST = 200
const CURSOR = /^([A-Za-z0-9._:-]{1,128})@(\d{1,15})$/

/** What the transcript needs of its contact. */
export interface TranscriptHost {
  /** Id of the contact. */
  readonly id: string
  /** Origin of the service. */
  readonly service: string
  readonly link: Pick<ServiceLink, 'call'>
  /** Of a secure contact. */
  readonly encryption?: Pick<Encryption, 'readable'> | null
}

/** A place in the transcript: in which contact, before which entry; null for its end. */
interface Place {
  readonly contact: string
  readonly before: number | null
}

/** A part of what was said, newest first. @throws {@link ContactError} as `readTranscript` of a contact */
export async function readTranscript(
  host: TranscriptHost,
  options: TranscriptOptions = {},
): Promise<TranscriptPage> {
  const { before, limit } = fromArguments(OPERATION, () => ({
    before: options?.before ?? null,
    limit: options?.limit ?? PAGE,
  }))
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new ContactError('invalid_argument', `unable to ${OPERATION}; limit must be 1 to ${MOST}`)
  let place: Place | null = before === null ? { contact: host.id, before: null } : placeOf(before)
  const messages: TranscriptMessage[] = []
  let unreadable = 0
  while (place !== null && messages.length < limit) {
    const part = await readBefore(host, place)
    const said = part.entries.toReversed().flatMap((entry) => {
      const shown = host.encryption ? host.encryption.readable(part.contact, entry) : entry
      if (shown === undefined) unreadable++
      const message = shown ? messageOf(host.service, part.contact, shown) : null
      return message ? [{ seq: entry.seq, message }] : []
    })
    const taken = said.slice(0, limit - messages.length)
    messages.push(...taken.map(({ message }) => message))
    const last = taken.at(-1)
    const more: boolean = taken.length < said.length && last !== undefined
    place = more && last ? { contact: part.contact, before: last.seq } : await earlier(host, part)
  }
  return {
    messages,
    before: place === null ? null : `${place.contact}@${place.before ?? 0}`,
    ...(unreadable > 0 && { unreadable }),
  }
}

/** All that was said, newest first. */
export async function* transcriptOf(
  host: TranscriptHost,
): AsyncGenerator<TranscriptMessage, void, undefined> {
  for (let before: string | null | undefined; before !== null;) {
    const page: TranscriptPage = await readTranscript(host, before === undefined ? {} : { before })
    yield* page.messages
    before = page.before
  }
}

interface Part {
  readonly contact: string
  readonly entries: readonly Entry[]
  /** Number of the first entry that was read. */
  readonly from: number
}

async function readBefore({ link }: TranscriptHost, { contact, before }: Place): Promise<Part> {
  const end =
    before === null || before === 0
      ? (await link.call('log.read', { contact, after: 0, limit: 1 })).head
      : before - 1
  const from = Math.max(0, end - MOST)
  if (end <= from) return { contact, entries: [], from }
  const entries: Entry[] = []
  // A page of the service may have fewer than were asked for.
  for (let after = from; after < end;) {
    const page = await link.call('log.read', { contact, after, limit: end - after })
    entries.push(...page.entries)
    after = page.entries.at(-1)?.seq ?? end
  }
  return { contact, entries, from }
}

/**
 * What comes before a part: more of the same log, or the contact that it went on from, where this party may
 * read it.
 */
async function earlier({ link }: TranscriptHost, { contact, from }: Part): Promise<Place | null> {
  if (from > 0) return { contact, before: from + 1 }
  const { record } = await link.call('contact.read', { contact })
  if (record.transferredFrom === undefined) return null
  try {
    const { head } = await link.call('log.read', { contact: record.transferredFrom, after: 0, limit: 1 })
    return { contact: record.transferredFrom, before: head + 1 }
  } catch (thrown) {
    if (isContactClosed(thrown)) return null
    throw thrown
  }
}

/** The message that an entry is; null of an entry that is none. */
export function messageOf(service: string, contact: string, entry: Entry): TranscriptMessage | null {
  const { isMessage, events = {} } = definitionOf(entry.type) ?? {}
  const make = events[entry.type]
  if (!isMessage || !make || isUnopened(entry)) return null
  return {
    ...{ contact, time: new Date(entry.time).toISOString(), type: entry.type },
    ...(entry.type === 'text' && entry.body),
    ...(make(entry as never, { service }) as object),
  } as TranscriptMessage
}

function placeOf(cursor: unknown): Place {
  const [, contact, before] = CURSOR.exec(typeof cursor === 'string' ? cursor : '') ?? []
  if (contact === undefined)
    throw new ContactError('invalid_argument', `unable to ${OPERATION}; before is no cursor`)
  return { contact, before: Number(before) }
}
