import type { AgentCard, ContactLife, EndReason, ServiceBodies, Slot } from '../../protocol/index.ts'

/** Context of the membership machine: plain data. */
export interface MembershipContext {
  readonly role: Slot
  /** How the contact stood when this page last heard of it. */
  readonly life: ContactLife
  /** No page of the other party is connected, and this was told. */
  readonly isPeerAway: boolean
}

/** What a membership machine starts from. */
export interface MembershipInput {
  readonly role: Slot
  readonly life: ContactLife
}

/** What the membership machine is told. */
export type MembershipEvent =
  /** Open the channel and announce this session. */
  | { readonly type: 'contact.enter' }
  /** Leave for good. */
  | { readonly type: 'contact.leave'; readonly reason?: string }
  /** The connection is back. */
  | { readonly type: 'link.resumed' }
  /** Give the page back, the contact goes on. */
  | { readonly type: 'contact.drop' }
  /** The service says that this party has no part in the contact any more. */
  | { readonly type: 'contact.gone' }
  /** Entries have arrived: the replay goes on. */
  | { readonly type: 'log.heard' }
  /** What was read is not in the log any more: it is to be read from its start. */
  | { readonly type: 'log.anew' }
  /** Nothing has arrived for too long. */
  | { readonly type: 'log.silent' }
  /** A page of the other party is connected. */
  | { readonly type: 'peer.here' }
  /** The other party has a part in the contact, and no page of it is connected. */
  | { readonly type: 'peer.gone' }
  /** The other party has no part in the contact. */
  | { readonly type: 'peer.none' }
  /** That no page of it is connected has lasted. */
  | { readonly type: 'peer.missed' }
  /** The own `present` was read back. */
  | { readonly type: 'log.entered'; readonly life: ContactLife }
  | { readonly type: 'log.assigned'; readonly agent: AgentCard }
  | { readonly type: 'log.joined'; readonly agent: AgentCard }
  | { readonly type: 'log.declined'; readonly body: ServiceBodies['declined'] }
  /** Another channel ended, or a party turned a medium off. */
  | { readonly type: 'log.left'; readonly body: Omit<ServiceBodies['left'], 'session' | 'slot'> }
  /** This session ended. */
  | { readonly type: 'log.selfLeft'; readonly reason: EndReason | null }
  | { readonly type: 'log.transferred'; readonly body: ServiceBodies['transferred'] }
  | { readonly type: 'log.cleared'; readonly reason: EndReason | null }

/** What the outside hears: how entering went, else each is one event of the contact. */
export type MembershipEmitted =
  | { readonly type: 'entered' }
  /** `error`: what went wrong; null where it took too long. */
  | { readonly type: 'notEntered'; readonly error: unknown }
  | { readonly type: 'assigned'; readonly agent: AgentCard }
  | { readonly type: 'joined'; readonly agent: AgentCard }
  | { readonly type: 'declined'; readonly body: ServiceBodies['declined'] }
  | { readonly type: 'left'; readonly body: Omit<ServiceBodies['left'], 'session' | 'slot'> }
  | { readonly type: 'localleft'; readonly reason: EndReason | null }
  | { readonly type: 'peeraway'; readonly away: boolean }
  | { readonly type: 'transferred'; readonly body: ServiceBodies['transferred'] }
  | { readonly type: 'cleared'; readonly reason: EndReason | null }
