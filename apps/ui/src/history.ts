import { attempt } from './attempt.ts'
import type { Transcript } from './transcript.ts'
import { isTranscript } from './transcript.ts'

/** What a tab keeps of a contact, so that a reload shows it again. */
export interface Kept {
  readonly transcript: Transcript
}

export interface History {
  load(contactId: string): Kept | null
  save(contactId: string, kept: Kept): void
  drop(contactId: string): void
}

const PREFIX = 'duolog-shown:'

/** Kept for the life of the tab; where storage is blocked or full, nothing is kept and nothing fails. */
export function tabHistory(storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): History {
  return {
    load: (contactId) =>
      attempt(() => readKept(JSON.parse(storage().getItem(PREFIX + contactId) ?? 'null')), null),
    save: (contactId, kept) =>
      attempt(() => keep(storage(), PREFIX + contactId, JSON.stringify(kept)), undefined),
    drop: (contactId) => attempt(() => storage().removeItem(PREFIX + contactId), undefined),
  }
}

/** What cannot be kept leaves nothing older in its place: the next page reads it from the service. */
function keep(storage: Pick<Storage, 'setItem' | 'removeItem'>, key: string, text: string): void {
  try {
    storage.setItem(key, text)
  } catch {
    storage.removeItem(key)
  }
}

function readKept(found: unknown): Kept | null {
  if (
    typeof found !== 'object' ||
    found === null ||
    !('transcript' in found) ||
    !isTranscript(found.transcript)
  )
    return null
  return { transcript: found.transcript }
}
