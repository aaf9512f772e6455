/** What loads together with the SDK: every machine but those of data channels, requests and uploads. */
export { linkMachine } from './link/link.machine.ts'
export type { LinkActor, LinkSnapshot } from './link/link.machine.ts'
export type { LinkContext, LinkEvent } from './link/link.types.ts'
export { mediaFact } from './media/media.facts.ts'
export { RESTORE_WITHIN_MS, cutAfter, isFirstDueAfter } from './media/media.interruption.ts'
export type { Cut } from './media/media.interruption.ts'
export { mediaMachine } from './media/media.machine.ts'
export { asksForMore } from './media/media.restoring.ts'
export type { MediaActor, MediaSnapshot } from './media/media.machine.ts'
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
} from './media/media.types.ts'
export { outboxMachine } from './outbox/outbox.machine.ts'
export type { OutboxActor, OutboxSnapshot } from './outbox/outbox.machine.ts'
export type { BatchOutcome, OutboxContext, OutboxEvent } from './outbox/outbox.types.ts'
export { membershipMachine } from './membership/membership.machine.ts'
export type { MembershipActor, MembershipSnapshot } from './membership/membership.machine.ts'
export type {
  MembershipContext,
  MembershipEmitted,
  MembershipEvent,
  MembershipInput,
} from './membership/membership.types.ts'
