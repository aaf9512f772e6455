/**
 * The events of a contact. An event that an entry of the log becomes stands in the entry's file, under
 * `entries/`; every other one stands here, with its name in {@link NAMES}.
 */
import type { AgentCard } from './agent-card.ts'
import type { MediaCapabilities } from './capabilities.ts'
import type { ChannelCounts } from './channel-counts.ts'
import type { DataChannel, DataMessage } from './data-channel.ts'
import type { EndReason } from './end-reason.ts'
import { isEntryEvent } from './entries/list.ts'
import type { EntryEvents } from './entries/list.ts'
import type { Sender } from './entries/stamp.ts'
import type { ContactError, ErrorCode } from './errors.ts'
import type { JsonValue } from './json.ts'
import type {
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
} from './media.ts'
import type { CallSummary, Liveness, Observation } from './statistics.ts'
import type { InsecureMessage, Verification } from './verification.ts'

/**
 * Called by a `mediaoffer` handler with its answer (a medium left out is off), or with an error to reject the
 * offer.
 * A second call, or a call after the end of the offer, does nothing. An answer that cannot be read or sent
 * throws `invalid_argument`, and the offer stays open.
 * If a device is refused after the answer, the offer ends for both sides, and only the offerer gets an error,
 * `remote_failed`. To tell the user the reason, wait for `prepare` of the engine, inside the click, before
 * the answer.
 */
export type MediaAnswerCallback = (error: unknown, answer?: PartialMediaState) => void

/** Events of a contact, each with the one argument its handlers get. */
export interface ContactEvents extends EntryEvents {
  /** The remote party is typing; may be taken as over after 10 s. */
  iswriting: Sender
  /** This party is typing (sent at most once in 3 s). */
  localiswriting: Record<string, never>
  /** An agent is assigned, and will join. */
  assigned: { readonly id: string; readonly user: string; readonly nick: string }
  /** The agent joined the contact. */
  joined: { readonly id: string } & AgentCard
  /**
   * A channel of the remote party ended, the remote party turned a medium off, or another page of this party
   * took the slot and the call.
   */
  left: {
    readonly id: string
    readonly vvcu?: string
    readonly user?: string
    readonly reason?: EndReason
    readonly channels: ChannelCounts
  }
  /**
   * `away: true`: no page of the remote party is connected any more, because it was closed, is loading again,
   * or lost its network. `away: false`: a page is connected again.
   */
  peeraway: { readonly away: boolean }
  /** This party left. */
  localleft: { readonly reason?: 'abandon' | 'cancel' | 'closed' | 'user' }
  /** The contact ended. */
  cleared: { readonly id: string; readonly reason?: EndReason }
  /** The contact was transferred to another agent or set of tags. */
  transferred: {
    readonly id: string
    readonly to: { readonly toId: string; readonly toAgent?: string; readonly toTags?: readonly string[] }
  }
  /** An agent did not accept the contact. */
  declined: { readonly id: string; readonly user: string; readonly nick: string }
  /** Capabilities of this party changed. */
  localcapabilities: MediaCapabilities
  /** Capabilities of the remote changed or arrived for the first time. */
  capabilities: MediaCapabilities
  /** The remote offers media: answer through `callback`. */
  mediaoffer: { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }
  /**
   * The media state changed. There is no event on entering the contact: `getMedia` gives its first state.
   * `interrupted`: a page of either party was loaded anew, or came or went, so that what is off may come back
   * by itself.
   */
  mediachange: { readonly newMedia: MediaState; readonly diff: MediaStateDiff; readonly interrupted?: true }
  /**
   * Data of the remote arrived on a data channel, without a topic, or with a topic that is the name of an
   * event of the SDK. Data with another topic is emitted under the name of the topic.
   */
  data: DataMessage
  /** A data channel is open, whichever side asked for it; its events start in the task after this one. */
  datachannel: DataChannel
  /**
   * The position of a waiting contact in the queue, from 1, and the expected wait. `expectedWaitMs` is
   * missing if the service has no estimate.
   */
  queue: { readonly position: number; readonly expectedWaitMs?: number }
  /** `mediaState` changed. An incoming offer, for example, is over when it is not `offered` any more. */
  mediastate: { readonly state: MediaTransitionState }
  /** The connection to the service changed. `online`: everything that was missed has been replayed. */
  connection: { readonly state: 'connecting' | 'online' | 'offline' }
  /** What the media of an engine transmit and receive, at most once a second during a call. */
  statistics: { readonly engine: string } & Observation
  /**
   * Media that are on stopped arriving, and the SDK takes a step; or all of them arrive again. `tell_user`:
   * no step helped.
   */
  liveness: { readonly engine: string } & Liveness
  /** The remote put the call on hold: it neither sends nor plays. Or it ended the hold. */
  remotehold: { readonly engine: string; readonly on: boolean }
  /**
   * The remote muted media or unmuted them: of those in `muted` it sends silence or black. The end of a call
   * unmutes all without an event.
   */
  remotemute: { readonly engine: string; readonly muted: readonly string[] }
  /**
   * The system took the device of a medium for another use, such as a telephone call, so that silence or
   * black is sent; or it gave the device back.
   */
  interruption: { readonly engine: string; readonly medium: string; readonly on: boolean }
  /**
   * A call that a page load interrupted is restored as far as possible without a click. `media`: what is on
   * now; `missing`: what was on and is not, such as a shared screen; `code`: why a medium could not be
   * restored; `muted`, `held`: as the earlier page left them, or muted if that is unknown.
   */
  restored: {
    readonly media: MediaState
    readonly missing: PartialMediaState
    readonly code?: ErrorCode
    readonly muted: readonly string[]
    readonly held: boolean
  }
  /** The quality of a call, when its last medium is off. */
  callsummary: CallSummary
  /** Of a secure contact: `verification` changed. */
  verification: Verification
  /** Of a secure contact: something of the remote was not taken, as it was not encrypted or cannot be read. */
  insecure: InsecureMessage
  /**
   * An error that belongs to no call of the application: `tampered`, `protocol`, `engine_failed`,
   * `unauthorized`; `timeout`: the other page has not agreed on a key for 15 s; or the contact's first offer
   * failed: the code says why.
   */
  error: ContactError
}

/** Name of an event of the contract or of the SDK. */
export type ContactEventName = keyof ContactEvents

/**
 * Names of the events above, and `close` of a data channel. The compiler requires all of them.
 */
const NAMES: Readonly<Record<Exclude<ContactEventName, keyof EntryEvents> | 'close', true>> = {
  iswriting: true,
  localiswriting: true,
  assigned: true,
  joined: true,
  left: true,
  peeraway: true,
  localleft: true,
  cleared: true,
  transferred: true,
  declined: true,
  localcapabilities: true,
  capabilities: true,
  mediaoffer: true,
  mediachange: true,
  data: true,
  datachannel: true,
  queue: true,
  mediastate: true,
  connection: true,
  statistics: true,
  liveness: true,
  remotehold: true,
  remotemute: true,
  interruption: true,
  restored: true,
  callsummary: true,
  verification: true,
  insecure: true,
  error: true,
  close: true,
}

/**
 * Whether the SDK emits events of that name. Data of the remote with such a topic, and requests for such an
 * action, never reach a handler of that event.
 */
export const isOwnEvent = (name: string): boolean => Object.hasOwn(NAMES, name) || isEntryEvent(name)

/**
 * Called by the handler of an action: with an error, in any shape that is JSON, or with the result. The
 * second call does nothing.
 */
export type RequestCallback = (error: unknown, result?: JsonValue) => void

/**
 * Answers requests of the remote whose `type` is the name that the handler is registered for. It also gets
 * data with that topic, with a callback that does nothing.
 * If the handler throws, or its Promise rejects, the request fails with that error.
 */
export type RequestHandler = (data: JsonValue | undefined, callback: RequestCallback) => unknown

/** A name of an action or topic of the application: no event of the SDK has it. */
export type OwnName<N extends string> = N extends ContactEventName ? never : N
