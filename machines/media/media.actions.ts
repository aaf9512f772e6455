/** What the media machine does, by the names of its chart: the context, the outbox, the engines, the outside. */
import { enqueueActions } from 'xstate'
import type { ParameterizedObject } from 'xstate'
import { algebra } from '../../protocol/index.ts'
import type { ErrorCode, MediaState, PartialMediaState, PartyBodies } from '../../protocol/index.ts'
import { absorb } from './media.absorb.ts'
import { afterSettled, restored } from './media.pending.ts'
import { restoringOffer } from './media.restoring.ts'
import {
  cutBy,
  entryId,
  isHolderGone,
  isSlotFree,
  lessTransmitted,
  missing,
  neededConsent,
  refOf,
  transmissions,
  wantedBy,
} from './media.rules.ts'
import type { MediaContext, MediaEmitted, MediaEvent, NewOffer, OwnOffer } from './media.types.ts'

type Params = ParameterizedObject['params'] | undefined
type Plan<P extends Params> = Parameters<
  typeof enqueueActions<MediaContext, MediaEvent, P, MediaEvent, never, never, never, 'window', MediaEmitted>
>[0]
/** What an action is given, with what it can do. */
type Given = Parameters<Plan<undefined>>[0]

/** Fills in the types of the machine; `P` is what the chart passes. */
const action = <P extends Params = undefined>(plan: Plan<P>) =>
  enqueueActions<MediaContext, MediaEvent, P, MediaEvent, never, never, never, 'window', MediaEmitted>(plan)

/** Hands the next entry of this machine to the outbox. */
function write<T extends keyof PartyBodies>(
  { context, enqueue }: Pick<Given, 'context' | 'enqueue'>,
  type: T,
  body: PartyBodies[T],
): void {
  const written = context.written + 1
  enqueue.assign({ written })
  enqueue.sendTo('log', { type: 'log.write', entry: { id: entryId(context, written), type, body } })
}

/** Begins an own offer or direct transition: what it could transmit is agreed to. */
function begins({ context, enqueue }: Given, id: string, entry: OwnOffer['entry']): void {
  const most = wantedBy(entry)
  enqueue.assign({
    own: { id, entry, ref: null, cancel: null, outcome: null },
    consent: [...new Set([...context.consent, ...most])],
    window: entry.body.restore ? context.window : context.window.filter((one) => most.includes(one)),
  })
}

/** Answers the offer that stands, and agrees to what the answer turns on. */
function answers(given: Given, answer: PartialMediaState): void {
  const { context, enqueue } = given
  write(given, 'answer', { ref: refOf(context), answer })
  enqueue.assign({ consent: [...new Set([...context.consent, ...transmissions(answer)])] })
}

/** Takes over what the event tells; says so where the media are others than before. */
const applyEvent = action(({ context, event, enqueue }) => {
  const next = absorb(context, event)
  const [from, to] = [context.shared.media, next.shared.media]
  enqueue.assign(next)
  const interrupted = event.type === 'log.partyChanged'
  if (interrupted && cutBy(from, to).some((one) => next.window.includes(one))) {
    enqueue.cancel('window')
    enqueue.raise({ type: 'window.closed' }, { id: 'window', delay: 'window' })
  }
  if (!algebra.sameMedia(from, to))
    enqueue.emit({ type: 'media.changed', from, to, ...(interrupted && { interrupted }) })
  if (event.type === 'engine.broke') enqueue.emit({ type: 'engine.lost', reason: event.reason })
})

/** Settles an own offer whose outcome is known, and forgets consents that nothing needs any more. */
const settle = action(({ context, enqueue }) => {
  const { own, shared } = context
  enqueue.assign({ consent: neededConsent(context) })
  if (!own?.outcome) return
  const { change, told } = afterSettled(context, own)
  enqueue.assign({ own: null, ...change })
  enqueue.emit({ type: 'offer.settled', id: own.id, outcome: own.outcome, media: shared.media })
  if (told) enqueue.emit(told)
})

/**
 * Enters the slot, or enters it again with what the engines still carry. Beside a page that holds it and
 * lives, the own name in `after` takes nothing: the session is one more channel.
 */
const announce = action<MediaState | undefined>((given, carried) => {
  const { capabilities, engines, session, shared, slot } = given.context
  write(given, 'present', {
    capabilities,
    media: algebra.holdsOf(carried ?? engines ?? algebra.nativeOnly(shared.media)),
    after: isSlotFree(given.context) || isHolderGone(given.context) ? shared.session[slot] : session,
  })
})

const begin = action<NewOffer>((given, { id, entry }) => begins(given, id, entry))

/** A capture has ended: its transmission goes off for the remote, too. */
const beginLess = action((given) => {
  const { context, enqueue } = given
  const written = context.written + 1
  begins(given, entryId(context, written), lessTransmitted(context))
  enqueue.assign({ written })
})

/**
 * Makes the offer that waits: the interrupted call's before the contact's first. A call of which nothing may
 * come back by itself is over.
 */
const makeOffer = action(({ context, enqueue }) => {
  const { interruptedMedia: call, pendingOffer: first, shared } = context
  const pending = call ?? first
  if (!pending) return
  if (call && (call.isLate || !algebra.asksForMore(call.offer))) {
    enqueue.assign({ interruptedMedia: null })
    return enqueue.emit(restored(call, shared.media))
  }
  const written = context.written + 1
  const id = entryId(context, written)
  enqueue.assign({
    written,
    ...(call ? { interruptedMedia: { ...call, id } } : { pendingOffer: { ...pending, id } }),
  })
  if (call) enqueue.emit({ type: 'call.restoring', media: call.media })
  enqueue.raise({ type: 'media.offer', id, offer: pending.offer, restore: call !== null })
})

/** A page load has cut a call, which may come back for a limited time. */
const noteInterrupted = action<{ readonly media: MediaState; readonly within: number }>(
  ({ enqueue }, { media, within }) => {
    const offer = restoringOffer(media)
    enqueue.assign({
      interruptedMedia: { media, offer, id: null, code: null, isLate: false, isOver: false },
    })
    enqueue.cancel('late')
    enqueue.raise({ type: 'call.late' }, { id: 'late', delay: within })
  },
)

/** Hands the own offer to the log. */
const send = action(({ context: { own }, enqueue }) => {
  if (own) enqueue.sendTo('log', { type: 'log.write', entry: { id: own.id, ...own.entry } })
})

/** Acquires what a command or an answer will transmit, while the user's click lasts. */
const prepare = action<PartialMediaState>(({ context, enqueue }, media) => {
  const prepared = missing(context, media)
  if (prepared.length === 0) return
  enqueue.assign({ prepared })
  enqueue.sendTo('engines', { type: 'engine.prepare', media })
})

/** An own offer is given up before the log has it. */
const dropUnsentOffer = action<ErrorCode>(({ context: { own }, enqueue }, code) => {
  if (own) enqueue.assign({ own: { ...own, outcome: { ok: false, code } } })
})

/** Takes an own offer back once it is known to stand; until then it is remembered. */
const withdraw = action<'withdrawn' | 'timeout'>((given, reason) => {
  const { own } = given.context
  if (own === null || own.cancel !== null) return
  given.enqueue.assign({ own: { ...own, cancel: reason } })
  if (own.ref !== null) write(given, 'withdraw', { ref: own.ref, reason })
})

/** The offer stands now: what was taken back before is withdrawn. */
const withdrawLate = action((given) => {
  const { own } = given.context
  if (own?.cancel && own.ref !== null) write(given, 'withdraw', { ref: own.ref, reason: own.cancel })
})

/** The application's answer. */
const answer = action<PartialMediaState>((given, media) => answers(given, media))

/** The machine's own answer to an offer that brings back what an absence has cut. */
const restore = action((given) => {
  const { phase } = given.context.shared
  if (phase.name === 'offered') answers(given, algebra.mostOf(phase.offer))
})

const reject = action<string>((given, reason) =>
  write(given, 'reject', { ref: refOf(given.context), reason }),
)

const ask = action(({ context: { shared }, enqueue }) => {
  const { phase } = shared
  if (phase.name === 'offered') enqueue.emit({ type: 'media.asked', ref: phase.ref, offer: phase.offer })
})

/**
 * What was acquired for an offer that lost, and the target does not transmit, is given back after the
 * transition.
 */
const startTransition = action(({ context: { shared, slot, prepared }, enqueue }) => {
  const { phase, media } = shared
  if (phase.name !== 'transiting') return
  const { ref, by, target, restore } = phase
  enqueue.assign({
    engines: null,
    prepared: prepared.filter((one) => !transmissions(target).includes(one)),
  })
  enqueue.sendTo('engines', {
    type: 'engine.work',
    ref,
    from: media,
    to: target,
    wasOffered: by !== slot,
    restore,
  })
})

const ready = action((given) => write(given, 'ready', { ref: refOf(given.context) }))

/** The other side is told at once that this one could not, or that the transition takes too long. */
const reportFailure = action<ErrorCode>((given, code) =>
  write(given, 'failed', { ref: refOf(given.context), code }),
)

/** The transition that stands is worked for no more. */
const giveUp = action(({ context, enqueue }) => enqueue.assign({ failed: refOf(context) }))

/** The log wants a transmission without consent: it stays off. */
const refuse = action((given) => {
  const ref = refOf(given.context)
  given.enqueue.emit({ type: 'consent.missing', ref })
  write(given, 'failed', { ref, code: 'tampered' })
})

/**
 * Cancels what runs and brings the engines to the contact's media; to what needs no remote where the slot is
 * lost. What they carry until then is uncertain.
 */
const undo = action(({ context, enqueue }) => {
  const { media, session } = context.shared
  enqueue.assign({ engines: null })
  enqueue.sendTo('engines', {
    type: 'engine.undo',
    to: session[context.slot] === context.session ? media : algebra.nativeOnly(media),
  })
})

/** The contact is over for this party: every medium is off, whatever was pending ends with `left`. */
const close = action(({ context, event, enqueue }) => {
  const next = absorb(context, event)
  const off = { Sharing: { tx: false, rx: false } }
  enqueue.assign({ ...next, shared: { ...next.shared, media: off } })
  enqueue.cancel('window')
  enqueue.cancel('late')
  enqueue.emit({ type: 'media.changed', from: context.shared.media, to: off })
  enqueue.sendTo('engines', { type: 'engine.stop' })
})

/** An actor of the machine has failed: the page takes no part in media any more. */
const leave = action(({ enqueue }) => enqueue.raise({ type: 'contact.leave' }))

const ignore = action(({ context, enqueue }) => enqueue.assign({ ignored: context.ignored + 1 }))

/** Every action of the media chart. */
export const mediaActions = {
  applyEvent,
  settle,
  announce,
  begin,
  beginLess,
  makeOffer,
  noteInterrupted,
  send,
  prepare,
  dropUnsentOffer,
  withdraw,
  withdrawLate,
  answer,
  restore,
  reject,
  ask,
  startTransition,
  ready,
  reportFailure,
  giveUp,
  refuse,
  undo,
  close,
  leave,
  ignore,
}
