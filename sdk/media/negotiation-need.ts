/** What needs the negotiation, as a contact's log and what a tab has saved of it tell. Pure. */
import { algebra } from '../../protocol/index.ts'
import type { Entry, SharedState, Slot } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { SessionState } from '../contact/session-state.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { PendingMemory } from './pending-offer.ts'

/** A log in which nothing was cut and nothing is due. */
export const NOTHING_PENDING: PendingMemory = { cut: null, isFirstDue: false }

/** Facts of a negotiation. */
const NEGOTIATED: ReadonlySet<string> = new Set(['offered', 'transiting', 'ready', 'committed', 'ended'])

/** Who reads. */
export interface Reader {
  readonly role: Slot
  readonly session: string
  /** Id of the session's `present`, once it is written. */
  readonly present: string | undefined
}

const isHolder = (shared: SharedState, { role, session }: Reader): boolean => shared.session[role] === session

/**
 * Whether a session needs the negotiation from its start: a call that runs or was cut, an offer that the SDK is
 * to make by itself, or somebody who looks at the machines.
 */
export function needsFromStart(
  { saved, firstOffer, log }: SessionState,
  { role, inspect }: { readonly role: Slot; readonly inspect?: Inspect | undefined },
): boolean {
  const { media } = log.state.shared
  const { cut, isFirstDue } = saved.checkpoint?.pending ?? NOTHING_PENDING
  const { wanted, offered } = saved.values
  const isFirstToCome =
    role === 'visitor' && !offered && firstOffer !== undefined && algebra.asksForMore(firstOffer)
  const isPending = wanted !== undefined || cut !== null || isFirstDue || isFirstToCome
  return isPending || inspect !== undefined || !algebra.sameMedia(media, algebra.nativeOnly(media))
}

/** Whether an entry ends the contact for a party. */
export const isOver = ({ type }: Entry, role: Slot): boolean =>
  type === 'cleared' || (type === 'transferred' && role === 'agent')

/** Whether an entry says anything to a negotiation that is told of it later. */
export const isNews = ({ entry, fact }: ReadEntry): boolean =>
  fact.kind !== 'none' || entry.type === 'cleared' || entry.type === 'transferred'

/** Whether an entry decides about the session's `present`. */
export const decides = ({ entry, fact, after }: ReadEntry, reader: Reader): boolean =>
  entry.id === reader.present &&
  (fact.kind === 'void' || (fact.kind === 'present' && isHolder(after.shared, reader)))

/** Whether an entry is one of a negotiation, changes the media, or takes the slot from this session. */
export function isNegotiated({ entry, fact, before, after }: ReadEntry, reader: Reader): boolean {
  const [from, to] = [before.shared, after.shared]
  if (NEGOTIATED.has(fact.kind)) return true
  if (from.media !== to.media && !algebra.sameMedia(from.media, to.media)) return true
  if (fact.kind === 'void') return entry.id === reader.present
  return isHolder(from, reader) && !isHolder(to, reader) && !isOver(entry, reader.role)
}
