/** What the log says of the offers that the SDK makes by itself, also before a page has entered. Pure. */
import { algebra } from '../../protocol/index.ts'
import type {
  ContactLife,
  Entry,
  Fact,
  MediaState,
  PartialMediaState,
  SharedState,
  Slot,
} from '../../protocol/index.ts'
import { stillWanted } from './media.restoring.ts'

/** How long an interrupted call may come back by itself, milliseconds; the other side's window is as long. */
export const RESTORE_WITHIN_MS = 60_000

/** A call that the end of an own session has cut. */
export interface Cut {
  readonly media: MediaState
  /** Time of the entry that cut it, as the service wrote it. */
  readonly time: number
}

interface State {
  readonly shared: SharedState
  readonly life: ContactLife
}

/** An entry, its effect, and the contact before and after it. */
interface Reading {
  readonly entry: Entry
  readonly fact: Fact
  readonly before: State
  readonly after: State
}

/** Who reads. */
interface Reader {
  readonly slot: Slot
  /** What the user was about to have on, where an own offer is not decided. */
  readonly wanted: PartialMediaState | undefined
  /** Another page of the party holds the slot. */
  readonly isDisplaced: boolean
}

/**
 * What the end of an own session has cut, but for what the user was about to turn off, until something else is
 * agreed, the other party is gone, or it is too late. What another tab had, that one's user ends.
 */
export function cutAfter(
  cut: Cut | null,
  { entry, fact, before, after }: Reading,
  reader: Reader,
): Cut | null {
  const { slot, wanted, isDisplaced } = reader
  const ownEnded =
    fact.kind === 'absent'
      ? !isDisplaced && fact.slots.every((each) => each === slot)
      : fact.kind === 'present' && fact.slot === slot && fact.previous !== fact.session
  const media = wanted ? stillWanted(before.shared.media, wanted) : before.shared.media
  if (ownEnded && !algebra.sameMedia(media, after.shared.media)) return { media, time: entry.time }
  const isOver =
    fact.kind === 'committed' ||
    (fact.kind === 'absent' && !ownEnded) ||
    entry.time - (cut?.time ?? 0) > RESTORE_WITHIN_MS
  return isOver ? null : cut
}

/**
 * Whether the contact's first offer is due: from when the agent has come, also during a page load, until
 * something is agreed or it is refused.
 */
export function isFirstDueAfter(
  isDue: boolean,
  { entry, fact, before }: Reading,
  isOffered: boolean,
): boolean {
  const isOver =
    fact.kind === 'committed' ||
    (fact.kind === 'ended' && fact.by === 'visitor') ||
    (fact.kind === 'absent' && fact.slots.includes('agent')) ||
    entry.type === 'transferred'
  if (isOver) return false
  return fact.kind === 'present' && fact.slot === 'agent' && before.life === 'assigned' ? !isOffered : isDue
}
