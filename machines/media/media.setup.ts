/** What the media chart is made of, by its names: actors, guards, delays and actions. */
import { fromCallback, setup, stateIn } from 'xstate'
import type { MediaState, PartialMediaState } from '../../protocol/index.ts'
import { mediaActions } from './media.actions.ts'
import { mustOffer } from './media.pending.ts'
import {
  areUnused,
  differs,
  entryId,
  hasFailed,
  isHolderGone,
  isIdle,
  isOffered,
  isOffering,
  isRestorable,
  isSlotFree,
  isTransiting,
  isUnread,
  mayWork,
  missing,
  mustSendLess,
  mustSettle,
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

/** A guard that asks only the context. */
const asks =
  (rule: (context: MediaContext) => boolean) =>
  ({ context }: { readonly context: MediaContext }): boolean =>
    rule(context)

/** All that the media chart names. */
export const mediaSetup = setup({
  types: {} as { context: MediaContext; events: MediaEvent; emitted: MediaEmitted; input: MediaInput },
  actors: {
    engines: fromCallback<EngineCommand, MediaState>(() => {}),
    log: fromCallback<WriteCommand>(() => {}),
  },
  actions: mediaActions,
  guards: {
    differs: asks(differs),
    isOffering: asks(isOffering),
    /** The own offer is over before the log has it. */
    isGivenUp: asks((context) => !isUnread(context)),
    /** The own offer is neither on its way nor standing. */
    isDecided: asks((context) => !isUnread(context) && !isOffering(context)),
    mustSettle: asks(mustSettle),
    mayWork: asks(mayWork),
    hasFailed: asks(hasFailed),
    isTransiting: asks(isTransiting),
    isTransitionOver: asks((context) => !isTransiting(context)),
    isRestorable: asks(isRestorable),
    isOffered: asks(isOffered),
    isQuestionOver: asks((context) => !isOffered(context)),
    isIdle: asks(isIdle),
    isSlotFree: asks(isSlotFree),
    isHolderGone: asks(isHolderGone),
    isHolderBack: asks((context) => !isHolderGone(context)),
    mustSendLess: asks(mustSendLess),
    areUnused: ({ context }, broken: readonly string[]) => areUnused(context, broken),
    mustOffer: asks(mustOffer),
    /** Devices have to be acquired first, while the user's click lasts. */
    mustPrepare: ({ context }, media: PartialMediaState) => missing(context, media).length > 0,
    isPreparing: stateIn({ offering: 'preparing' }),
    /** A command or a reply about the phase that runs. */
    isCurrent: ({ context }, ref: number) => ref === refOf(context),
    /** The own `present` that this state waits for. */
    isPresent: ({ context }, id: string) => id === entryId(context, context.written),
    /** An entry that was written before it. */
    isEarlier: ({ context }, id: string) => id !== entryId(context, context.written),
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
