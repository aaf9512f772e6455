/** Offers that the SDK makes by itself: while they wait, and when their own offer is settled. Pure. */
import { algebra, otherSlot } from '../../protocol/index.ts'
import type { ErrorCode, MediaState } from '../../protocol/index.ts'
import { lessAfter, missingOf, restoringOffer } from './media.restoring.ts'
import type {
  InterruptedMedia,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  OwnOffer,
  PendingOffer,
} from './media.types.ts'

/** An offer waits to be made, and the other party is here. */
export const mustOffer = ({ shared, slot, interruptedMedia, pendingOffer }: MediaContext): boolean =>
  shared.session[otherSlot(slot)] !== null && (interruptedMedia ?? pendingOffer)?.id === null

/** The call is over as far as it can come back: what is missing of it, and why. */
export const restored = ({ media, code, isLate }: InterruptedMedia, now: MediaState): MediaEmitted => {
  const why = code ?? (isLate ? 'timeout' : null)
  return { type: 'call.restored', media: now, missing: missingOf(media, now), ...(why && { code: why }) }
}

/** An offer that waits is not made; one that is under way is not made again. */
const over = <T extends PendingOffer>(pending: T | null): T | null =>
  pending && pending.id !== null ? { ...pending, isOver: true } : null

/** The context after what the event tells of the offers that wait. */
export function absorbPending(context: MediaContext, event: MediaEvent): MediaContext {
  const { interruptedMedia: call, pendingOffer } = context
  switch (event.type) {
    case 'call.late':
      return { ...context, interruptedMedia: call && { ...call, isLate: true } }
    case 'call.ended':
      return { ...context, interruptedMedia: over(call) }
    case 'first.due': {
      const { offer } = event
      return { ...context, pendingOffer: offer ? { offer, id: null, isOver: false } : over(pendingOffer) }
    }
    default:
      return context
  }
}

interface Settled {
  readonly change: Partial<Pick<MediaContext, 'interruptedMedia' | 'pendingOffer'>>
  readonly told?: MediaEmitted
}

/** What comes after an own offer that has been settled. */
export function afterSettled(context: MediaContext, own: OwnOffer): Settled {
  const { interruptedMedia: call, pendingOffer: first, shared } = context
  const { outcome, id } = own
  if (call?.id === id) return afterRestore(call, codeOf(call, outcome), shared.media)
  if (first?.id !== id) return { change: {} }
  const code = codeOf(first, outcome)
  if (code === 'left' || code === 'glare')
    return { change: { pendingOffer: first.isOver ? null : { ...first, id: null } } }
  return {
    change: { pendingOffer: null },
    told: {
      type: 'offer.decided',
      code,
      reason: outcome && !outcome.ok ? outcome.reason : undefined,
    },
  }
}

/**
 * Where the remote was faster the call comes back after its offer, unless that is agreed to; where a device or
 * an engine failed, without what it was for.
 */
function afterRestore(call: InterruptedMedia, code: ErrorCode | null, now: MediaState): Settled {
  if (code === 'left') return { change: { interruptedMedia: null } }
  if (code === 'glare') return { change: { interruptedMedia: call.isOver ? null : { ...call, id: null } } }
  const offer = code && lessAfter(call.offer, code, restoringOffer(call.media))
  const tried = { ...call, code: code ?? call.code }
  return offer
    ? { change: { interruptedMedia: { ...tried, offer, id: null } } }
    : { change: { interruptedMedia: null }, told: restored({ ...tried, isLate: false }, now) }
}

/** Why the offer came to nothing; null where it was agreed to. */
function codeOf({ offer }: PendingOffer, outcome: OwnOffer['outcome']): ErrorCode | null {
  if (!outcome?.ok) return outcome?.code ?? null
  return outcome.answer && !algebra.satisfies(offer, outcome.answer) ? 'rejected' : null
}
