/**
 * Who speaks first, so that both sides never negotiate at once (glare). One side starts every attempt and
 * makes
 * every offer; the other side answers, and asks for an attempt with `want` where it needs one.
 */
import type { Slot } from '../../protocol/index.ts'
import { ARRIVED_AFTER_MS } from './limits.ts'
import type { PeerSignal } from './signals.ts'

/** The visitor's side starts attempts and makes offers. */
export const isInitiator = (slot: Slot): boolean => slot === 'visitor'

/**
 * Whether a description of the other side fits the state of the connection (RTCSignalingState, W3C webrtc,
 * section 4.3.1): an
 * offer only at the side that makes none, while nothing is under way; an answer only to an offer of this
 * side.
 */
export const fits = (
  type: Exclude<PeerSignal['type'], 'candidate'>,
  isInitiator: boolean,
  signalingState: RTCSignalingState,
): boolean =>
  type === 'offer' ? !isInitiator && signalingState === 'stable' : signalingState === 'have-local-offer'

/**
 * Whether the offer of an attempt may still be on its way to a side that says `want`, which means: I know no
 * attempt. Such a `want` changes nothing; any other means that the other side has lost the attempt.
 */
export const isOnItsWay = (
  { isAnswered, begunAtMs }: { readonly isAnswered: boolean; readonly begunAtMs: number },
  nowMs: number,
): boolean => !isAnswered && nowMs - begunAtMs < ARRIVED_AFTER_MS
