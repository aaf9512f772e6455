import { ContactError } from '../../protocol/index.ts'
import { HISTORY, historyPlace, toldBefore } from './history.ts'
import { MOST, earlier, readBefore } from './log-parts.ts'
import type { OpenFile, Place, Said, TranscriptHost } from './log-parts.ts'
import { eventOf, messageOf } from './message-of-entry.ts'
import type {
  TranscriptEvent,
  TranscriptMessage,
  TranscriptOptions,
  TranscriptPage,
} from '../api/transcript.ts'
import { fromArguments } from '../values/arguments.ts'

const OPERATION = 'read the transcript'
const PAGE = 50
const CURSOR = /^([A-Za-z0-9._:-]{1,128})@(\d{1,15})(?:@(\d{1,2}))?$/

export { historyOf } from './history.ts'
export { messageOf } from './message-of-entry.ts'
export type { OpenFile, TranscriptHost } from './log-parts.ts'

/** A part of what was said, newest first. @throws {@link ContactError} as `readTranscript` of a contact */
export async function readTranscript(
  host: TranscriptHost,
  options: TranscriptOptions = {},
  openFile: OpenFile,
): Promise<TranscriptPage> {
  const { before, limit } = fromArguments(OPERATION, () => ({
    before: options?.before ?? null,
    limit: options?.limit ?? PAGE,
  }))
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new ContactError('invalid_argument', `unable to ${OPERATION}; limit must be 1 to ${MOST}`)
  let place: Place | null = before === null ? { contact: host.id, before: null } : placeOf(before)
  const messages: TranscriptMessage[] = []
  const events: TranscriptEvent[] = []
  let unreadable = 0
  while (place !== null && messages.length < limit) {
    const wanted = { limit: limit - messages.length, openFile }
    const part: Said = await (place.contact.startsWith(HISTORY) ? toldBefore : saidBefore)(
      host,
      place,
      wanted,
    )
    messages.push(...part.said)
    events.push(...(part.events ?? []))
    unreadable += part.unreadable ?? 0
    place = part.next
  }
  return {
    messages,
    events,
    before: place === null ? null : cursorOf(place),
    ...(unreadable > 0 && { unreadable }),
  }
}

/** Messages of a log, from a place on. */
async function saidBefore(
  host: TranscriptHost,
  place: Place,
  { limit }: { readonly limit: number },
): Promise<Said> {
  const part = await readBefore(host, place)
  const { contact } = part
  let unreadable = 0
  const happened: { readonly seq: number; readonly event: TranscriptEvent }[] = []
  const all = part.entries.toReversed().flatMap((entry) => {
    const { seq } = entry
    const shown = host.encryption ? host.encryption.readable(contact, entry) : entry
    if (shown === undefined) unreadable++
    const message = shown ? messageOf(host.service, contact, shown) : null
    const event = shown ? eventOf(shown) : null
    if (event) happened.push({ seq, event })
    return message ? [{ seq, message }] : []
  })
  const taken = all.slice(0, limit)
  const last = taken.at(-1)
  const from = taken.length < all.length && last ? last.seq : 0
  const events = happened.filter(({ seq }) => seq > from).map(({ event }) => event)
  const next =
    from > 0
      ? { contact, before: from, transfers: part.transfers }
      : ((await earlier(host, part)) ?? historyPlace(host, part))
  return { said: taken.map(({ message }) => message), events, next, unreadable }
}

/** All that was said, newest first. */
export async function* transcriptOf(
  host: TranscriptHost,
  openFile: OpenFile,
): AsyncGenerator<TranscriptMessage, void, undefined> {
  for (let before: string | null | undefined; before !== null;) {
    const page: TranscriptPage = await readTranscript(host, before === undefined ? {} : { before }, openFile)
    yield* page.messages
    before = page.before
  }
}

const cursorOf = ({ contact, before, transfers = 0 }: Place): string =>
  `${contact}@${before ?? 0}${transfers > 0 ? `@${transfers}` : ''}`

function placeOf(cursor: unknown): Place {
  const [, contact, before, transfers = 0] = CURSOR.exec(typeof cursor === 'string' ? cursor : '') ?? []
  if (contact === undefined)
    throw new ContactError('invalid_argument', `unable to ${OPERATION}; before is no cursor`)
  return { contact, before: Number(before), transfers: Number(transfers) }
}
