import { definitionOf, isUnopened } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import type { TranscriptMessage } from '../api/transcript.ts'

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
