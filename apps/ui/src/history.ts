import type { Transcript } from './transcript.ts'
import { isTranscript } from './transcript.ts'

/** A place for what this tab has shown of a contact, so that a reload shows it again. */
export interface History {
  load(contactId: string): Transcript | null
  save(contactId: string, transcript: Transcript): void
  drop(contactId: string): void
}

const PREFIX = 'parley-shown:'

/** Kept for the life of the tab; where storage is blocked or full, nothing is kept and nothing fails. */
export function tabHistory(storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): History {
  const attempt = <T>(run: () => T, otherwise: T): T => {
    try {
      return run()
    } catch {
      return otherwise
    }
  }
  return {
    load: (contactId) =>
      attempt(() => {
        const found: unknown = JSON.parse(storage().getItem(PREFIX + contactId) ?? 'null')
        return isTranscript(found) ? found : null
      }, null),
    save: (contactId, transcript) => attempt(() => storage().setItem(PREFIX + contactId, JSON.stringify(transcript)), undefined),
    drop: (contactId) => attempt(() => storage().removeItem(PREFIX + contactId), undefined),
  }
}
