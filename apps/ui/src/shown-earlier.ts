import type { History, SavedHistory } from './history.ts'
import { noticesSince } from './media-notices.ts'
import { interrupted } from './own-messages.ts'
import type { ContactData } from './sdk.ts'
import { noticed } from './transcript.ts'

/** What an earlier page of the tab has shown of a contact, and what has become of it since. */
export function shownEarlier(
  history: History | undefined,
  { id, mediaState }: ContactData,
  at: number,
): SavedHistory | null {
  const kept = history?.load(id) ?? null
  if (!kept) return null
  const said = noticesSince(kept.on ?? [], mediaState)
  const transcript = said.reduce((all, notice) => noticed(all, { notice, at }), interrupted(kept.transcript))
  return { ...kept, transcript }
}
