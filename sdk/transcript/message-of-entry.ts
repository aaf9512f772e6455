import { definitionOf, isUnopened } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import type { TranscriptEvent, TranscriptMessage } from '../api/transcript.ts'

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

/** What an entry that is no message tells of the transcript; null: nothing. */
export function eventOf(entry: Entry): TranscriptEvent | null {
  if (isUnopened(entry)) return null
  const { type, slot, body, time: ts } = entry
  if (type === 'ack' || type === 'read') return { type, ref: body.ref, agent: slot === 'agent' }
  return type === 'joined' ? { type, user: body.user, nick: body.nick, ts } : null
}
