import type { AttachmentMeta } from './attachment.ts'
import type { MediaCapabilities } from './capabilities.ts'
import type { DataChannel, DataMessage } from './data-channel.ts'
import type { ContactError, ErrorCode } from './errors.ts'
import type { JsonValue } from './json.ts'
import type { Avatar, ChannelCounts, EndReason, ServiceBodies } from './log.ts'
import type { CallSummary, Liveness, Observation } from './statistics.ts'
import type {
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
} from './media.ts'

/** Who a message came from. */
export interface Sender {
  readonly from_id: string
  readonly from_nick?: string
  /** Sent by an agent. */
  readonly agent: boolean
}

/** Which message it is. */
export interface Stamp {
  /** The message's id, as the callback of its sender gave it. */
  readonly id: string
  /** When the service stored it, milliseconds since the epoch by its clock. */
  readonly ts: number
}

/**
 * Called by a `mediaoffer` handler with its answer (a medium left out is off), or with an error to reject the
 * offer.
 * The second call and one that comes when the offer is over do nothing. An answer that cannot be read or sent
 * throws `invalid_argument`, and the offer stays open.
 * A device that is refused here after the answer ends the offer for both sides, and only the offerer is told,
 * with `remote_failed`: to tell the user why, wait for `prepare` of the engine, inside the click, before the
 * answer.
 */
export type MediaAnswerCallback = (error: unknown, answer?: PartialMediaState) => void

/** Events of a contact, each with the one argument its handlers get. */
export interface ContactEvents {
  /** A chat message arrived. */
  text: { readonly text: string } & Stamp & Sender
  /** A chat message of this party was accepted by the service. */
  localtext: { readonly text: string } & Stamp
  /** A link arrived. */
  link: { readonly url: string; readonly desc?: string } & Stamp & Sender
  /** A link of this party was accepted by the service. */
  locallink: { readonly url: string; readonly desc?: string } & Stamp
  /** A custom message arrived. */
  action: { readonly action_code: string; readonly args: JsonValue[] } & Stamp & Sender
  /**
   * A file has been sent, by either party: `from_id` and `agent` tell by whom. `url` works for this party
   * only and for a few minutes; ask `attachmentUrl` for another one later.
   */
  attachment: { readonly url: string; readonly meta: AttachmentMeta } & Stamp & Sender
  /** The remote party is typing; may be taken as over after 10 s. */
  iswriting: Sender
  /** This party is typing (sent at most once in 3 s). */
  localiswriting: Record<string, never>
  /** The remote party received the message `ref`. */
  ack: { readonly ref: string } & Sender
  /** The agent joined the contact. */
  joined: { readonly id: string; readonly user: string; readonly nick: string; readonly avatar?: Avatar }
  /**
   * A channel of the remote party ended, it turned a medium off, or another page of this party has taken the
   * slot and the call.
   */
  left: {
    readonly id: string
    readonly vvcu?: string
    readonly user?: string
    readonly reason?: EndReason
    readonly channels: ChannelCounts
  }
  /**
   * Beyond the contract. `away`: no page of the remote party is connected any more, because it was closed, is
   * being loaded anew, or its network is out; false: one is back.
   */
  peeraway: { readonly away: boolean }
  /** This party left. */
  localleft: { readonly reason?: 'abandon' | 'cancel' | 'closed' | 'user' }
  /** The contact ended. */
  cleared: { readonly id: string; readonly reason?: EndReason }
  /** The contact went on to another agent or tag set. */
  transferred: {
    readonly id: string
    readonly to: { readonly toId: string; readonly toAgent?: string; readonly toTags?: readonly string[] }
  }
  /** An agent did not accept the contact. */
  declined: { readonly id: string; readonly user: string; readonly nick: string }
  /** Capabilities of this party changed. */
  localcapabilities: MediaCapabilities
  /** Capabilities of the remote changed or came for the first time. */
  capabilities: MediaCapabilities
  /** The remote offers media: answer through `callback`. */
  mediaoffer: { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }
  /** The media state changed. Entering the contact is not told: `getMedia` gives what it starts with. */
  mediachange: { readonly newMedia: MediaState; readonly diff: MediaStateDiff }
  /**
   * Data of the remote arrived on a data channel, without a topic, or with one that is the name of an event
   * of the SDK. Data with another topic comes under that name.
   */
  data: DataMessage
  /** A data channel is there, whichever side asked for it; its events start in the task after this one. */
  datachannel: DataChannel
  /**
   * Beyond the contract. The agent changed a form field. `original`: its value before the first change, null
   * where it was empty; `user`: the agent.
   */
  datachange: {
    readonly form: string
    readonly field: string
    readonly value: JsonValue
    readonly original: JsonValue
    readonly user: string
  }
  /**
   * Beyond the contract. The telephone that Voice `via: 'pstn'` goes over was answered, or the call is over.
   */
  telephone: ServiceBodies['telephone']
  /** Beyond the contract. An agent is assigned, and will join. */
  assigned: { readonly id: string; readonly user: string; readonly nick: string }
  /**
   * Beyond the contract. While the contact waits: its place in the queue, from 1, and how long it will
   * probably take; `expectedWaitMs` is missing where nothing is known.
   */
  queue: { readonly position: number; readonly expectedWaitMs?: number }
  /**
   * Beyond the contract. `mediaState` is another one: an incoming offer, for example, is over when it is not
   * `offered` any more.
   */
  mediastate: { readonly state: MediaTransitionState }
  /** Beyond the contract. `online` once everything missed has been replayed. */
  connection: { readonly state: 'connecting' | 'online' | 'offline' }
  /**
   * Beyond the contract. What really flows of the media of an engine, at most once a second during a call.
   */
  statistics: { readonly engine: string } & Observation
  /**
   * Beyond the contract. Media that are on do not arrive, and what is done about it; or they do again.
   * `tell_user`: nothing has helped.
   */
  liveness: { readonly engine: string } & Liveness
  /** Beyond the contract. The remote holds the call: it neither sends nor plays; or it goes on. */
  remotehold: { readonly engine: string; readonly on: boolean }
  /**
   * Beyond the contract. The system has taken the device of a medium for something else, such as a telephone
   * call, so that silence or black is sent; or has given it back.
   */
  interruption: { readonly engine: string; readonly medium: string; readonly on: boolean }
  /**
   * Beyond the contract. A call that a page load had cut is back as far as that can be without a click.
   * `media`: what is on now; `missing`: what was on and is not, such as a shared screen; `code`: why
   * something could not be brought back; `muted`, `held`: as the page before left it, or muted where that is
   * not known.
   */
  restored: {
    readonly media: MediaState
    readonly missing: PartialMediaState
    readonly code?: ErrorCode
    readonly muted: readonly string[]
    readonly held: boolean
  }
  /** Beyond the contract. How a call was, when its last medium is off. */
  callsummary: CallSummary
  /**
   * Beyond the contract. Something is wrong that belongs to no call: `tampered`, `protocol`, `engine_failed`,
   * `unauthorized`; or the contact's first offer came to nothing: the code says why.
   */
  error: ContactError
}

/** Name of an event of the contract or of the SDK. */
export type ContactEventName = keyof ContactEvents

/**
 * Called by the handler of an action: with an error, in any shape that is JSON, or with the result. The
 * second call does nothing.
 */
export type RequestCallback = (error: unknown, result?: JsonValue) => void

/**
 * Answers requests of the remote whose `type` is the name it is registered for; also gets data with that
 * topic, with a callback that does nothing.
 * What it throws, or what the Promise of an `async` one rejects with, is the failure of the request.
 */
export type RequestHandler = (data: JsonValue | undefined, callback: RequestCallback) => unknown

/** A name of the application's own: that of no event. */
export type OwnName<N extends string> = N extends ContactEventName ? never : N
