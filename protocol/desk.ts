/**
 * What agents have beside the contacts that they take: presence, offers, colleagues, notes; replies, past contacts
 * and the overview.
 */
import type { ContactLife } from './contact-data.ts'
import type { MediaOffer, Slot } from './media.ts'

/** A contact that is offered to an agent. */
export interface Distribution {
  readonly id: string
  readonly nick?: string
  readonly lang?: string
  readonly tags: readonly string[]
  /** Relative to the agent. */
  readonly initialOffer?: MediaOffer
  readonly secure: boolean
  /** A message left for later: the visitor may be away. */
  readonly later?: boolean
  /** How long the visitor has waited, milliseconds. */
  readonly waitedMs?: number
  /** What the visitor wrote first, the beginning of it; not of a secure contact. */
  readonly question?: string
  /** Nick of the agent who has handed it on, and what they wrote for the next one. */
  readonly handedBy?: string
  readonly note?: string
  /** Time left to accept or decline, milliseconds. */
  readonly expiresInMs: number
}

/** Another agent, to whom a contact can be handed. */
export interface Colleague {
  /** Id of the agent. */
  readonly user: string
  readonly nick: string
  /** `busy`: ready, with as many contacts as their capacity. */
  readonly state: 'ready' | 'busy' | 'paused'
  /** What they are for. */
  readonly tags: readonly string[]
}

/** What an agent wrote for other agents: no visitor is told of it. */
export interface ContactNote {
  readonly id: string
  readonly user: string
  readonly nick: string
  readonly text: string
  /** ISO 8601. */
  readonly time: string
}

/** What an agent is available for. */
export interface AgentPresence {
  readonly state: 'ready' | 'paused'
  /** Media switches; a medium that is not named is on. */
  readonly media?: Readonly<Record<string, boolean>>
  /** How many contacts at once; default 3. */
  readonly capacity?: number
  readonly tags?: readonly string[]
}

/** A text of the organisation that agents send often. */
export interface CannedReply {
  /** Letters, digits, `-` and `_`: at most 32. */
  readonly shortcut: string
  /** At most 2,048 characters. `{visitor}` and `{agent}` stand for the names of the two parties. */
  readonly text: string
}

/** What is looked for among past contacts. Without a member, that does not matter. */
export interface ContactSearch {
  /** In a text of the contact, in any case. At most 128 characters. */
  readonly text?: string
  /** In the name of the visitor, in any case. At most 128 characters. */
  readonly name?: string
  /** Created at this time or later, milliseconds since the epoch. */
  readonly from?: number
  /** Created before this time. */
  readonly to?: number
  /** `next` of the page before. */
  readonly before?: string
}

/** A past contact that was found. */
export interface FoundContact {
  readonly id: string
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601. */
  readonly ended?: string
  /** Name of the visitor. */
  readonly nick?: string
  readonly messages: number
  readonly secure: boolean
  /** Around the first place of the text that was looked for: at most 160 characters. */
  readonly excerpt?: string
}

/** A text of a contact, as somebody reads it who has no part in it. */
export interface ReadText {
  readonly seq: number
  readonly role: Slot
  readonly nick?: string
  readonly text: string
  /** ISO 8601. */
  readonly time: string
}

/** An agent in the overview. */
export interface BusyAgent extends Colleague {
  /** How many contacts they have, of how many. */
  readonly contacts: number
  readonly capacity: number
}

/** A contact that waits. */
export interface WaitingContact {
  readonly id: string
  readonly nick?: string
  readonly tags: readonly string[]
  /** Milliseconds. */
  readonly waitedMs: number
}

/** A contact that an agent has. */
export interface LiveContact {
  readonly id: string
  readonly nick?: string
  readonly state: ContactLife
  /** Id and nick of the agent. */
  readonly user: string
  readonly agent: string
  /** Since the agent took it, milliseconds. */
  readonly lastsMs: number
  readonly messages: number
  readonly secure: boolean
}

/**
 * What a supervisor sees. Lists have their first items; `totals` counts all, in `waiting` those whose visitor is
 * there.
 */
export interface DeskOverview {
  readonly totals: { readonly waiting: number; readonly ready: number; readonly open: number }
  readonly longestWaitMs: number
  /** Of the last hour, at most its newest 500 contacts; without a mean where nothing was measured. */
  readonly lastHour: { readonly ended: number; readonly waitMs?: number; readonly handlingMs?: number }
  /** The longest wait first, messages for later whose visitor is away last: at most 100. */
  readonly queue: readonly WaitingContact[]
  /** Those who are connected: at most 200. */
  readonly agents: readonly BusyAgent[]
  /** At most 200. */
  readonly contacts: readonly LiveContact[]
}

/** Calls of agents beside the contacts that they have. */
export interface DeskCalls {
  /** The replies of the organisation. */
  'agent.replies': { args: Record<string, never>; result: { replies: readonly CannedReply[] } }
  /**
   * Ended contacts of this agent, the newest first, 20 at a time. A page looks at 500 contacts and 20,000 entries
   * at most: it may be empty and have a `next`.
   */
  'agent.search': { args: ContactSearch; result: { contacts: readonly FoundContact[]; next?: string } }
  /** What goes on. Needs the right `supervise`. */
  'agent.overview': { args: Record<string, never>; result: DeskOverview }
  /**
   * Texts of a contact after an entry: of one that this agent has, or had when it ended, or, with the right `listen`,
   * of any that is not secure. It opens nothing: neither party is told, and nothing is acknowledged. `last`: the entry
   * that was read last; `isMore`: others follow it; `isOver`: nothing comes any more.
   */
  'agent.read': {
    args: { contact: string; after: number }
    result: { texts: readonly ReadText[]; last: number; isMore: boolean; isOver: boolean }
  }
}
