/** What loads together with the SDK: the machines of the link, the outbox and a party's membership. */
export { linkMachine } from './link/link.machine.ts'
export type { LinkActor, LinkSnapshot } from './link/link.machine.ts'
export type { LinkContext, LinkEvent } from './link/link.types.ts'
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
