/**
 * Media negotiation of one party in one page life. The top-level states are the public `mediaState`.
 *
 *   init ─slotHeld─▶ idle ──media.offer, media.transit──▶ offering ───transiting──▶ transiting ──committed──▶ idle
 *    ▲                │                              preparing ▶ sent ▶ standing     answered ▶ working ▶ awaiting
 *    │                └──offered──▶ offered ──media.answer, media.reject──▶ answered    └─failed─▶ undoing ▶ failing ▶ idle
 *    └── slotLost, engine.broke, contact.leave: from every state
 *
 * The log decides and never waits; the engines follow it, one operation at a time. Rules: docs/negotiation.md.
 */
import { fromCallback, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import { algebra } from '../../protocol/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import * as act from './media.actions.ts'
import {
  absorb,
  differs,
  hasFailed,
  isOffered,
  isOffering,
  isRestorable,
  isSlotFree,
  isTransiting,
  isUnread,
  mayWork,
  missing,
  mostWanted,
  mustSendLess,
  refOf,
} from './media.rules.ts'
import type { EngineCommand, MediaContext, MediaEmitted, MediaEvent, MediaInput, WriteCommand } from './media.types.ts'

type Args = { readonly context: MediaContext; readonly event: MediaEvent }
/** Asks a question of the context as it is after the event. */
const after =
  (rule: (context: MediaContext) => boolean) =>
  ({ context, event }: Args): boolean =>
    rule(absorb(context, event))

const base = setup({
  types: {} as { context: MediaContext; events: MediaEvent; emitted: MediaEmitted; input: MediaInput },
  actors: { engines: fromCallback<EngineCommand, MediaState>(() => {}), log: fromCallback<WriteCommand>(() => {}) },
  guards: {
    /** The engines must go back while an own offer is still open. */
    mustTrim: after((context) => differs(context) && (isUnread(context) || isOffering(context))),
    differs: after(differs),
    isUnread: after(isUnread),
    isOffering: after(isOffering),
    isDecided: after((context) => !isUnread(context) && !isOffering(context)),
    mayWork: after(mayWork),
    hasFailed: after(hasFailed),
    isTransiting: after(isTransiting),
    isRestorable: after(isRestorable),
    isOffered: after(isOffered),
    isSlotFree: after(isSlotFree),
    mustSendLess: after(mustSendLess),
    /** Devices have to be acquired first, while the user's click lasts. */
    mustPrepare: ({ context, event }) => missing(context, mostWanted(event)).length > 0,
    isPrepared: after((context) => isUnread(context) && !isTransiting(context) && !isOffered(context)),
    /** A command or a reply about the phase that runs. */
    isCurrent: ({ context, event }) => 'ref' in event && event.ref === refOf(context),
    /** The own `present` that this state waits for. */
    isPresent: ({ context, event }) => event.type === 'log.voided' && event.id === act.entryId(context, context.written),
  },
  delays: {
    /** 60 s: how long an own offer stands. */
    offerLifetime: 60_000,
    /** 65 s: how long the application may think about an offer; longer than the offerer waits. */
    answerLimit: 65_000,
    /** 30 s: for an engine's work, and again for the other side's. */
    transitionLimit: 30_000,
    /** 60 s: how long what an absence has cut may come back without a question. */
    window: 60_000,
  },
})

const does = (action: (context: MediaContext, event: MediaEvent) => act.Step) =>
  base.enqueueActions(({ context, event, enqueue }) => {
    const { context: change, write, engines, emit, window } = action(context, event)
    if (change) enqueue.assign(change)
    if (window) enqueue.cancel('window')
    if (window === 'open') enqueue.raise({ type: 'window.closed' }, { id: 'window', delay: 'window' })
    for (const emitted of emit ?? []) enqueue.emit(emitted)
    if (write) enqueue.sendTo('log', write)
    if (engines) enqueue.sendTo('engines', engines)
  })

const TAKE = { actions: 'take' } as const
/** Where to go when no engine works: the first that fits. An own offer that is over is settled before anything else starts. */
const QUIET = [
  { guard: 'mustTrim', target: '#media.offering.undoing', actions: ['take', 'undo'] },
  { guard: 'differs', target: '#media.transiting.undoing', actions: ['take', 'undo'] },
  { guard: 'isUnread', target: '#media.offering.sent', actions: ['take'] },
  { guard: 'isOffering', target: '#media.offering.standing', actions: ['take', 'settle'] },
  { guard: 'mayWork', target: '#media.transiting.working', actions: ['take', 'settle', 'work'] },
  { guard: 'hasFailed', target: '#media.transiting.failing', actions: ['take', 'settle'] },
  { guard: 'isTransiting', target: '#media.transiting.failing', actions: ['take', 'settle', 'refuse'] },
  { guard: 'isRestorable', target: '#media.transiting.answered', actions: ['take', 'settle', 'restore'] },
  { guard: 'isOffered', target: '#media.offered', actions: ['take', 'settle', 'ask'] },
  { guard: 'mustSendLess', target: '#media.offering.sent', actions: ['take', 'settle', 'beginLess', 'send'] },
  { target: '#media.idle', actions: ['take', 'settle'] },
] as const
/** As {@link QUIET}, for a session that holds its slot for the first time. */
const ENTERED = QUIET.map((one) => ({ ...one, actions: ['enter', ...one.actions] as const }))
const BEGIN = [
  { guard: 'mustPrepare', target: 'offering.preparing', actions: ['begin', 'prepare'] },
  { target: 'offering.sent', actions: ['begin', 'send'] },
] as const
const STOPPED = [
  { guard: 'isSlotFree', target: 'announcing', actions: 'take' },
  { target: 'following', actions: 'take' },
] as const
const OVER = [{ guard: 'isDecided', target: '#media.transiting.undoing', actions: 'take' }, TAKE] as const

/** Media negotiation of one party in one page life. */
export const mediaMachine = base
  .extend({
    actions: {
      take: does(act.take),
      settle: does(act.settle),
      announce: does(act.announce),
      enter: does(act.enter),
      begin: does(act.begin),
      beginLess: does(act.beginLess),
      send: does(act.send),
      prepare: does(act.prepare),
      abandon: does(act.abandon),
      answer: does(act.answer),
      reject: does(act.reject),
      expire: does(act.expire),
      restore: does(act.restore),
      ask: does(act.ask),
      withdraw: does((context) => act.cancel(context, 'withdrawn')),
      lapse: does((context) => act.cancel(context, 'timeout')),
      cancelLate: does(act.cancelLate),
      work: does(act.work),
      ready: does(act.ready),
      fail: does(act.fail),
      urge: does(act.urge),
      refuse: does(act.refuse),
      undo: does(act.undo),
      close: does(act.close),
      ignore: does(act.ignore),
    },
  })
  .createMachine({
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
      written: 0,
      ignored: 0,
    }),
    invoke: [
      { src: 'engines', id: 'engines', input: ({ context: { shared } }) => algebra.nativeOnly(shared.media) },
      { src: 'log', id: 'log' },
    ],
    initial: 'init',
    on: {
      'log.slotLost': { target: '.init.stopping', actions: ['take', 'settle', 'undo'] },
      'log.closed': { target: '.init.closed', actions: ['close', 'settle'] },
      'contact.leave': { target: '.init.closed', actions: ['close', 'settle'] },
      'engine.broke': { target: '.init.reannouncing', actions: ['take', 'settle', 'announce'] },
      'log.*': TAKE,
      'capture.ended': TAKE,
      'capabilities.set': TAKE,
      'window.closed': TAKE,
      '*': { actions: 'ignore' },
    },
    states: {
      init: {
        initial: 'announcing',
        states: {
          announcing: {
            entry: 'announce',
            on: { 'log.slotHeld': ENTERED, 'log.voided': [{ guard: 'isPresent', target: 'announcing', reenter: true, actions: 'take' }, TAKE], 'engine.broke': TAKE },
          },
          reannouncing: { on: { 'log.slotHeld': QUIET, 'engine.broke': TAKE } },
          stopping: { on: { 'engine.undone': STOPPED, 'engine.broke': STOPPED } },
          following: { on: { 'log.slotFreed': { target: 'announcing', actions: 'take' }, 'engine.broke': TAKE } },
          closed: { on: { '*': { actions: 'ignore' } } },
        },
      },
      idle: {
        on: {
          'media.offer': BEGIN,
          'media.transit': BEGIN,
          'capture.ended': QUIET,
          'log.offered': QUIET,
          'log.transiting': QUIET,
          'log.partyChanged': QUIET,
        },
      },
      offering: {
        initial: 'sent',
        after: { offerLifetime: { actions: 'lapse' } },
        on: { 'media.withdraw': { actions: 'withdraw' } },
        states: {
          preparing: {
            after: { offerLifetime: { target: '#media.transiting.undoing', actions: ['abandon', 'undo'] } },
            on: {
              'engine.prepared': [{ guard: 'isPrepared', target: 'sent', actions: ['take', 'send'] }, ...QUIET],
              'engine.unprepared': { target: '#media.transiting.undoing', actions: ['take', 'undo'] },
              'media.withdraw': { target: '#media.transiting.undoing', actions: ['abandon', 'undo'] },
            },
          },
          sent: {
            on: { 'log.offering': { target: 'standing', actions: ['take', 'cancelLate'] }, 'log.transiting': QUIET, 'log.voided': QUIET, 'log.partyChanged': QUIET },
          },
          standing: { on: { 'log.transiting': QUIET, 'log.ended': QUIET, 'log.partyChanged': QUIET } },
          undoing: {
            on: {
              'engine.undone': QUIET,
              'log.offering': { actions: ['take', 'cancelLate'] },
              'log.transiting': OVER,
              'log.ended': OVER,
              'log.voided': OVER,
              'log.partyChanged': OVER,
            },
          },
        },
      },
      offered: {
        after: { answerLimit: { target: 'transiting.answered', actions: 'expire' } },
        on: {
          'media.answer': { guard: 'isCurrent', target: 'transiting.answered', actions: ['prepare', 'answer'] },
          'media.reject': { guard: 'isCurrent', target: 'transiting.answered', actions: 'reject' },
          'log.transiting': QUIET,
          'log.ended': QUIET,
          'log.partyChanged': QUIET,
        },
      },
      transiting: {
        initial: 'answered',
        states: {
          answered: { on: { 'log.transiting': QUIET, 'log.ended': QUIET, 'log.partyChanged': QUIET } },
          working: {
            after: { transitionLimit: { target: 'undoing', actions: ['fail', 'undo'] } },
            on: {
              'engine.worked': { guard: 'isCurrent', target: 'awaiting', actions: ['take', 'ready'] },
              'engine.failed': { guard: 'isCurrent', target: 'undoing', actions: ['take', 'fail', 'undo'] },
              'log.ended': { target: 'undoing', actions: ['take', 'undo'] },
              'log.partyChanged': { target: 'undoing', actions: ['take', 'undo'] },
            },
          },
          awaiting: {
            after: { transitionLimit: { actions: 'urge' } },
            on: { 'log.committed': QUIET, 'log.ended': QUIET, 'log.partyChanged': QUIET },
          },
          undoing: { on: { 'engine.undone': QUIET } },
          failing: { on: { 'log.ended': QUIET, 'log.partyChanged': QUIET } },
        },
      },
    },
  })

/** A running media machine. */
export type MediaActor = ActorRefFrom<typeof mediaMachine>
/** One moment of the media machine. */
export type MediaSnapshot = SnapshotFrom<typeof mediaMachine>
