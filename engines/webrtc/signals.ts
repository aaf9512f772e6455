import type { JsonValue } from '../../protocol/index.ts'

/** A candidate as it goes over the wire. */
export interface CandidateInit {
  readonly candidate: string
  readonly sdpMid: string | null
  readonly sdpMLineIndex: number | null
}

/** What one peer connection tells the other. */
export type PeerSignal =
  | { readonly type: 'offer' | 'answer'; readonly sdp: string }
  | { readonly type: 'candidate'; readonly candidate: CandidateInit }

/** The recovery steps, in the order of their attempts. */
export const RECOVERY_STEPS = ['restart', 'renegotiate', 'relay'] as const

/** What the side that starts attempts can do for one whose media do not arrive. */
export type RecoveryStep = (typeof RECOVERY_STEPS)[number]

/**
 * What one engine tells the other. All but `want` name the attempt at a peer connection that they are about;
 * the visitor's side starts attempts.
 */
export type Signal =
  | { readonly attempt: string; readonly peer: PeerSignal }
  /** Please restart ICE, negotiate again, or restart ICE over TURN servers only: my media do not arrive. */
  | { readonly attempt: string; readonly type: RecoveryStep }
  /** I hold the call: nothing is wrong with it; or I go on. */
  | { readonly attempt: string; readonly type: 'hold' | 'resume' }
  /** This attempt is over on my side. */
  | { readonly attempt: string; readonly type: 'bye' }
  /** Please start an attempt: I have none. */
  | { readonly type: 'want' }

/** A signal about an attempt. */
export type AttemptSignal = Exclude<Signal, { readonly type: 'want' }>

const MAX_SDP_LENGTH = 65_536
const MAX_CANDIDATE_LENGTH = 1_024
const ATTEMPT = /^[A-Za-z0-9-]{1,64}$/

type Fields = Readonly<Record<string, JsonValue>>

const isFields = (value: JsonValue | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isMid = (value: JsonValue | undefined): value is string | null =>
  value === null || (typeof value === 'string' && value.length <= 64)
const isIndex = (value: JsonValue | undefined): value is number | null =>
  value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256)

function parseCandidate(value: JsonValue | undefined): CandidateInit | undefined {
  if (!isFields(value)) return undefined
  const { candidate, sdpMid = null, sdpMLineIndex = null } = value
  if (
    typeof candidate !== 'string' ||
    candidate.length > MAX_CANDIDATE_LENGTH ||
    !/^(candidate:|$)/.test(candidate)
  )
    return undefined
  if (!isMid(sdpMid) || !isIndex(sdpMLineIndex) || (sdpMid === null && sdpMLineIndex === null))
    return undefined
  return { candidate, sdpMid, sdpMLineIndex }
}

function parsePeerSignal(value: JsonValue | undefined): PeerSignal | undefined {
  if (!isFields(value)) return undefined
  if (value['type'] === 'candidate') {
    const candidate = parseCandidate(value['candidate'])
    return candidate && { type: 'candidate', candidate }
  }
  const { type, sdp } = value
  if (type !== 'offer' && type !== 'answer') return undefined
  return typeof sdp === 'string' && sdp.startsWith('v=0') && sdp.length <= MAX_SDP_LENGTH
    ? { type, sdp }
    : undefined
}

/** A signal of the other party, or nothing where it is none: it comes from outside. */
export function parseSignal(data: JsonValue): Signal | undefined {
  if (!isFields(data)) return undefined
  const { attempt, type } = data
  if (type === 'want') return { type }
  if (typeof attempt !== 'string' || !ATTEMPT.test(attempt)) return undefined
  const known = [...RECOVERY_STEPS, 'bye' as const, 'hold' as const, 'resume' as const].find(
    (one) => one === type,
  )
  if (known) return { attempt, type: known }
  const peer = parsePeerSignal(data['peer'])
  return peer && { attempt, peer }
}

/** The signal as JSON. */
export const toJson = (signal: Signal): JsonValue => signal as unknown as JsonValue
