import type { Entry, Slot } from '../../../protocol/index.ts'

/** Who wrote a message, as a back end reads it. */
interface Author {
  readonly role: Slot
  readonly id: string
  readonly nick?: string
}

/** The party that wrote an entry or sent its file; null where it is the service's own. */
export function authorOf(entry: Entry): Author | null {
  if ('from' in entry) return { role: entry.slot, ...entry.from }
  return entry.type === 'attachment' ? { role: entry.body.slot, ...entry.body.from } : null
}
