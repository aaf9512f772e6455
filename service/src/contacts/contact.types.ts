import type { AgentCard, EndReason, ServiceBodies, Slot } from '../../../protocol/index.ts'

/** Time limits of a contact, in milliseconds. */
export interface ContactLimits {
  /** From the creation to the visitor's first `present`. */
  readonly creationMs: number
  /** Waiting in the queue, then `dissuasion`. */
  readonly waitMs: number
  /** In place of `waitMs` and `disconnectMs`, of a contact for later that is not empty. 0: there are none. */
  readonly laterMs: number
  /** From the assignment to the agent's first `present`. */
  readonly joinMs: number
  /** From the loss of a session's connection to its `left`. */
  readonly graceMs: number
  /** From the visitor's `timeout` to `cleared`. */
  readonly disconnectMs: number
  /** From the visitor's leaving to `cleared`, where the agent does not close. */
  readonly closingMs: number
  /** Before an agent who declined is asked again for the same contact. */
  readonly refusalMs: number
}

export const CONTACT_LIMITS: ContactLimits = {
  creationMs: 60_000,
  waitMs: 1_800_000,
  laterMs: 604_800_000,
  joinMs: 60_000,
  graceMs: 60_000,
  disconnectMs: 600_000,
  closingMs: 30_000,
  refusalMs: 60_000,
}

/** Time limits that the machine itself sets. Each comes back as the event `due.<name>`. */
export type ContactTimer = 'creation' | 'wait' | 'join' | 'closing' | 'disconnect'

export interface ContactContext {
  readonly visitor: string
  readonly agent: AgentCard | null
  /** When the wait began, milliseconds since the epoch. */
  readonly queuedAt: number | null
  readonly reason: EndReason | null
  /** Waits for an agent also while the visitor is away. Missing in rows of before. */
  readonly isForLater?: boolean
  /** There was nothing that an agent could answer when the visitor went away. Missing in rows of before. */
  readonly isEmpty?: boolean
  /** Its wait goes on as that of a message for later. Missing in rows of before. */
  readonly isProlonged?: boolean
}

export interface ContactInput {
  readonly visitor: string
  readonly isForLater: boolean
}

/** A part of the visitor ends. `isEmpty`: there is nothing that an agent could answer. */
interface VisitorEnd {
  readonly isEmpty: boolean
}

/** A session ended. `last`: it was its party's last channel. */
interface SessionEnd {
  readonly session: string
  readonly last: boolean
}

export type TransferTarget = Pick<ServiceBodies['transferred'], 'toId' | 'toAgent' | 'toTags'>

/** Facts that the service has established; `now` where the rules look at the time. */
export type ContactEvent =
  | { readonly type: 'visitor.present'; readonly now: number }
  | ({ readonly type: 'visitor.left'; readonly now: number } & SessionEnd)
  | { readonly type: 'agent.accepted'; readonly agent: AgentCard }
  | { readonly type: 'agent.present' }
  | { readonly type: 'agent.declined' }
  /** An agent does not want to be offered the contact. */
  | { readonly type: 'offer.declined'; readonly user: string; readonly nick: string }
  /** The agent who was named for it has said nothing, or was not free for it in time. */
  | { readonly type: 'offer.missed'; readonly user: string; readonly nick: string }
  | ({ readonly type: 'agent.left' } & SessionEnd)
  | { readonly type: 'agent.transferred'; readonly to: TransferTarget }
  | { readonly type: 'session.replaced'; readonly slot: Slot; readonly session: string }
  /** The connection of a session is lost; it is back. */
  | { readonly type: 'session.silent' | 'session.heard'; readonly session: string }
  /** `toId`: under which the contact goes on where it was the agent's last. */
  | ({ readonly type: 'due.grace'; readonly slot: Slot; readonly toId: string } & SessionEnd & VisitorEnd)
  | ({ readonly type: `due.${ContactTimer}`; readonly now: number } & VisitorEnd)
  /** Everything of the visitor is removed. */
  | { readonly type: 'erased' }

/** `left` before the service has counted the channels that remain. */
export type LeaveDetails = Omit<ServiceBodies['left'], 'channels'>

/** What the machine wants done, in order. Carried out in the transaction that stores the new snapshot. */
export type ContactEffect =
  | { readonly type: 'writeLeft'; readonly params: LeaveDetails }
  | { readonly type: 'writeAssigned'; readonly params: AgentCard }
  | { readonly type: 'writeJoined'; readonly params: AgentCard }
  | { readonly type: 'writeDeclined'; readonly params: { readonly user: string; readonly nick: string } }
  /** The agent is not to be asked again for a while. */
  | { readonly type: 'refuse'; readonly params: { readonly user: string } }
  | { readonly type: 'writeTransferred'; readonly params: TransferTarget }
  | { readonly type: 'writeCleared'; readonly params: ServiceBodies['cleared'] }
  | { readonly type: 'schedule'; readonly params: { readonly timer: ContactTimer } }
  | { readonly type: 'cancel'; readonly params: { readonly timer: ContactTimer } }
  | { readonly type: 'scheduleGrace' | 'cancelGrace'; readonly params: { readonly session: string } }
  | { readonly type: 'cancelAll' }
  /** Goes on as a new contact. */
  | { readonly type: 'succeed'; readonly params: TransferTarget }

/** A session that has a connection to another node. */
export interface SessionElsewhere {
  readonly session: string
  readonly slot: Slot
  readonly node: string
  readonly epoch: number
}
