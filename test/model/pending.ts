/**
 * Offers that the SDK makes by itself, as `sdk/media/pending-offer.ts` brings them about: what the log says of
 * them, what the machine is told, and what must hold of what it makes of that.
 */
import type { MediaEmitted, MediaEvent } from '../../machines/index.ts'
import type { Entry, Fact, PartialMediaState, SharedState, Slot } from '../../protocol/index.ts'
import { TALK } from './offers.ts'
import type { Local, Production } from './local.ts'
import type { Memory, PendingKind } from './memory.ts'

interface Reading {
  readonly entry: Entry
  readonly fact: Fact
  readonly before: SharedState
  readonly after: SharedState
}

interface Reader {
  readonly slot: Slot
  readonly wanted?: PartialMediaState | undefined
  readonly isDisplaced: boolean
  readonly isFirstDecided: boolean
}

/** What is remembered after an entry. An agent whose slot is empty has just been assigned. */
export function remembered(
  { machines }: Production,
  { memory, kind }: { readonly memory: Memory; readonly kind: PendingKind | null },
  { entry, fact, before, after }: Reading,
  { slot, wanted, isDisplaced, isFirstDecided }: Reader,
): Memory {
  if (kind === null) return memory
  const life = ({ session }: SharedState) => (session.agent === null ? 'assigned' : 'joined')
  const reading = {
    entry,
    fact,
    before: { shared: before, life: life(before) },
    after: { shared: after, life: life(after) },
  } as const
  if (kind === 'first')
    return slot === 'visitor'
      ? { ...memory, isFirstDue: machines.isFirstDueAfter(memory.isFirstDue, reading, isFirstDecided) }
      : memory
  const cut = machines.cutAfter(memory.cut && { media: memory.cut, time: 0 }, reading, {
    slot,
    wanted,
    isDisplaced,
  })
  return { ...memory, cut: cut?.media ?? null }
}

/** What the machine is told when an entry has changed what is remembered. */
export function notices(local: Local, after: Memory, fact: Fact): readonly MediaEvent[] {
  const before = local.memory
  return [
    ...(after.isFirstDue === before.isFirstDue
      ? []
      : [{ type: 'first.due', offer: after.isFirstDue ? TALK : null } as const]),
    ...(before.cut && !after.cut ? [{ type: 'call.ended' } as const] : []),
    ...(after.cut && fact.kind === 'present' && fact.session === local.session
      ? [{ type: 'call.interrupted', media: after.cut, within: RESTORE_WITHIN_MS } as const]
      : []),
  ]
}

/** How long a call may come back by itself: every entry of the checker is of the same moment. */
export const RESTORE_WITHIN_MS = 60_000

/** The page once its machine is told. */
export function noticed(local: Local, event: MediaEvent): Local {
  if (event.type === 'call.interrupted')
    return { ...local, comesBack: { media: event.media, isLate: false, isOver: false } }
  if (event.type === 'call.ended')
    return { ...local, comesBack: local.comesBack && { ...local.comesBack, isOver: true } }
  return local
}

/** What is wrong with an offer that the machine makes by itself, or null. */
export function offerFault(
  { protocol: { algebra } }: Production,
  local: Local,
  { offer, restore }: Extract<MediaEvent, { type: 'media.offer' }>,
): string | null {
  const { session, shared, slot, comesBack, memory } = local
  const other = slot === 'visitor' ? 'agent' : 'visitor'
  if (shared.session[other] === null) return `pending: ${session} offers by itself to nobody`
  if (!restore)
    return memory.isFirstDue && algebra.sameValue(offer, TALK)
      ? null
      : `pending: ${session} makes a first offer that is not due`
  if (!comesBack || comesBack.isOver) return `pending: ${session} brings back a call that is over`
  if (comesBack.isLate) return `pending: ${session} brings a call back too late`
  return directions(algebra.mostOf(offer)).every((one) => directions(comesBack.media).includes(one))
    ? null
    : `pending: ${session} brings back more than was cut`
}

/** What is wrong with what the machine tells of a call that is back, or null. */
export function returnFault(
  { session, comesBack, shared }: Local,
  { missing, code }: Extract<MediaEmitted, { type: 'call.restored' }>,
): string | null {
  if (!comesBack) return `pending: ${session} tells twice how a call came back`
  const now = directions(shared.media)
  const gone = directions(comesBack.media).filter((one) => !now.includes(one))
  const told = directions(missing)
  if (gone.length !== told.length || gone.some((one) => !told.includes(one)))
    return `pending: ${session} does not tell what is missing of its call`
  return gone.length > 0 && code === undefined
    ? `pending: ${session} does not tell why its call is not back`
    : null
}

/** Nothing is left of them where nothing is left to happen. */
export function pendingFault({ session, snapshot, memory, isFirstDecided }: Local): string | null {
  const { interruptedMedia, pendingOffer } = snapshot.context
  if (interruptedMedia) return `pending: the call of ${session} neither comes back nor is over`
  return pendingOffer || (memory.isFirstDue && !isFirstDecided)
    ? `pending: ${session} never makes the first offer, which is due`
    : null
}

const directions = (media: PartialMediaState): string[] =>
  Object.entries(media).flatMap(([medium, details]) =>
    medium === 'Sharing'
      ? []
      : [...(details?.tx ? [`${medium} tx`] : []), ...(details?.rx ? [`${medium} rx`] : [])],
  )
