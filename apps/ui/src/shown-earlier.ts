import { keptCall } from './cut-call.ts'
import type { History, SavedHistory } from './history.ts'
import { noticesSince } from './media-notices.ts'
import { interrupted } from './own-messages.ts'
import type { Contact } from './sdk.ts'
import { noticed } from './transcript.ts'

/** What an earlier page of the tab has shown of a contact, and what has become of it since. */
export function shownEarlier(
  history: History | undefined,
  contact: Contact,
  at: number,
): SavedHistory | null {
  const { id, mediaState: media } = contact.data()
  const kept = history?.load(id) ?? null
  if (!kept) return null
  const { call: before, ...shown } = kept
  const call = before && keptCall(before, { media, isAwaited: contact.mediaState !== 'idle' }, at)
  const said = before && !(call && 'until' in call) ? noticesSince(before.on, media) : []
  const transcript = said.reduce((all, notice) => noticed(all, { notice, at }), interrupted(kept.transcript))
  return { ...shown, ...(call && { call }), transcript }
}
