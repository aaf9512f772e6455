/** What one conversation shows. */
import type { CallQuality } from './call-quality.ts'
import type { Devices } from './devices.ts'
import { shownCall } from './cut-call.ts'
import type { CallShown } from './cut-call.ts'
import type { SavedHistory } from './history.ts'
import type { CallKind, CallMedium } from './media-plan.ts'
import type {
  Avatar,
  ContactData,
  EndReason,
  ErrorCode,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  Slot,
  Verification,
} from './sdk.ts'
import type { Stopping } from './stopping.ts'
import type { Transcript } from './transcript.ts'

export type Stage = 'waiting' | 'assigned' | 'talking' | 'ended'

export interface Peer {
  readonly nick: string
  readonly avatar?: Avatar
  /** `away`: every connection is gone, and it may come back; `gone`: it has left for good. */
  readonly presence: 'here' | 'away' | 'gone'
}

/**
 * An offer of the remote that asks for a decision. `preparing`: devices are being asked for; `answered`: the
 * call is being set up.
 */
export interface ShownOffer {
  readonly offer: MediaOffer
  readonly status: 'asking' | 'preparing' | 'answered'
}

/** Something that failed. */
export interface Problem {
  readonly code: ErrorCode
  readonly what: 'send' | 'call' | 'answer' | 'change' | 'restore' | 'leave' | 'other'
  readonly kind?: CallKind
}

export interface Conversation extends CallShown {
  readonly role: Slot
  readonly stage: Stage
  /** Why it ended; `refused`: the service no longer knows this visitor. */
  readonly ending: EndReason | 'closed' | 'passed' | 'refused' | null
  /** As the contact tells it, once its connection is gone. */
  readonly connection: 'connecting' | 'online' | 'offline'
  /** As the browser tells it, at once. */
  readonly isOffline: boolean
  readonly peer: Peer | null
  readonly transcript: Transcript
  /** What was said before the first message is not read yet: the service has it. */
  readonly missesStart: boolean
  readonly isPeerTyping: boolean
  readonly media: MediaState
  readonly local: MediaCapabilities | null
  readonly remote: MediaCapabilities | null
  /** An own offer on its way. */
  readonly request: CallKind | null
  readonly offer: ShownOffer | null
  /** What the user has ended, and the contact has not yet. */
  readonly stopping: Stopping | null
  /** Media whose device the system has taken for something else: silence or black is sent. */
  readonly interrupted: readonly CallMedium[]
  readonly muted: Readonly<Record<'audio' | 'video', boolean>>
  readonly problem: Problem | null
  /** Null while nothing is known. */
  readonly quality: CallQuality | null
  /** The call is on hold here, or at the remote. */
  readonly isHeld: boolean
  readonly isHeldByPeer: boolean
  /** Media that the remote has muted. */
  readonly peerMuted: readonly string[]
  /** The browser or the system lets something of the call not be heard until there is a click. */
  readonly isSilent: boolean
  /** Null until somebody looks. */
  readonly devices: Devices | null
  /** Another tab of this party has taken the conversation over: calls are there, messages here too. */
  readonly isElsewhere: boolean
  /** While a visitor waits: the place in the queue, from 1. */
  readonly queue: { readonly position: number; readonly expectedWaitMs?: number } | null
  /** The contact waits for an agent also while the visitor is away. */
  readonly isForLater: boolean
  /** Of the other party's key. Null in a contact that is not secure. */
  readonly verification: Verification | null
  readonly unread: number
  /** Somebody is looking at it. */
  readonly isAttended: boolean
  /** Id of the last message that the other side was told was read; empty where there is none. */
  readonly readTo: string
}

const STAGE_OF = {
  queued: 'waiting',
  assigned: 'assigned',
  joined: 'talking',
  cleared: 'ended',
  // The visitor waits under another id.
  transferred: 'waiting',
} as const

/** Nothing of it is known at the beginning. */
const UNKNOWN = {
  connection: 'online',
  isOffline: false,
  isPeerTyping: false,
  local: null,
  remote: null,
  request: null,
  offer: null,
  interrupted: [],
  problem: null,
  quality: null,
  isHeld: false,
  isHeldByPeer: false,
  peerMuted: [],
  isSilent: false,
  devices: null,
  isElsewhere: false,
  queue: null,
  verification: null,
  isAttended: false,
} as const satisfies Partial<Conversation>

export function beginConversation(
  role: Slot,
  data: ContactData,
  { transcript, unread = 0, stopping, isPeerGone, missesStart = false, readTo = '', call }: SavedHistory,
): Conversation {
  const peer = peerOf(role, data)
  return {
    ...UNKNOWN,
    role,
    stage: STAGE_OF[data.state],
    ending: data.reason ?? null,
    peer: peer?.presence === 'away' && isPeerGone ? { ...peer, presence: 'gone' } : peer,
    transcript,
    missesStart,
    media: data.mediaState,
    ...shownCall(call),
    stopping: stopping ?? null,
    muted: { audio: false, video: false },
    isForLater: data.later ?? false,
    unread,
    readTo,
  }
}

/** A message that is left: nobody has joined yet. */
export const waitsForLater = ({ isForLater, stage }: Pick<Conversation, 'isForLater' | 'stage'>): boolean =>
  isForLater && stage === 'waiting'

/** No event tells of a page that has gone before this one came: the record counts those that there are. */
function peerOf(role: Slot, { agent, visitor, channels, state }: ContactData): Peer | null {
  if (role === 'agent') return { nick: visitor.nick ?? '', presence: channels.vvcu === 0 ? 'away' : 'here' }
  if (!agent) return null
  const presence = state === 'joined' && channels.user === 0 ? 'away' : 'here'
  return { nick: agent.nick, presence, ...(agent.avatar && { avatar: agent.avatar }) }
}
