/**
 * What the media machine does: each action as data, so that it can be read, tested and explored without
 * running anything.
 */
import { algebra } from '../../protocol/index.ts'
import type { ErrorCode, PartyBodies } from '../../protocol/index.ts'
import {
  absorb,
  cutBy,
  isHolderGone,
  isSlotFree,
  missing,
  mostWanted,
  refOf,
  transmissions,
  wantedBy,
} from './media.rules.ts'
import type {
  EngineCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  OwnOffer,
  WriteCommand,
} from './media.types.ts'

const { holdsOf, merge, mostOf, nativeOnly, normalize, sameMedia } = algebra

/** One step: the new context, then what the outbox, the engines and the outside get. */
export interface Step {
  readonly context?: Partial<MediaContext>
  readonly write?: WriteCommand
  readonly engines?: EngineCommand
  readonly emit?: readonly MediaEmitted[]
  /** The window of unasked restores opens anew, or closes. */
  readonly window?: 'open' | 'close'
}

type Action = (context: MediaContext, event: MediaEvent) => Step

/** Id of the `n`-th entry of this session's machine: writing it twice is harmless. */
export const entryId = ({ session }: MediaContext, n: number): string => `${session}.${n}`

const writes = <T extends keyof PartyBodies>(
  context: MediaContext,
  type: T,
  body: PartyBodies[T],
): Pick<Step, 'write'> & { readonly context: Partial<MediaContext> } => {
  const written = context.written + 1
  return {
    context: { written },
    write: { type: 'log.write', entry: { id: entryId(context, written), type, body } } as WriteCommand,
  }
}

/** Takes over what the event tells; says so where the media are others than before. */
export const applyEvent: Action = (context, event) => {
  const next = absorb(context, event)
  const changed = !sameMedia(context.shared.media, next.shared.media)
  return {
    context: next,
    emit: [
      ...(changed
        ? [{ type: 'media.changed' as const, from: context.shared.media, to: next.shared.media }]
        : []),
      ...(event.type === 'engine.broke' ? [{ type: 'engine.lost' as const, reason: event.reason }] : []),
    ],
    ...(event.type === 'log.partyChanged' &&
      cutBy(context.shared.media, next.shared.media).some((one) => next.window.includes(one)) && {
        window: 'open' as const,
      }),
  }
}

/** Settles an own offer whose outcome is known, and forgets consents that nothing needs any more. */
export const settle: Action = (context) => {
  const { own, shared } = context
  const open = own && !own.outcome ? wantedBy(own.entry) : []
  const agreed = shared.phase.name === 'transiting' ? transmissions(shared.phase.target) : []
  const needed = new Set([...transmissions(shared.media), ...agreed, ...open])
  const consent = context.consent.filter((one) => needed.has(one))
  if (!own?.outcome) return { context: { consent } }
  return {
    context: { own: null, consent },
    emit: [{ type: 'offer.settled', id: own.id, outcome: own.outcome, media: shared.media }],
  }
}

/**
 * Enters the slot, or enters it again with what the engines still carry. Beside a page that holds it and
 * lives, the own name in `after` takes nothing: the session is one more channel.
 */
export const announce: Action = (context, event) => {
  const { capabilities, engines, session, shared, slot } = context
  const carried = event.type === 'engine.broke' ? event.media : (engines ?? nativeOnly(shared.media))
  return writes(context, 'present', {
    capabilities,
    media: holdsOf(carried),
    after: isSlotFree(context) || isHolderGone(context) ? shared.session[slot] : session,
  })
}

/** Begins an own offer or direct transition: what it could transmit is agreed to. */
export const begin: Action = (context, event) => {
  if (event.type === 'media.offer')
    return begins(context, event.id, {
      type: 'offer',
      body: { offer: event.offer, restore: event.restore, lifetime: context.offerLifetime },
    })
  if (event.type === 'media.transit')
    return begins(context, event.id, {
      type: 'direct',
      body: { target: normalize(event.target), restore: event.restore },
    })
  return {}
}

/** A capture has ended: its transmission goes off for the remote, too. */
export const beginLess: Action = (context) => {
  const { media } = context.shared
  const target = merge(
    media,
    Object.fromEntries(
      context.lostCaptures.map((medium) => [medium, { tx: false, rx: media[medium]?.rx ?? false }]),
    ),
  )
  const written = context.written + 1
  const { context: begun } = begins(context, entryId(context, written), {
    type: 'direct',
    body: { target, restore: false },
  })
  return { context: { ...begun, written } }
}

const begins = (context: MediaContext, id: string, entry: OwnOffer['entry']): Step => {
  const most = wantedBy(entry)
  return {
    context: {
      own: { id, entry, ref: null, cancel: null, outcome: null },
      consent: [...new Set([...context.consent, ...most])],
      window: entry.body.restore ? context.window : context.window.filter((one) => most.includes(one)),
    },
  }
}

/** Hands the own offer to the log. */
export const send: Action = ({ own }) =>
  own ? { write: { type: 'log.write', entry: { id: own.id, ...own.entry } } as WriteCommand } : {}

/** Acquires what a command or an answer will transmit, while the user's click lasts. */
export const prepare: Action = (context, event) => {
  const wanted = mostWanted(event)
  const prepared = missing(context, wanted)
  return prepared.length === 0
    ? {}
    : { context: { prepared }, engines: { type: 'engine.prepare', media: wanted } }
}

/** An own offer is given up before the log has it. */
export const dropUnsentOffer: Action = ({ own }, { type }) => {
  const code = type === 'media.withdraw' ? 'withdrawn' : type === 'log.transiting' ? 'glare' : 'timeout'
  return own ? { context: { own: { ...own, outcome: { ok: false, code } } } } : {}
}

/** The application's answer, or the machine's own to a restore: agrees to what it turns on. */
export const answer: Action = (context, event) =>
  event.type === 'media.answer' ? answers(context, event.answer) : {}

export const restore: Action = (context) =>
  context.shared.phase.name === 'offered' ? answers(context, mostOf(context.shared.phase.offer)) : {}

const answers = (context: MediaContext, given: PartyBodies['answer']['answer']): Step => {
  const { context: counted, write } = writes(context, 'answer', { ref: refOf(context), answer: given })
  return {
    context: { ...counted, consent: [...new Set([...context.consent, ...transmissions(given)])] },
    ...(write && { write }),
  }
}

export const reject: Action = (context, event) =>
  event.type === 'media.reject'
    ? writes(context, 'reject', { ref: refOf(context), reason: event.reason })
    : {}

/** The application never answered. */
export const expire: Action = (context) =>
  writes(context, 'reject', { ref: refOf(context), reason: 'expired' })

export const ask: Action = ({ shared: { phase } }) =>
  phase.name === 'offered' ? { emit: [{ type: 'media.asked', ref: phase.ref, offer: phase.offer }] } : {}

/** Takes an own offer back once it is known to stand; until then it is remembered. */
export const cancel = (context: MediaContext, reason: 'withdrawn' | 'timeout'): Step => {
  const { own } = context
  if (own === null || own.cancel !== null) return {}
  const cancelled = { own: { ...own, cancel: reason } }
  if (own.ref === null) return { context: cancelled }
  const { context: counted, write } = writes(context, 'withdraw', { ref: own.ref, reason })
  return { context: { ...counted, ...cancelled }, ...(write && { write }) }
}

/** The offer stands now: what was taken back before is withdrawn. */
export const cancelLate: Action = (context) =>
  context.own?.cancel && context.own.ref !== null
    ? writes(context, 'withdraw', { ref: context.own.ref, reason: context.own.cancel })
    : {}

/**
 * What was acquired for an offer that lost, and the target does not transmit, is given back after the
 * transition.
 */
export const startTransition: Action = ({ shared: { phase, media }, slot, prepared }) =>
  phase.name === 'transiting'
    ? {
        context: {
          engines: null,
          prepared: prepared.filter((one) => !transmissions(phase.target).includes(one)),
        },
        engines: {
          type: 'engine.work',
          ref: phase.ref,
          from: media,
          to: phase.target,
          wasOffered: phase.by !== slot,
          restore: phase.restore,
        },
      }
    : {}

export const ready: Action = (context) => writes(context, 'ready', { ref: refOf(context) })

/** The engines could not, or took too long: the other side is told at once. */
export const reportFailure: Action = (context, event) => {
  const step = fails(context, event.type === 'engine.failed' ? event.code : 'timeout')
  return event.type === 'engine.failed'
    ? step
    : { ...step, context: { ...step.context, failed: refOf(context) } }
}

/** The other side takes too long: it is told, and the log decides. */
export const reportPeerTimeout: Action = (context) => fails(context, 'timeout')

/** The log wants a transmission without consent: it stays off. */
export const refuse: Action = (context) => ({
  ...fails(context, 'tampered'),
  emit: [{ type: 'consent.missing', ref: refOf(context) }],
})

const fails = (context: MediaContext, code: ErrorCode) =>
  writes(context, 'failed', { ref: refOf(context), code })

/**
 * Cancels what runs and brings the engines to the contact's media; to what needs no remote where the slot is
 * lost. What they carry until then is uncertain.
 */
export const undo: Action = (context) => {
  const { media, session } = context.shared
  return {
    context: { engines: null },
    engines: {
      type: 'engine.undo',
      to: session[context.slot] === context.session ? media : nativeOnly(media),
    },
  }
}

/** The contact is over for this party: every medium is off, whatever was pending ends with `left`. */
export const close: Action = (context, event) => {
  const next = absorb(context, event)
  const off = { Sharing: { tx: false, rx: false } }
  return {
    context: { ...next, shared: { ...next.shared, media: off } },
    engines: { type: 'engine.stop' },
    window: 'close',
    emit: [{ type: 'media.changed', from: context.shared.media, to: off }],
  }
}

export const ignore: Action = (context) => ({ context: { ignored: context.ignored + 1 } })
