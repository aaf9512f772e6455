import { attempt } from './attempt.ts'
import { readCall } from './cut-call.ts'
import type { KeptCall } from './cut-call.ts'
import { isStopping } from './stopping.ts'
import type { Stopping } from './stopping.ts'
import type { Item, Transcript } from './transcript.ts'
import { isTranscript } from './transcript.ts'

/** What a tab keeps of a contact, so that a reload shows it again. */
export interface SavedHistory {
  readonly transcript: Transcript
  /** Messages that nobody has looked at yet; missing where there are none. */
  readonly unread?: number
  /** The other side has left for good. */
  readonly isPeerGone?: boolean
  /** What was said before the first message is not read yet. */
  readonly missesStart?: boolean
  /** Id of the last message that the other side was told was read. */
  readonly readTo?: string
  /** The call that was on, or was interrupted; missing where there was none. */
  readonly call?: KeptCall
  /** Media that the user has ended, and the contact has not yet. */
  readonly stopping?: Stopping
}

export interface History {
  load(contactId: string): SavedHistory | null
  save(contactId: string, kept: SavedHistory): void
  drop(contactId: string): void
}

/** A history that can be erased as a whole. */
export interface TabHistory extends History {
  clear(): void
}

/** Of one contact: what is kept is written at each message, and all contacts of the tab share some 5 million. */
const MOST_CHARACTERS = 100_000

type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/**
 * Kept for the life of the tab, under keys that begin with `prefix`; where storage is blocked or full,
 * nothing
 * is kept and nothing fails.
 */
export function tabHistory(storage: () => TabStorage, prefix = 'duolog-shown:'): TabHistory {
  return {
    load: (contactId) =>
      attempt(() => readSaved(JSON.parse(storage().getItem(prefix + contactId) ?? 'null')), null),
    save: (contactId, kept) =>
      attempt(() => keep(storage(), prefix + contactId, JSON.stringify(lately(kept))), undefined),
    drop: (contactId) => attempt(() => storage().removeItem(prefix + contactId), undefined),
    clear: () => attempt(() => erase(storage(), prefix), undefined),
  }
}

function erase(storage: TabStorage, prefix: string): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  for (const key of keys) if (key?.startsWith(prefix)) storage.removeItem(key)
}

/** The last messages, as many as are written in little time: the next page reads the others from the service. */
function lately({ transcript, ...kept }: SavedHistory): SavedHistory {
  const { items } = transcript
  let from = items.length
  for (let size = 0; from > 0; from -= 1) {
    size += sizeOf(items[from - 1])
    if (size > MOST_CHARACTERS) break
  }
  if (from === 0) return { transcript, ...kept }
  return { ...kept, transcript: { ...transcript, items: items.slice(from) }, missesStart: true }
}

/** Items do not change: each one is measured once. */
const sizes = new WeakMap<Item, number>()
function sizeOf(item: Item | undefined): number {
  if (!item) return 0
  const size = sizes.get(item) ?? JSON.stringify(item).length
  sizes.set(item, size)
  return size
}

/** What cannot be kept leaves nothing older in its place: the next page reads it from the service. */
function keep(storage: Pick<Storage, 'setItem' | 'removeItem'>, key: string, text: string): void {
  try {
    storage.setItem(key, text)
  } catch {
    storage.removeItem(key)
  }
}

function readSaved(found: unknown): SavedHistory | null {
  if (
    typeof found !== 'object' ||
    found === null ||
    !('transcript' in found) ||
    !isTranscript(found.transcript)
  )
    return null
  const unread = 'unread' in found && Number.isSafeInteger(found.unread) ? Number(found.unread) : 0
  const call = 'call' in found ? readCall(found.call) : null
  const stopping = 'stopping' in found && isStopping(found.stopping) ? found.stopping : null
  return {
    transcript: found.transcript,
    ...(unread > 0 && { unread }),
    ...('isPeerGone' in found && found.isPeerGone === true && { isPeerGone: true }),
    ...('missesStart' in found && found.missesStart === true && { missesStart: true }),
    ...('readTo' in found && typeof found.readTo === 'string' && { readTo: found.readTo }),
    ...(call && { call }),
    ...(stopping && { stopping }),
  }
}
