/** The media machine, and the rules that its log needs: loaded with the first negotiation. */
export { mediaFact } from './media.facts.ts'
export { RESTORE_WITHIN_MS, cutAfter, isFirstDueAfter } from './media.interruption.ts'
export { missingOf } from './media.restoring.ts'
export { agreedOf } from './media.rules.ts'
export type { Cut } from './media.interruption.ts'
export { mediaMachine } from './media.machine.ts'
export type { MediaActor, MediaSnapshot } from './media.machine.ts'
export type {
  EngineCommand,
  EngineReply,
  MediaCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  MediaFact,
  MediaInput,
  OfferOutcome,
  OwnOffer,
  WriteCommand,
} from './media.types.ts'
