/**
 * Media negotiation of one party in one page life. The top-level states are the public `mediaState`.
 *
 *   init ─slotHeld─▶ idle ──media.offer, media.transit──▶ offering ───transiting──▶ transiting ──committed──▶ idle
 *    ▲                │                              preparing ▶ sent ▶ awaitingAnswer answered ▶ working ▶ awaiting
 *    │                └──offered──▶ offered ──media.answer, media.reject──▶ answered    └─failed─▶ undoing ▶ failing ▶ idle
 *    └── slotLost, engine.broke, refused, contact.leave: from every state
 *
 * The log decides and never waits; the engines follow it, one operation at a time. Rules:
 * docs/negotiation.md.
 * An event is applied to the context first (`applyEvent`, `media.absorb.ts`); the eventless transitions of the
 * resting states then ask the context where to go. `media.setup.ts` names the guards, `media.rules.ts` has what
 * they ask, `media.actions.ts` what the actions do.
 */
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import { algebra } from '../../protocol/index.ts'
import { mostWanted, ownOffer } from './media.rules.ts'
import { mediaSetup } from './media.setup.ts'
import type { MediaContext, MediaEvent, OfferCommand } from './media.types.ts'

const APPLY = { actions: 'applyEvent' } as const
/** Applies the event; idle decides what comes next. */
const NEXT = { target: '#media.idle', actions: 'applyEvent' } as const
const wanted = ({ event }: { readonly event: OfferCommand }) => mostWanted(event)
const refOfEvent = ({ event }: { readonly event: { readonly ref: number } }) => event.ref
const idOfEvent = ({ event }: { readonly event: { readonly id: string } }) => event.id
const begin = {
  type: 'begin',
  params: ({ context, event }: { readonly context: MediaContext; readonly event: OfferCommand }) =>
    ownOffer(context, event),
} as const
const BEGIN = [
  {
    guard: { type: 'mustPrepare', params: wanted },
    target: 'offering.preparing',
    actions: [begin, { type: 'prepare', params: wanted }],
  },
  { target: 'offering.sent', actions: [begin, 'send'] },
] as const
const announce = {
  type: 'announce',
  params: ({ event }: { readonly event: MediaEvent }) =>
    event.type === 'engine.broke' ? event.media : undefined,
} as const
const START_OVER = { target: '.init.reannouncing', actions: ['applyEvent', 'settle', announce] } as const
const CLOSE = { target: '.init.closed', actions: ['close', 'settle'] } as const
const isCurrent = { type: 'isCurrent', params: refOfEvent } as const
const isPresent = { type: 'isPresent', params: idOfEvent } as const
/** The engines go back while the own offer is open. */
const TRIM = { guard: 'differs', target: 'undoing', actions: 'undo' } as const

/** Media negotiation of one party in one page life. */
export const mediaMachine = mediaSetup.createMachine({
  id: 'media',
  context: ({ input: { firstOffer = null, ...input } }) => ({
    ...input,
    engines: algebra.nativeOnly(input.shared.media),
    own: null,
    failed: null,
    prepared: [],
    consent: [],
    window: [],
    lostCaptures: [],
    interruptedMedia: null,
    pendingOffer: firstOffer && { offer: firstOffer, id: null, isOver: false },
    written: input.written ?? 0,
    ignored: 0,
  }),
  invoke: [
    {
      src: 'engines',
      id: 'engines',
      input: ({ context: { shared } }) => algebra.nativeOnly(shared.media),
      onError: { actions: 'leave' },
    },
    { src: 'log', id: 'log', onError: { actions: 'leave' } },
  ],
  initial: 'init',
  on: {
    'log.slotLost': { target: '.init.stopping', actions: ['applyEvent', 'settle', 'undo'] },
    'log.closed': CLOSE,
    'contact.leave': CLOSE,
    'engine.broke': [
      { guard: { type: 'areUnused', params: ({ event }) => event.engines }, actions: 'ignore' },
      START_OVER,
    ],
    'log.refused': START_OVER,
    'log.*': APPLY,
    'holder.*': APPLY,
    'capture.ended': APPLY,
    'capabilities.set': APPLY,
    'window.closed': APPLY,
    'first.due': APPLY,
    'call.interrupted': { actions: { type: 'noteInterrupted', params: ({ event }) => event } },
    'call.*': APPLY,
    '*': { actions: 'ignore' },
  },
  states: {
    /** This session does not hold its slot, or not any more. */
    init: {
      initial: 'announcing',
      on: { 'log.refused': APPLY, 'engine.broke': APPLY, 'media.takeOver': APPLY },
      states: {
        /** The own `present` is on its way. */
        announcing: {
          entry: announce,
          on: {
            'log.slotHeld': NEXT,
            'log.voided': [
              { guard: { type: 'isEarlier', params: idOfEvent }, ...APPLY },
              { target: 'checking', ...APPLY },
            ],
            'log.refused': [{ guard: isPresent, target: 'displaced', ...APPLY }, APPLY],
          },
        },
        /** An engine broke, or an entry was refused: `present` again, with what the engines still carry. */
        reannouncing: {
          on: {
            'engine.undone': APPLY,
            'log.slotHeld': NEXT,
            /** A page that cannot say what its engines carry takes no part any more. */
            'log.refused': [{ guard: isPresent, ...CLOSE, target: 'closed' }, APPLY],
          },
        },
        /** The slot is lost, and the engines undo all that needs the remote. */
        stopping: {
          on: {
            'engine.undone': { target: 'checking', ...APPLY },
            'engine.broke': { target: 'checking', ...APPLY },
          },
        },
        /** Passed at once: who holds the slot. */
        checking: {
          always: [
            { guard: 'isSlotFree', target: 'announcing' },
            { guard: 'isHolderGone', target: 'succeeding' },
            { target: 'displaced' },
          ],
        },
        /**
         * A page that lives holds the slot: waits until it is gone or the user asks, so that two tabs never
         * fight. Or the service did not take the own `present`: waits for the same, or until it tells who is
         * there.
         */
        displaced: {
          on: {
            'log.slotFreed': { target: 'announcing', ...APPLY },
            'media.takeOver': { target: 'announcing', ...APPLY },
            'holder.*': { target: 'checking', ...APPLY },
          },
        },
        /** The page that holds the slot is gone, and may be back at once: it is being loaded anew. */
        succeeding: {
          after: { successionLimit: 'announcing' },
          always: { guard: 'isHolderBack', target: 'checking' },
          on: { 'media.takeOver': { target: 'announcing', ...APPLY } },
        },
        /** The contact is over for this page. */
        closed: { on: { '*': { actions: 'ignore' } } },
      },
    },
    /** Nothing in progress, or passed at once: what is to be done next, the first that fits. */
    idle: {
      always: [
        { guard: 'differs', target: 'transiting.undoing', actions: 'undo' },
        { guard: 'mustSettle', actions: 'settle' },
        { guard: 'mayWork', target: 'transiting.working' },
        { guard: 'hasFailed', target: 'transiting.failing' },
        { guard: 'isTransiting', target: 'transiting.failing', actions: 'refuse' },
        { guard: 'isRestorable', target: 'transiting.answered', actions: 'restore' },
        { guard: 'isOffered', target: 'offered' },
        { guard: 'mustSendLess', target: 'offering.sent', actions: ['beginLess', 'send'] },
        { guard: 'mustOffer', actions: 'makeOffer' },
      ],
      on: { 'media.offer': BEGIN, 'media.transit': BEGIN },
    },
    /** An own offer or direct transition is not decided yet. */
    offering: {
      initial: 'sent',
      after: {
        offerLifetime: [
          { guard: 'isPreparing', actions: { type: 'dropUnsentOffer', params: 'timeout' } },
          { actions: { type: 'withdraw', params: 'timeout' } },
        ],
      },
      on: {
        'log.offering': { actions: ['applyEvent', 'withdrawLate'] },
        'media.withdraw': { actions: { type: 'withdraw', params: 'withdrawn' } },
      },
      states: {
        /** Devices are acquired; the log has nothing of the offer yet. */
        preparing: {
          always: { guard: 'isGivenUp', target: '#media.transiting.undoing', actions: 'undo' },
          on: {
            'engine.prepared': [{ guard: 'isIdle', target: 'sent', actions: ['applyEvent', 'send'] }, APPLY],
            'engine.unprepared': APPLY,
            'media.withdraw': { actions: { type: 'dropUnsentOffer', params: 'withdrawn' } },
            /** The other side changes something directly: it does not wait for a question to the user here. */
            'log.transiting': { actions: ['applyEvent', { type: 'dropUnsentOffer', params: 'glare' }] },
          },
        },
        /** Its entry is not read back: no other offer is acted upon. */
        sent: {
          always: [
            TRIM,
            { guard: 'isOffering', target: 'awaitingAnswer' },
            { guard: 'isDecided', target: '#media.idle' },
          ],
        },
        /** It stands in the log and waits for an answer. */
        awaitingAnswer: {
          always: [
            TRIM,
            { guard: 'isDecided', target: '#media.idle' },
            { guard: 'mustSettle', actions: 'settle' },
          ],
        },
        /** The engines have to go back to the contact's media first. */
        undoing: {
          always: { guard: 'isDecided', target: '#media.transiting.undoing' },
          on: { 'engine.undone': { target: 'sent', ...APPLY } },
        },
      },
    },
    /** The application has to answer the other party's offer. */
    offered: {
      entry: 'ask',
      always: { guard: 'isQuestionOver', target: 'idle' },
      after: {
        answerLimit: { target: 'transiting.answered', actions: { type: 'reject', params: 'expired' } },
      },
      on: {
        'media.answer': {
          guard: isCurrent,
          target: 'transiting.answered',
          actions: [
            { type: 'prepare', params: ({ event }) => event.answer },
            { type: 'answer', params: ({ event }) => event.answer },
          ],
        },
        'media.reject': {
          guard: isCurrent,
          target: 'transiting.answered',
          actions: { type: 'reject', params: ({ event }) => event.reason },
        },
      },
    },
    /** The engines are being changed, or an answer is on its way. */
    transiting: {
      initial: 'answered',
      states: {
        /** Answered or rejected, and not read back. */
        answered: { always: { guard: 'isQuestionOver', target: '#media.idle' } },
        /** The engines work for the target. */
        working: {
          entry: 'startTransition',
          after: {
            transitionLimit: {
              target: 'undoing',
              actions: ['giveUp', { type: 'reportFailure', params: 'timeout' }, 'undo'],
            },
          },
          on: {
            'engine.worked': { guard: isCurrent, target: 'awaiting', actions: ['applyEvent', 'ready'] },
            'engine.failed': {
              guard: isCurrent,
              target: 'undoing',
              actions: ['applyEvent', { type: 'reportFailure', params: ({ event }) => event.code }, 'undo'],
            },
            'log.ended': { target: 'undoing', actions: ['applyEvent', 'undo'] },
            'log.partyChanged': { target: 'undoing', actions: ['applyEvent', 'undo'] },
          },
        },
        /** This side is `ready`: it stays at the target until the log decides. */
        awaiting: {
          always: { guard: 'isTransitionOver', target: '#media.idle' },
          after: { transitionLimit: { actions: { type: 'reportFailure', params: 'timeout' } } },
        },
        /** The engines go back to the contact's media. */
        undoing: { on: { 'engine.undone': NEXT } },
        /** Given up here; the log does not know yet. */
        failing: { always: { guard: 'isTransitionOver', target: '#media.idle' } },
      },
    },
  },
})

/** A running media machine. */
export type MediaActor = ActorRefFrom<typeof mediaMachine>
/** One moment of the media machine. */
export type MediaSnapshot = SnapshotFrom<typeof mediaMachine>
