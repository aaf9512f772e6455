import type {
  Ending,
  ErrorCode,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  PartialMediaState,
  PartyBodies,
  SharedState,
  Slot,
  VoidReason,
} from '../../protocol/index.ts'

/** An own offer or direct transition, from the command until its Promise is settled. */
export interface OwnOffer {
  /** Message id of its entry, and the name of its Promise. */
  readonly id: string
  readonly entry:
    | { readonly type: 'offer'; readonly body: PartyBodies['offer'] }
    | { readonly type: 'direct'; readonly body: PartyBodies['direct'] }
  /** Sequence number once read back. */
  readonly ref: number | null
  /** It is to be withdrawn as soon as it is read back standing. */
  readonly cancel: 'withdrawn' | 'timeout' | null
  /** How it went, from when that is known until the engines are quiet. */
  readonly outcome: OfferOutcome | null
}

/** An own offer or direct transition that is about to begin. */
export type NewOffer = Pick<OwnOffer, 'id' | 'entry'>

/** How an own offer ended. */
export type OfferOutcome =
  | { readonly ok: true; readonly answer: PartialMediaState | null }
  | { readonly ok: false; readonly code: ErrorCode; readonly reason?: string }

/** An offer that the SDK makes by itself, as soon as it can. */
export interface PendingOffer {
  readonly offer: MediaOffer
  /** The own offer that is under way for it; null while it waits. */
  readonly id: string | null
  /** It is not made again where the remote is faster. */
  readonly isOver: boolean
}

/** A call that the end of an own session has cut, until it has come back as far as it can. */
export interface InterruptedMedia extends PendingOffer {
  readonly media: MediaState
  /** Why more of it could not be brought back. */
  readonly code: ErrorCode | null
  /** It may not come back by itself any more. */
  readonly isLate: boolean
}

/** Context of the media machine: plain data. */
export interface MediaContext {
  readonly slot: Slot
  readonly session: string
  readonly capabilities: MediaCapabilities
  /** Milliseconds that own offers stand. */
  readonly offerLifetime: number
  /** The fold of the log as read so far. */
  readonly shared: SharedState
  /**
   * The session that holds the own slot, once its page is gone or the user moves everything here; null else.
   */
  readonly gone: string | null
  /** What the engines carry; null while that is uncertain. */
  readonly engines: MediaState | null
  readonly own: OwnOffer | null
  /** Transition that this side has given up. */
  readonly failed: number | null
  /** Own transmissions that the engines have acquired ahead of a transition. */
  readonly prepared: readonly string[]
  /** Own transmissions (`medium via engine`) that this side has agreed to. */
  readonly consent: readonly string[]
  /**
   * Own transmissions that an absence of the other party has cut, while they may come back without a
   * question.
   */
  readonly window: readonly string[]
  /** Media whose capture has ended and whose transmission is still on in the contact. */
  readonly lostCaptures: readonly string[]
  readonly interruptedMedia: InterruptedMedia | null
  /** The contact's first offer, while it is due. */
  readonly pendingOffer: PendingOffer | null
  /** Number of entries written by this machine: their ids are made of it. */
  readonly written: number
  /** Events that came when they could have no effect. */
  readonly ignored: number
}

/** What a media machine starts from. */
export interface MediaInput {
  readonly slot: Slot
  readonly session: string
  readonly capabilities: MediaCapabilities
  /** Milliseconds that own offers stand. */
  readonly offerLifetime: number
  readonly shared: SharedState
  /** The session that holds the own slot, where its page is gone. */
  readonly gone: string | null
  /** Number of entries that an earlier machine of the session has written; none without. */
  readonly written?: number
  /** The contact's first offer, where it is due. */
  readonly firstOffer?: MediaOffer | null
}

/** Every fact carries the fold after the entry. */
interface Read {
  readonly shared: SharedState
}

/** What an entry of the log means to this party. One entry is one fact. */
export type MediaFact =
  /** Own `present` counts: this session holds the slot. */
  | ({ readonly type: 'log.slotHeld' } & Read)
  /** Another session holds the slot, or the service declared this one absent. */
  | ({ readonly type: 'log.slotLost' } & Read)
  /** The slot, which another session held, is free. */
  | ({ readonly type: 'log.slotFreed' } & Read)
  /** The other party came, went, or lost an engine: media may have shrunk, a phase may be over. */
  | ({ readonly type: 'log.partyChanged' } & Read)
  /** An own entry changed nothing. */
  | ({ readonly type: 'log.voided'; readonly id: string; readonly reason: VoidReason } & Read)
  /** The other party offers. */
  | ({ readonly type: 'log.offered'; readonly ref: number } & Read)
  /** The own offer stands. */
  | ({ readonly type: 'log.offering'; readonly id: string; readonly ref: number } & Read)
  | ({ readonly type: 'log.transiting'; readonly id: string; readonly ref: number } & Read)
  | ({ readonly type: 'log.readied'; readonly ref: number } & Read)
  | ({
      readonly type: 'log.committed'
      readonly ref: number
      readonly answer: PartialMediaState | null
    } & Read)
  | ({ readonly type: 'log.ended'; readonly ref: number; readonly ending: Ending } & Read)
  /** The contact is over. */
  | ({ readonly type: 'log.closed' } & Read)

/** What the service says of the page that holds the own slot: whether it is connected. */
export type HolderFact = { readonly type: 'holder.gone' } | { readonly type: 'holder.here' }

/** What the application offers, or changes directly. */
export type OfferCommand =
  | {
      readonly type: 'media.offer'
      readonly id: string
      readonly offer: MediaOffer
      readonly restore: boolean
    }
  | {
      readonly type: 'media.transit'
      readonly id: string
      readonly target: MediaState
      readonly restore: boolean
    }

/** What the application asks for. */
export type MediaCommand =
  | OfferCommand
  | { readonly type: 'media.answer'; readonly ref: number; readonly answer: PartialMediaState }
  | { readonly type: 'media.reject'; readonly ref: number; readonly reason: string }
  | { readonly type: 'media.withdraw' }
  /** This page is to have the slot, and the call. */
  | { readonly type: 'media.takeOver' }
  /** The contact's first offer is due, or not any more. */
  | { readonly type: 'first.due'; readonly offer: MediaOffer | null }
  /** A call that a page load has cut is to come back `within` so many milliseconds. */
  | { readonly type: 'call.interrupted'; readonly media: MediaState; readonly within: number }
  /** It is not to come back any more: something else was agreed, or the other party is gone. */
  | { readonly type: 'call.ended' }
  | { readonly type: 'capabilities.set'; readonly capabilities: MediaCapabilities }
  | { readonly type: 'contact.leave' }

/** What the engines say. */
export type EngineReply =
  | { readonly type: 'engine.prepared' }
  | { readonly type: 'engine.unprepared'; readonly code: ErrorCode; readonly reason: string }
  | { readonly type: 'engine.worked'; readonly ref: number }
  | {
      readonly type: 'engine.failed'
      readonly ref: number
      readonly code: ErrorCode
      readonly reason: string
    }
  | { readonly type: 'engine.undone'; readonly media: MediaState }
  /**
   * `engines` are destroyed; `media` is what still runs. `uncertain`: a transition of others was interrupted
   * by it.
   */
  | {
      readonly type: 'engine.broke'
      readonly engines: readonly string[]
      readonly media: MediaState
      readonly reason: string
      readonly uncertain?: boolean
    }
  | { readonly type: 'capture.ended'; readonly medium: string }

/** What the outbox says: the service will never take an entry of this machine. */
type WriteRefusal = {
  readonly type: 'log.refused'
  readonly id: string
  readonly code: ErrorCode
  readonly reason: string
}

/** All that the media machine is told. */
export type MediaEvent =
  | MediaFact
  | HolderFact
  | MediaCommand
  | EngineReply
  | WriteRefusal
  | { readonly type: 'window.closed' }
  | { readonly type: 'call.late' }

/** What the machine asks of the engines; one operation runs at a time, and `undo` first cancels what runs. */
export type EngineCommand =
  /** Acquires what `media` would transmit, at once: the user has just clicked. */
  | { readonly type: 'engine.prepare'; readonly media: PartialMediaState }
  | {
      readonly type: 'engine.work'
      readonly ref: number
      readonly from: MediaState
      readonly to: MediaState
      readonly wasOffered: boolean
      readonly restore: boolean
    }
  | { readonly type: 'engine.undo'; readonly to: MediaState }
  | { readonly type: 'engine.stop' }

/** What the machine hands to the outbox, relative to this party: the outbox swaps. */
export type WriteCommand = {
  [T in keyof PartyBodies]: {
    readonly type: 'log.write'
    readonly entry: { readonly id: string; readonly type: T; readonly body: PartyBodies[T] }
  }
}[keyof PartyBodies]

/** What the outside hears. */
export type MediaEmitted =
  /** The application is asked. */
  | { readonly type: 'media.asked'; readonly ref: number; readonly offer: MediaOffer }
  /** `interrupted`: pages came or went, so that what is off may come back by itself. */
  | {
      readonly type: 'media.changed'
      readonly from: MediaState
      readonly to: MediaState
      readonly interrupted?: true
    }
  | {
      readonly type: 'offer.settled'
      readonly id: string
      readonly outcome: OfferOutcome
      readonly media: MediaState
    }
  /** The log asks for a transmission that this side never agreed to. */
  | { readonly type: 'consent.missing'; readonly ref: number }
  | { readonly type: 'engine.lost'; readonly reason: string }
  /** A call is about to come back. */
  | { readonly type: 'call.restoring'; readonly media: MediaState }
  /** It is back but for `missing`; `code`: why it is not all there. */
  | {
      readonly type: 'call.restored'
      readonly media: MediaState
      readonly missing: PartialMediaState
      readonly code?: ErrorCode
    }
  /** The contact's first offer is decided; `code`: why it came to nothing. */
  | { readonly type: 'offer.decided'; readonly code: ErrorCode | null; readonly reason: string | undefined }
