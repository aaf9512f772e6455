/**
 * What the media chart is made of: its guards, delays and actions by name. The chart itself is
 * `media.machine.ts`.
 */
import { fromCallback, setup, stateIn } from 'xstate'
import type { MediaState } from '../../protocol/index.ts'
import * as act from './media.actions.ts'
import {
  absorb,
  differs,
  hasFailed,
  isHolderGone,
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
import type {
  EngineCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  MediaInput,
  WriteCommand,
} from './media.types.ts'

type Args = { readonly context: MediaContext; readonly event: MediaEvent }
/** Asks a question of the context as it is after the event. */
const after =
  (rule: (context: MediaContext) => boolean) =>
  ({ context, event }: Args): boolean =>
    rule(absorb(context, event))

const isAwaited = ({ context, event }: Args): boolean =>
  'id' in event && event.id === act.entryId(context, context.written)

const base = setup({
  types: {} as { context: MediaContext; events: MediaEvent; emitted: MediaEmitted; input: MediaInput },
  actors: {
    engines: fromCallback<EngineCommand, MediaState>(() => {}),
    log: fromCallback<WriteCommand>(() => {}),
  },
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
    isHolderGone: after(isHolderGone),
    mustSendLess: after(mustSendLess),
    /** Devices have to be acquired first, while the user's click lasts. */
    mustPrepare: ({ context, event }) => missing(context, mostWanted(event)).length > 0,
    isPreparing: stateIn({ offering: 'preparing' }),
    /** A command or a reply about the phase that runs. */
    isCurrent: ({ context, event }) => 'ref' in event && event.ref === refOf(context),
    /** The own `present` that this state waits for. */
    isPresent: (args) => isAwaited(args),
    /** An entry that was written before it. */
    isEarlier: (args) => !isAwaited(args),
  },
  delays: {
    /** 60 s, or what this side has set: how long an own offer stands. */
    offerLifetime: ({ context }) => context.offerLifetime,
    /** 5 s more than the offerer waits: how long the application may think about an offer. */
    answerLimit: ({ context: { shared } }) =>
      (shared.phase.name === 'offered' ? shared.phase.lifetime : 0) + 5_000,
    /** 30 s: for an engine's work, and again for the other side's. */
    transitionLimit: 30_000,
    /**
     * 1 s: how long a page that is loaded anew may take to come back before another one of its party succeeds
     * it.
     */
    successionLimit: 1_000,
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

/** All that the media chart names. */
export const mediaSetup = base.extend({
  actions: {
    applyEvent: does(act.applyEvent),
    settle: does(act.settle),
    announce: does(act.announce),
    begin: does(act.begin),
    beginLess: does(act.beginLess),
    send: does(act.send),
    prepare: does(act.prepare),
    dropUnsentOffer: does(act.dropUnsentOffer),
    answer: does(act.answer),
    reject: does(act.reject),
    expire: does(act.expire),
    restore: does(act.restore),
    ask: does(act.ask),
    withdraw: does((context) => act.cancel(context, 'withdrawn')),
    expireOwnOffer: does((context) => act.cancel(context, 'timeout')),
    cancelLate: does(act.cancelLate),
    startTransition: does(act.startTransition),
    ready: does(act.ready),
    reportFailure: does(act.reportFailure),
    reportPeerTimeout: does(act.reportPeerTimeout),
    refuse: does(act.refuse),
    undo: does(act.undo),
    close: does(act.close),
    ignore: does(act.ignore),
  },
})
