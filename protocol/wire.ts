/**
 * What passes between a party and the service. `docs/protocol.md` describes how it is carried.
 * A *call* is answered with a {@link Reply}; a *push* is not answered. Both keep their order on a connection.
 */
import type { ConnectedSessions } from './connected.ts'
import type { ContactData, ContactLife, DataCollection, VisitData } from './contact-data.ts'
import type { AgentPresence, Colleague, ContactNote, DeskCalls, Distribution } from './desk.ts'
import type { ErrorCode } from './errors.ts'
import type { JsonValue } from './json.ts'
import type { Draft, Entry } from './log.ts'
import type { MediaOffer } from './media.ts'
import type { Rating } from './rating.ts'

/** Version of the wire protocol, `major.minor`. Parties of different majors do not talk. */
export const PROTOCOL_VERSION = '1.1'

/** What a visitor gives when creating a contact. */
export interface ContactRequest {
  readonly nick?: string
  /** ISO 639-1. */
  readonly lang?: string
  readonly tags?: readonly string[]
  readonly data?: DataCollection
  /** Relative to the agent. */
  readonly initialOffer?: MediaOffer
  readonly secure?: boolean
  /**
   * Waits for an agent also while the visitor is away, for days: always, or where nobody is there when it is
   * created. Not for a secure contact.
   */
  readonly later?: boolean | 'unattended'
  readonly visit?: VisitData
}

/** A frame of the ephemeral relay. Frames of one pair of sessions are numbered from 1 in each direction. */
export interface RelayFrame {
  /** Number of this frame; 0 for a frame that only acknowledges. */
  readonly n: number
  /** Highest number received in order from the other session. */
  readonly ack: number
  /** `iswriting`, `signal`, `rpc`, `data`; of the relay itself: `ack`, `resume`, `empty`. */
  readonly kind: string
  readonly body?: JsonValue
}

/** A contact that a visitor has or had. */
export interface PastContact {
  readonly id: string
  readonly state: ContactLife
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601; missing while it goes on. */
  readonly ended?: string
  /** Nick of the last agent. */
  readonly agent?: string
  /** How many messages it has, without those of before a transfer. */
  readonly messages: number
}

/**
 * Outcome of one draft: its sequence number (the old one for a repeated id), or why it was refused for good.
 */
export type Appended =
  | { readonly id: string; readonly seq: number }
  | { readonly id: string; readonly error: WireError }

/** Where a file is uploaded to. */
export interface UploadPlace {
  readonly id: string
  readonly state: 'open'
  /** Relative to the service. */
  readonly path: string
  /** For the header `Authorization: Bearer`. */
  readonly token: string
  readonly expiresInMs: number
}

/** Calls from a party to the service: arguments and result. */
export interface Calls extends DeskCalls {
  /** Visitor. `request` makes repeating harmless. */
  'contact.create': { args: { request: string; contact: ContactRequest }; result: { contact: string } }
  /**
   * Opens a channel; entries after `cursor` follow as `log.entries`. `session` is announced here. `counter`:
   * the session's last stored one. `connected` counts this session. `last`: the last entry that the party knows;
   * `same`: whether it is in the log, as it may not be after a restore of the service. `opening`: the page's
   * own count of its openings of this session, from 1: an opening with a smaller number than one before is of
   * a connection that the page has given up, and is answered with `offline`.
   */
  'contact.open': {
    args: {
      contact: string
      session: string
      cursor: number
      last?: { readonly seq: number; readonly id: string }
      opening?: number
    }
    result: {
      head: number
      counter: number
      record: ContactData
      connected: ConnectedSessions
      same?: boolean
    }
  }
  /**
   * Visitor. Their contacts, the newest first, 20 at a time: `next` is the `before` of the next page. Of a contact
   * that went on under other ids, only the last.
   */
  'contact.list': {
    args: { before?: string }
    result: { contacts: readonly PastContact[]; next?: string }
  }
  'contact.read': { args: { contact: string }; result: { record: ContactData } }
  /**
   * Ends this session for good; `left` (and `cleared`, where the rules say so) are pushed before the reply.
   */
  'contact.leave': { args: { contact: string; session: string; reason?: string }; result: { head: number } }
  /**
   * Visitor. Rates a contact that is over, or that the visitor has left for good, until 24 h after its end: it is
   * stored as the form `rating` of the record. Another one takes the place of the one before.
   */
  'contact.rate': { args: { contact: string } & Rating; result: Record<string, never> }
  /** Drafts of one session, in the order written. Stored before the reply. */
  'log.append': {
    args: { contact: string; session: string; drafts: readonly Draft[] }
    result: { appended: readonly Appended[] }
  }
  /** Entries of the log after `after`, oldest first. */
  'log.read': {
    args: { contact: string; after: number; limit: number }
    result: { entries: readonly Entry[]; head: number }
  }
  /**
   * Passes a frame to the session `to` if it holds the other slot; else `peer_left`, or `offline` while that
   * session has no connection.
   */
  'relay.send': {
    args: { contact: string; session: string; to: string; frame: RelayFrame }
    result: Record<string, never>
  }
  /**
   * Announces a file of `size` bytes, which is then uploaded by tus to `path`; asked again with the same
   * `request`, it tells how that stands.
   * `stored`: the whole file is stored, and its entry is written; `later`: a state of a later minor version.
   */
  'attachment.open': {
    args: {
      contact: string
      session: string
      request: string
      name: string
      mimetype: string
      size: number
      desc?: string
      referenceId?: string
    }
    result:
      | UploadPlace
      | { id: string; state: 'stored'; seq: number; url: string }
      | { id: string; state: 'later' }
  }
  /** A URL by which this party downloads a file of the contact. It expires. */
  'attachment.url': { args: { contact: string; id: string }; result: { url: string; expiresInMs: number } }
  /** Gives this connection a fresh token of the same party; the connection then lasts as long as that. */
  'link.renew': { args: { token: string }; result: { expiresInMs: number } }
  /** STUN and TURN servers with short-lived credentials. */
  'ice.servers': {
    args: Record<string, never>
    result: {
      iceServers: readonly { urls: readonly string[]; username?: string; credential?: string }[]
      expiresInMs: number
    }
  }
  'agent.presence': { args: AgentPresence; result: Record<string, never> }
  'agent.accept': { args: { contact: string; force?: boolean }; result: { record: ContactData } }
  'agent.decline': { args: { contact: string }; result: Record<string, never> }
  /**
   * Transfers the contact to one agent, or to those with the tags. A joined contact continues under the id in
   * the result; one that is not joined keeps its own.
   */
  'agent.transfer': {
    args: { contact: string; toAgent?: string; toTags?: readonly string[]; note?: string }
    result: { contact: string }
  }
  /**
   * Changes a form field that the agent may see and edit. Pushed to both parties as an entry before the
   * reply.
   */
  'agent.edit': {
    args: { contact: string; form: string; field: string; value: JsonValue }
    result: Record<string, never>
  }
  /** Agents who are connected, this one apart: those who are ready first, by their nick. */
  'agent.colleagues': { args: Record<string, never>; result: { colleagues: readonly Colleague[] } }
  /** Writes a note about a contact that this agent has. It is pushed to the agent's other connections. */
  'agent.note': { args: { contact: string; text: string }; result: { note: ContactNote } }
  /** The notes of a contact and of those that it went on from: the newest 200, the oldest first. */
  'agent.notes': { args: { contact: string }; result: { notes: readonly ContactNote[] } }
  /** The oldest first, a page at a time: `next` is the `after` of the next one. */
  'agent.contacts': { args: { after?: string }; result: { records: readonly ContactData[]; next?: string } }
}

/** The name of a call of the wire protocol. */
export type CallName = keyof Calls

/** Pushes from the service to a party. */
export interface Pushes {
  /** Consecutive entries of a contact whose channel is open. */
  'log.entries': { contact: string; entries: readonly Entry[] }
  'relay.frame': { contact: string; from: string; frame: RelayFrame }
  /** The sessions of the contact that are connected, after a change. */
  'contact.connected': { contact: string; connected: ConnectedSessions }
  /** The token of this connection expires soon: without `link.renew` the connection ends. */
  'link.expiring': { expiresInMs: number }
  /** The next message of this connection has so many bytes, and may take a slow line its time. */
  'link.coming': { bytes: number }
  /** A message of this party has been arriving for a while. */
  'link.arriving': Record<string, never>
  /**
   * This node of the service stops: make no further calls on this connection, wait for the answers under way,
   * and connect anew. It is ended soon.
   */
  'link.drain': Record<string, never>
  /**
   * Visitor only, while the contact waits. `position` counts from 1; `expectedWaitMs` is missing where
   * nothing is known.
   */
  'contact.queue': { contact: string; position: number; expectedWaitMs?: number }
  /** Agent only. */
  'agent.distribution': Distribution
  /**
   * The offer to this agent is over: taken, declined on another page, expired, or the visitor left. `own`: this
   * agent has taken it.
   */
  'agent.withdrawn': { id: string; reason: 'taken' | 'declined' | 'expired' | 'cleared'; own?: boolean }
  /** The agent to whom this agent has handed the contact does not take it: it waits for any other. */
  'agent.declined': { id: string; user: string; nick: string }
  /** A note about a contact of this agent. */
  'agent.note': { contact: string; note: ContactNote }
  /** The visitor has rated a contact of this agent. */
  'agent.rated': { contact: string; rating: Rating }
  /** What the visitor of an offered contact wrote first, after the offer was made. */
  'agent.question': { id: string; text: string }
  /** The service has paused this agent: an offer expired unanswered. */
  'agent.paused': { reason: 'expired' }
  /** What this agent takes: after a change by one of their connections, and at the start of one while they are ready. */
  'agent.presence': AgentPresence
}

/** The name of a push of the wire protocol. */
export type PushName = keyof Pushes

/** A push as one value. */
export type Push = { [P in PushName]: { readonly name: P; readonly body: Pushes[P] } }[PushName]

/** An error as it crosses the wire. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  /** When the same call may be made again, milliseconds. */
  readonly retryAfterMs?: number
}

/** Answer to a call. */
export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: WireError }
