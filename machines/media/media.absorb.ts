/** What the media machine knows after an event. Pure. */
import { algebra, otherSlot } from '../../protocol/index.ts'
import type { Ending, ErrorCode, MediaState, SharedState, VoidReason } from '../../protocol/index.ts'
import { absorbPending } from './media.pending.ts'
import { cutBy, transmissions, wantedBy } from './media.rules.ts'
import type { MediaContext, MediaEvent, OfferOutcome, OwnOffer } from './media.types.ts'

/** The context after what `event` tells. Commands change nothing here: the chart has an action for each. */
export function absorb(context: MediaContext, event: MediaEvent): MediaContext {
  const read = 'shared' in event ? reading(context, event.shared, event.type) : context
  switch (event.type) {
    case 'log.slotHeld':
      return entered(read, context.shared)
    case 'log.offering':
      return own(read, event.id, { ref: event.ref })
    case 'log.transiting':
      return own(read, event.id, { ref: event.ref })
    case 'log.voided':
      return own(read, event.id, { outcome: failure(read.own?.cancel ?? VOID_CODES[event.reason]) })
    case 'log.committed':
      return about(read, event.ref, { ok: true, answer: event.answer })
    case 'log.ended':
      return about(read, event.ref, outcomeOf(event.ending, context))
    case 'capabilities.set':
      return { ...read, capabilities: event.capabilities }
    case 'log.partyChanged':
      return read.own && isOver(read, read.own)
        ? about(
            read,
            read.own.ref,
            failure(isSamePeer(context, event.shared) ? 'remote_failed' : 'peer_left'),
          )
        : read
    case 'log.slotLost':
    case 'log.closed':
    case 'contact.leave':
      return ended({ ...read, window: [] }, failure('left'))
    case 'log.refused':
      return ended(read, failure(event.code, event.reason))
    case 'window.closed':
      return { ...read, window: [] }
    default:
      return absorbReply(read, event)
  }
}

/** The context at the next position of the log. */
const reading = (context: MediaContext, shared: SharedState, type: MediaEvent['type']): MediaContext => ({
  ...context,
  shared,
  gone: goneIn(shared, context, context.gone),
  window: widened(context, shared.media, type),
  lostCaptures: stillLost(context.lostCaptures, shared),
})

function absorbReply(context: MediaContext, event: MediaEvent): MediaContext {
  switch (event.type) {
    case 'capture.ended':
      return { ...context, lostCaptures: [...new Set([...context.lostCaptures, event.medium])] }
    case 'engine.unprepared':
      return ended(context, failure(event.code, event.reason))
    case 'engine.prepared':
      return context.shared.phase.name === 'idle' ? context : ended(context, failure('glare'))
    case 'engine.worked':
      return context.shared.phase.name === 'transiting'
        ? { ...context, engines: context.shared.phase.target }
        : context
    case 'engine.failed':
      return about(
        { ...context, engines: null, failed: event.ref },
        event.ref,
        failure(event.code, event.reason),
      )
    case 'engine.undone':
      return { ...context, engines: event.media, prepared: [] }
    case 'engine.broke':
      return ended(
        { ...context, engines: event.uncertain === true ? null : event.media },
        failure('engine_failed', event.reason),
      )
    case 'holder.gone':
    case 'media.takeOver':
      return { ...context, gone: goneIn(context.shared, context, context.shared.session[context.slot]) }
    case 'holder.here':
      return { ...context, gone: null }
    default:
      return absorbPending(context, event)
  }
}

/** What is known of a page that is gone matters while that page, and not this one, holds the slot. */
const goneIn = (shared: SharedState, { slot, session }: MediaContext, gone: string | null): string | null =>
  gone !== session && gone === shared.session[slot] ? gone : null

const VOID_CODES: Readonly<Record<VoidReason, ErrorCode>> = {
  not_holder: 'left',
  superseded: 'left',
  peer_left: 'peer_left',
  glare: 'glare',
  offer_required: 'offer_required',
  over: 'invalid_state',
  other_key: 'invalid_state',
}

/**
 * A session that takes its slot anew: what needs no remote is agreed to, and runs already unless nobody knows
 * what runs.
 */
function entered(context: MediaContext, { session }: SharedState): MediaContext {
  if (session[context.slot] === context.session) return context
  const native = algebra.nativeOnly(context.shared.media)
  return { ...context, engines: context.engines && native, consent: transmissions(native) }
}

const failure = (code: ErrorCode, reason?: string): OfferOutcome => ({
  ok: false,
  code,
  ...(reason !== undefined && { reason }),
})

const own = (context: MediaContext, id: string, change: Partial<OwnOffer>): MediaContext => {
  if (context.own?.id !== id) return context
  return {
    ...context,
    own: { ...context.own, ...change, outcome: context.own.outcome ?? change.outcome ?? null },
  }
}

/** The own offer, if there is one, has come to its end. */
const ended = (context: MediaContext, outcome: OfferOutcome): MediaContext =>
  context.own ? own(context, context.own.id, { outcome }) : context

const about = (context: MediaContext, ref: number | null, outcome: OfferOutcome): MediaContext => {
  const mine = context.own
  if (!mine || mine.ref === null || mine.ref !== ref) return context
  return own(
    mine.outcome ? context : { ...context, lostCaptures: untried(context.lostCaptures, mine) },
    mine.id,
    { outcome },
  )
}

/** Captures that matter yet: their medium transmits, or is about to. */
const stillLost = (lost: readonly string[], { media, phase }: SharedState): readonly string[] =>
  lost.filter(
    (medium) =>
      media[medium]?.tx === true || (phase.name === 'transiting' && phase.target[medium]?.tx === true),
  )

/** An own direct transition that turns them off is tried once. */
const untried = (lost: readonly string[], { entry }: OwnOffer): readonly string[] =>
  entry.type === 'direct' ? lost.filter((medium) => entry.body.target[medium]?.tx === true) : lost

const isOver = ({ shared: { phase } }: MediaContext, { ref }: OwnOffer): boolean =>
  phase.name === 'idle' || phase.ref !== ref

/** The other party's session is the same: its engine broke. */
const isSamePeer = ({ shared, slot }: MediaContext, after: SharedState): boolean =>
  shared.session[otherSlot(slot)] === after.session[otherSlot(slot)]

function outcomeOf(ending: Ending, { slot }: MediaContext): OfferOutcome {
  switch (ending.kind) {
    case 'refused':
      return { ok: true, answer: ending.answer }
    case 'invalid_answer':
      return failure('invalid_answer')
    case 'rejected':
      return failure('rejected', ending.reason)
    case 'withdrawn':
      return failure(ending.reason)
    case 'failed':
      return failure(ending.by === slot ? ending.code : 'remote_failed', ending.code)
  }
}

/**
 * What the other's absence cuts of a call of this session may come back without a question, but for what the
 * own user is about to turn off.
 */
const widened = (
  { window, shared, slot, session, consent, own: mine }: MediaContext,
  media: MediaState,
  event: MediaEvent['type'],
): readonly string[] => {
  if (event !== 'log.partyChanged' || shared.session[slot] !== session) return window
  const cut = cutBy(shared.media, media).filter((one) => consent.includes(one))
  const wanted = mine && !mine.outcome ? wantedBy(mine.entry) : cut
  return [...new Set([...window, ...cut.filter((one) => wanted.includes(one))])]
}
