/** What the machine of a peer session needs to begin with. */
export interface PeerSessionInput {
  /** This side starts attempts: `glare.ts`. */
  readonly isInitiator: boolean
}

/** Why a connection is not there: `late`, not in time; `failed`, it could not be made. */
export type PeerLoss = 'late' | 'failed' | 'closed' | 'hung_up' | 'lost'

/** Context of the machine: plain data. */
export interface PeerSessionContext extends PeerSessionInput {
  /** An attempt of the other side has arrived, and this side takes no part in it yet. */
  readonly hasOffer: boolean
  /** How long the operation that waits for the connection may wait, milliseconds. */
  readonly limitMs: number
  /** ICE restarts since the connection was lost. */
  readonly restarts: number
  /** Why the attempt before ended. */
  readonly loss: PeerLoss
}

/** What the machine is told. */
export type PeerSessionEvent =
  /** Command: a call may follow. */
  | { readonly type: 'call.foresee' }
  /** Command: this side has agreed to a call that is not decided yet. */
  | { readonly type: 'call.agree' }
  /** Command: the call is decided, and needs a connection. */
  | { readonly type: 'call.want' }
  /** Command: the call is over. */
  | { readonly type: 'call.close' }
  /** An operation waits for the connection from now on. */
  | { readonly type: 'wait.begin'; readonly limitMs: number }
  /** It waits no longer. */
  | { readonly type: 'wait.end' }
  /** The machine's own: it has waited too long. */
  | { readonly type: 'wait.expired' }
  /** An offer of an attempt that is not known here. */
  | { readonly type: 'remote.offered' }
  /** That attempt is over, before this side took part. */
  | { readonly type: 'remote.withdrew' }
  /** The other side has no attempt. `isOnItsWay`: the offer of this side may not have arrived yet. */
  | { readonly type: 'remote.wants'; readonly isOnItsWay: boolean }
  /** The other side has ended the attempt. */
  | { readonly type: 'remote.hungUp' }
  /** Media can flow. */
  | { readonly type: 'peer.connected' }
  /** The browser has lost the network for now. */
  | { readonly type: 'peer.interrupted' }
  /** The attempt ended by itself. */
  | { readonly type: 'peer.closed' }
  /** Nothing arrives, which the browser has not noticed. */
  | { readonly type: 'peer.silent' }
  /** Something arrives again. */
  | { readonly type: 'peer.heard' }

/** What the machine has its session do. */
export type PeerSessionEmitted =
  /** Begin an attempt: one of this side, or the one that has arrived. */
  | { readonly type: 'begin' }
  /** Let the attempt answer. */
  | { readonly type: 'agree' }
  /** Ask the other side for an attempt. */
  | { readonly type: 'ask' }
  /** End the attempt; `tells`: the other side is told. */
  | { readonly type: 'discard'; readonly tells: boolean }
  /** Media can flow; `isFirst`: for the first time over this attempt. */
  | { readonly type: 'up'; readonly isFirst: boolean }
  /** Restart ICE. */
  | { readonly type: 'restart' }
  /** Fail the operation that waits. */
  | { readonly type: 'fail'; readonly loss: PeerLoss }
  /** Report that the connection is gone for good. */
  | { readonly type: 'broke'; readonly loss: PeerLoss }
