import type { JsonValue } from '../../protocol/index.ts'
import { MUTABLE } from './capture.ts'

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

/** What one side tells of its controls. */
export type ControlSignal =
  /** I hold the call: nothing is wrong with it; or I go on. */
  | { readonly type: 'hold' | 'resume' }
  /** I send silence or black of these, and of no others. */
  | { readonly type: 'muted'; readonly media: readonly string[] }

/**
 * What one engine tells the other. All but `want` name the attempt at a peer connection that they are about;
 * the visitor's side starts attempts.
 */
export type Signal =
  | { readonly attempt: string; readonly peer: PeerSignal }
  /** Please restart ICE, negotiate again, or restart ICE over TURN servers only: my media do not arrive. */
  | { readonly attempt: string; readonly type: RecoveryStep }
  | ({ readonly attempt: string } & ControlSignal)
  /** This attempt is over on my side. */
  | { readonly attempt: string; readonly type: 'bye' }
  /** Please start an attempt: I have none. */
  | { readonly type: 'want' }

/** A signal about an attempt. */
export type AttemptSignal = Exclude<Signal, { readonly type: 'want' }>

const NOTICES = ['hold', 'resume', 'muted'] as const
const MAX_SDP_LENGTH = 65_536
const MAX_CANDIDATE_LENGTH = 1_024
const MAX_MUTED = 8
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

/** Media that this version cannot mute are of a later one. */
const mutedSignal = (attempt: string, media: JsonValue | undefined): Signal | undefined =>
  Array.isArray(media) && media.length <= MAX_MUTED
    ? { attempt, type: 'muted', media: MUTABLE.filter((medium) => media.includes(medium)) }
    : undefined

/** A signal of the other party, or nothing where it is none: it comes from outside. */
export function parseSignal(data: JsonValue): Signal | undefined {
  if (!isFields(data)) return undefined
  const { attempt, type } = data
  if (type === 'want') return { type }
  if (typeof attempt !== 'string' || !ATTEMPT.test(attempt)) return undefined
  if (type === 'muted') return mutedSignal(attempt, data['media'])
  const known = [...RECOVERY_STEPS, 'bye' as const, 'hold' as const, 'resume' as const].find(
    (one) => one === type,
  )
  if (known) return { attempt, type: known }
  const peer = parsePeerSignal(data['peer'])
  return peer && { attempt, peer }
}

/** Whether a signal only tells of the other side's controls. */
export const isNotice = (signal: Signal): signal is { readonly attempt: string } & ControlSignal =>
  'type' in signal && NOTICES.some((type) => type === signal.type)

/** The signal as JSON. */
export const toJson = (signal: Signal): JsonValue => signal as unknown as JsonValue
