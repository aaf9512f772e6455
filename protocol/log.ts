import type { AttachmentBody } from './attachment.ts'
import type { MediaCapabilities } from './capabilities.ts'
import type { ErrorCode } from './errors.ts'
import type { JsonValue } from './json.ts'
import type { Holds, MediaOffer, PartialMediaState, Slot } from './media.ts'

/** Numbers of a contact's open channels (connections). */
export interface ChannelCounts {
  readonly total: number
  /** Those of the visitor. */
  readonly vvcu?: number
  /** Those of the agent. */
  readonly user?: number
}

/** An agent's picture in several sizes. */
export interface Avatar {
  readonly base_url: string
  /** `file` is appended to `base_url`. */
  readonly images: readonly { readonly size: string; readonly file: string }[]
}

/** The agent as a contact shows them. */
export interface AgentCard {
  readonly user: string
  readonly nick: string
  readonly avatar?: Avatar
}

/** Why a channel or contact ended, in the contract's words. */
export type EndReason = 'abandon' | 'cancel' | 'vvcu' | 'user' | 'timeout' | 'dissuasion' | 'disconnect'

/**
 * Bodies of the entries that a party writes under its own slot. Media in them are relative to the *other*
 * party.
 */
export interface PartyBodies {
  /**
   * The session enters (or enters again): takes the slot if `after` is the session that holds it now (null:
   * none).
   */
  readonly present: {
    readonly capabilities: MediaCapabilities
    readonly media: Holds
    readonly after: string | null
  }
  readonly capabilities: { readonly capabilities: MediaCapabilities }
  readonly offer: {
    readonly offer: MediaOffer
    readonly restore: boolean
    /** Milliseconds that it stands, 10,000 to 300,000; 60,000 where it says nothing. */
    readonly lifetime?: number
  }
  /** A direct transition: a complete target that asks no new transmission of the other party. */
  readonly direct: { readonly target: PartialMediaState; readonly restore: boolean }
  readonly answer: { readonly ref: number; readonly answer: PartialMediaState }
  readonly reject: { readonly ref: number; readonly reason: string }
  readonly withdraw: { readonly ref: number; readonly reason: 'withdrawn' | 'timeout' }
  readonly ready: { readonly ref: number }
  readonly failed: { readonly ref: number; readonly code: ErrorCode }
  readonly text: { readonly text: string; readonly lang?: string }
  readonly link: { readonly url: string; readonly desc?: string }
  readonly action: { readonly code: string; readonly args: readonly JsonValue[] }
  /** `ref`: id of the message whose event reached a handler. */
  readonly ack: { readonly ref: string }
}

/**
 * Why a telephone call is over. `no_number`: the contact's data has no telephone number; `refused`: by who
 * was called, or the network; `hung_up`: after it was answered.
 */
export type PhoneEnd = 'busy' | 'no_answer' | 'refused' | 'unreachable' | 'no_number' | 'failed' | 'hung_up'

/** Bodies of the entries that only the service writes. */
export interface ServiceBodies {
  readonly assigned: AgentCard
  readonly joined: AgentCard
  /** A session ended. Where it holds its slot, this is the party's absence. */
  readonly left: {
    readonly session: string
    readonly slot: Slot
    readonly vvcu?: string
    readonly user?: string
    readonly reason?: EndReason
    readonly channels: ChannelCounts
  }
  readonly declined: { readonly user: string; readonly nick: string }
  readonly transferred: {
    readonly toId: string
    readonly toAgent?: string
    readonly toTags?: readonly string[]
  }
  readonly cleared: { readonly reason?: EndReason }
  /**
   * The agent changed a form field that both parties can see. `original`: its value before the first change.
   */
  readonly datachange: {
    readonly form: string
    readonly field: string
    readonly value: JsonValue
    readonly original: JsonValue
    readonly user: string
  }
  /**
   * The telephone that Voice goes over was answered, or the call is over: parties that have Voice on then
   * turn it off.
   */
  readonly telephone: { readonly state: 'answered' | 'ended'; readonly reason?: PhoneEnd }
  /** A file of a party is there as a whole. The entry's `id` is that of the file. */
  readonly attachment: AttachmentBody
}

export type PartyEntryType = keyof PartyBodies
export type ServiceEntryType = keyof ServiceBodies

/** Who wrote an entry, as the service saw it. */
export interface Author {
  readonly id: string
  readonly nick?: string
}

interface EntryHead {
  /** Position in the contact's log, from 1, without gaps. */
  readonly seq: number
  /** Message id given by the writer: sending again is harmless. */
  readonly id: string
  /** When the service stored it, milliseconds since the epoch. For people; order is by `seq`. */
  readonly time: number
}

/** An entry that a party wrote. `counter` numbers the entries of its `session` from 1. */
export type PartyEntry = {
  [T in PartyEntryType]: EntryHead & {
    readonly type: T
    readonly slot: Slot
    readonly session: string
    readonly counter: number
    readonly from: Author
    readonly body: PartyBodies[T]
  }
}[PartyEntryType]

/** An entry that the service wrote. */
export type ServiceEntry = {
  [T in ServiceEntryType]: EntryHead & {
    readonly type: T
    readonly slot: 'service'
    readonly body: ServiceBodies[T]
  }
}[ServiceEntryType]

/** One durable entry of a contact's log, in the order of `seq`. */
export type Entry = PartyEntry | ServiceEntry

/** An entry as its writer hands it to the service. */
export type Draft = {
  [T in PartyEntryType]: {
    readonly id: string
    readonly session: string
    readonly counter: number
    readonly type: T
    readonly body: PartyBodies[T]
  }
}[PartyEntryType]

/** A {@link Draft} before the outbox gives it its session and counter. */
export type UnsentEntry = {
  [T in PartyEntryType]: { readonly id: string; readonly type: T; readonly body: PartyBodies[T] }
}[PartyEntryType]
