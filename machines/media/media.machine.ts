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
 * Guards are asked of the context as it is after the event; `media.setup.ts` has them, `media.rules.ts` and
 * `media.actions.ts` what they and the actions do.
 */
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import { algebra } from '../../protocol/index.ts'
import { mediaSetup } from './media.setup.ts'

const APPLY = { actions: 'applyEvent' } as const
/**
 * Where to go when no engine works: the first that fits. An own offer that is over is settled before anything
 * else starts.
 */
const NEXT = [
  { guard: 'mustTrim', target: '#media.offering.undoing', actions: ['applyEvent', 'undo'] },
  { guard: 'differs', target: '#media.transiting.undoing', actions: ['applyEvent', 'undo'] },
  { guard: 'isUnread', target: '#media.offering.sent', actions: ['applyEvent'] },
  { guard: 'isOffering', target: '#media.offering.awaitingAnswer', actions: ['applyEvent', 'settle'] },
  {
    guard: 'mayWork',
    target: '#media.transiting.working',
    actions: ['applyEvent', 'settle', 'startTransition'],
  },
  { guard: 'hasFailed', target: '#media.transiting.failing', actions: ['applyEvent', 'settle'] },
  { guard: 'isTransiting', target: '#media.transiting.failing', actions: ['applyEvent', 'settle', 'refuse'] },
  {
    guard: 'isRestorable',
    target: '#media.transiting.answered',
    actions: ['applyEvent', 'settle', 'restore'],
  },
  { guard: 'isOffered', target: '#media.offered', actions: ['applyEvent', 'settle', 'ask'] },
  {
    guard: 'mustSendLess',
    target: '#media.offering.sent',
    actions: ['applyEvent', 'settle', 'beginLess', 'send'],
  },
  { target: '#media.idle', actions: ['applyEvent', 'settle'] },
] as const
/**
 * The phase that this state waits for may be over: it ended, or the other party came, went or lost an engine.
 */
const IF_OVER = { 'log.ended': NEXT, 'log.partyChanged': NEXT } as const
const BEGIN = [
  { guard: 'mustPrepare', target: 'offering.preparing', actions: ['begin', 'prepare'] },
  { target: 'offering.sent', actions: ['begin', 'send'] },
] as const
const START_OVER = { target: '.init.reannouncing', actions: ['applyEvent', 'settle', 'announce'] } as const
const CLOSE = { target: '.init.closed', actions: ['close', 'settle'] } as const
/** A page that cannot say what its engines carry takes no part any more. */
const REFUSED = [{ guard: 'isPresent', ...CLOSE, target: '#media.init.closed' }, APPLY] as const
const ANNOUNCE = { target: 'announcing', actions: 'applyEvent' } as const
/** Where a page waits that does not hold the slot. */
const IN_LINE = [
  { guard: 'isSlotFree', target: 'announcing', reenter: true, actions: 'applyEvent' },
  { guard: 'isHolderGone', target: 'succeeding', actions: 'applyEvent' },
  { target: 'displaced', actions: 'applyEvent' },
] as const
/** An own offer whose fate is decided while the engines go back is no longer `offering`. */
const IF_DECIDED = [
  { guard: 'isDecided', target: '#media.transiting.undoing', actions: 'applyEvent' },
  APPLY,
] as const

/** Media negotiation of one party in one page life. */
export const mediaMachine = mediaSetup.createMachine({
  id: 'media',
  context: ({ input }) => ({
    ...input,
    engines: algebra.nativeOnly(input.shared.media),
    own: null,
    failed: null,
    prepared: [],
    consent: [],
    window: [],
    lostCaptures: [],
    written: input.written ?? 0,
    ignored: 0,
  }),
  invoke: [
    { src: 'engines', id: 'engines', input: ({ context: { shared } }) => algebra.nativeOnly(shared.media) },
    { src: 'log', id: 'log' },
  ],
  initial: 'init',
  on: {
    'log.slotLost': { target: '.init.stopping', actions: ['applyEvent', 'settle', 'undo'] },
    'log.closed': CLOSE,
    'contact.leave': CLOSE,
    'engine.broke': START_OVER,
    'log.refused': START_OVER,
    'log.*': APPLY,
    'holder.*': APPLY,
    'capture.ended': APPLY,
    'capabilities.set': APPLY,
    'window.closed': APPLY,
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
          entry: 'announce',
          on: {
            'log.slotHeld': NEXT,
            'log.voided': [{ guard: 'isEarlier', ...APPLY }, ...IN_LINE],
            'log.refused': [{ guard: 'isPresent', target: 'displaced', actions: 'applyEvent' }, APPLY],
          },
        },
        /** An engine broke, or an entry was refused: `present` again, with what the engines still carry. */
        reannouncing: { on: { 'engine.undone': APPLY, 'log.slotHeld': NEXT, 'log.refused': REFUSED } },
        /** The slot is lost, and the engines undo all that needs the remote. */
        stopping: { on: { 'engine.undone': IN_LINE, 'engine.broke': IN_LINE } },
        /**
         * A page that lives holds the slot: waits until it is gone or the user asks, so that two tabs never
         * fight. Or the service did not take the own `present`: waits for the same, or until it tells who is
         * there.
         */
        displaced: {
          on: {
            'log.slotFreed': ANNOUNCE,
            'media.takeOver': ANNOUNCE,
            'holder.gone': { target: 'succeeding', actions: 'applyEvent' },
            'holder.here': [{ guard: 'isSlotFree', ...ANNOUNCE }, APPLY],
          },
        },
        /** The page that holds the slot is gone, and may be back at once: it is being loaded anew. */
        succeeding: {
          after: { successionLimit: { target: 'announcing' } },
          on: {
            'log.slotFreed': ANNOUNCE,
            'media.takeOver': ANNOUNCE,
            'holder.here': IN_LINE,
            'log.partyChanged': [{ guard: 'isHolderGone', ...APPLY }, ...IN_LINE],
          },
        },
        /** The contact is over for this page. */
        closed: { on: { '*': { actions: 'ignore' } } },
      },
    },
    /** Nothing in progress. */
    idle: {
      on: {
        'media.offer': BEGIN,
        'media.transit': BEGIN,
        'capture.ended': NEXT,
        'log.offered': NEXT,
        'log.transiting': NEXT,
        'log.partyChanged': NEXT,
      },
    },
    /** An own offer or direct transition is not decided yet. */
    offering: {
      initial: 'sent',
      after: {
        offerLifetime: [
          { guard: 'isPreparing', target: 'transiting.undoing', actions: ['dropUnsentOffer', 'undo'] },
          { actions: 'expireOwnOffer' },
        ],
      },
      on: { 'media.withdraw': { actions: 'withdraw' } },
      states: {
        /** Devices are acquired; the log has nothing of the offer yet. */
        preparing: {
          on: {
            'engine.prepared': [
              { guard: 'isUnread', target: 'sent', actions: ['applyEvent', 'send'] },
              ...NEXT,
            ],
            'engine.unprepared': { target: '#media.transiting.undoing', actions: ['applyEvent', 'undo'] },
            'media.withdraw': { target: '#media.transiting.undoing', actions: ['dropUnsentOffer', 'undo'] },
            /**
             * The other side changes something directly: it does not wait for a question to the user here.
             */
            'log.transiting': {
              target: '#media.transiting.undoing',
              actions: ['applyEvent', 'dropUnsentOffer', 'undo'],
            },
            'log.voided': [
              { guard: 'isUnread', ...APPLY },
              { target: '#media.transiting.undoing', actions: ['applyEvent', 'undo'] },
            ],
          },
        },
        /** Its entry is not read back: no other offer is acted upon. */
        sent: {
          on: {
            'log.offering': { target: 'awaitingAnswer', actions: ['applyEvent', 'cancelLate'] },
            'log.transiting': NEXT,
            'log.voided': NEXT,
            'log.partyChanged': NEXT,
          },
        },
        /** It stands in the log and waits for an answer. */
        awaitingAnswer: { on: { 'log.transiting': NEXT, ...IF_OVER } },
        /** The engines have to go back to the contact's media first. */
        undoing: {
          on: {
            'engine.undone': NEXT,
            'log.offering': { actions: ['applyEvent', 'cancelLate'] },
            'log.transiting': IF_DECIDED,
            'log.ended': IF_DECIDED,
            'log.voided': IF_DECIDED,
            'log.partyChanged': IF_DECIDED,
          },
        },
      },
    },
    /** The application has to answer the other party's offer. */
    offered: {
      after: { answerLimit: { target: 'transiting.answered', actions: 'expire' } },
      on: {
        'media.answer': { guard: 'isCurrent', target: 'transiting.answered', actions: ['prepare', 'answer'] },
        'media.reject': { guard: 'isCurrent', target: 'transiting.answered', actions: 'reject' },
        'log.transiting': NEXT,
        ...IF_OVER,
      },
    },
    /** The engines are being changed, or an answer is on its way. */
    transiting: {
      initial: 'answered',
      states: {
        /** Answered or rejected, and not read back. */
        answered: { on: { 'log.transiting': NEXT, ...IF_OVER } },
        /** The engines work for the target. */
        working: {
          after: { transitionLimit: { target: 'undoing', actions: ['reportFailure', 'undo'] } },
          on: {
            'engine.worked': { guard: 'isCurrent', target: 'awaiting', actions: ['applyEvent', 'ready'] },
            'engine.failed': {
              guard: 'isCurrent',
              target: 'undoing',
              actions: ['applyEvent', 'reportFailure', 'undo'],
            },
            'log.ended': { target: 'undoing', actions: ['applyEvent', 'undo'] },
            'log.partyChanged': { target: 'undoing', actions: ['applyEvent', 'undo'] },
          },
        },
        /** This side is `ready`: it stays at the target until the log decides. */
        awaiting: {
          after: { transitionLimit: { actions: 'reportPeerTimeout' } },
          on: { 'log.committed': NEXT, ...IF_OVER },
        },
        /** The engines go back to the contact's media. */
        undoing: { on: { 'engine.undone': NEXT } },
        /** Given up here; the log does not know yet. */
        failing: { on: IF_OVER },
      },
    },
  },
})

/** A running media machine. */
export type MediaActor = ActorRefFrom<typeof mediaMachine>
/** One moment of the media machine. */
export type MediaSnapshot = SnapshotFrom<typeof mediaMachine>
