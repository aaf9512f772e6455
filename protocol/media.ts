/** A party's place in a contact. */
export type Slot = 'visitor' | 'agent'

/** Name of a medium: one of the five built-in names, or one that a registered engine brings. */
export type MediaName = 'Sharing' | 'Chat' | 'Voice' | 'Video' | 'Screen' | (string & {})

/**
 * What an engine tells about a medium on this page: `WebRTC` the two streams, another engine what it likes.
 * In a clone, what cannot be cloned is `true` instead.
 */
export interface EngineData {
  /** Of `WebRTC`: what this party transmits. */
  readonly tx_stream?: MediaStream
  /** Of `WebRTC`: what arrives from the remote, for `srcObject` of an `audio` or `video` element. */
  readonly rx_stream?: MediaStream
  readonly [member: string]: unknown
}

/** State of one medium. `tx` and `rx` are relative to the reader. */
export interface MediaStateDetails {
  /** The medium is being transmitted to the remote. */
  readonly tx: boolean
  /** The medium is being accepted from the remote. */
  readonly rx: boolean
  /**
   * Network or method: `net` (over IP), `pstn` (telephony), or an engine's own value. Present when `tx` or
   * `rx` is true.
   */
  readonly via?: string
  /** Identifier of the engine that carries the medium. Present when `tx` or `rx` is true. */
  readonly engine?: string
  /** Local information of the engine, never sent. */
  readonly data?: EngineData
}

/** Media state of a contact, or a desired one, keyed by the medium's name. A medium left out is off. */
export interface MediaState {
  /** The protocol-level medium (files, co-browsing, RPC). Never negotiated. */
  readonly Sharing: MediaStateDetails
  readonly Chat?: MediaStateDetails
  readonly Voice?: MediaStateDetails
  readonly Video?: MediaStateDetails
  readonly Screen?: MediaStateDetails
  /** A medium of a registered engine. */
  readonly [medium: string]: MediaStateDetails | undefined
}

/** Part of a {@link MediaState}: an answer, or the changes of a merge. */
export type PartialMediaState = Readonly<Record<string, MediaStateDetails | undefined>>

/** What an offer says of one direction of a medium, relative to the reader. */
export type OfferedDirection = 'required' | 'optional' | 'off'

/** One medium of an offer. `tx` and `rx` are relative to the reader. */
export interface MediaOfferDetails {
  /**
   * `required`: an accepting receiver must transmit; `off`: must not; `optional`: it decides in its answer.
   */
  readonly tx: OfferedDirection
  /**
   * `required`: an accepting receiver must receive; `off`: will not; `optional`: it decides in its answer.
   */
  readonly rx: OfferedDirection
  /**
   * As in {@link MediaStateDetails}. Required when `tx` or `rx` is not `off`; filled in where only one choice
   * exists.
   */
  readonly via?: string
  /**
   * As in {@link MediaStateDetails}. Required when `tx` or `rx` is not `off`; filled in where only one choice
   * exists.
   */
  readonly engine?: string
}

/**
 * An offer to turn media on or off. A medium that is not mentioned is offered `off`. Sharing is never
 * offered.
 */
export interface MediaOffer {
  readonly Sharing?: never
  readonly Chat?: MediaOfferDetails
  readonly Voice?: MediaOfferDetails
  readonly Video?: MediaOfferDetails
  readonly Screen?: MediaOfferDetails
  /** A medium of a registered engine. */
  readonly [medium: string]: MediaOfferDetails | undefined
}

/** One group of a {@link MediaStateDiff}. */
export interface MediaStateDiffDetails {
  /** Engine id of each medium in the group. */
  readonly media: Readonly<Record<string, string>>
  /** Names of the media in the group, by engine id. */
  readonly engine: Readonly<Record<string, readonly string[]>>
}

/** Difference between two media states. All three groups are always present. */
export interface MediaStateDiff {
  readonly added: MediaStateDiffDetails
  readonly removed: MediaStateDiffDetails
  readonly changed: MediaStateDiffDetails
}

/** Media transition state of a contact (`contact.mediaState`). */
export type MediaTransitionState = 'init' | 'idle' | 'offered' | 'offering' | 'transiting'

/**
 * Media that a session still carries: engine id by medium. What is not named is off after the session's
 * `present`.
 */
export type Holds = Readonly<Record<string, string>>

/** The other party's slot. */
export const otherSlot = (slot: Slot): Slot => (slot === 'visitor' ? 'agent' : 'visitor')
