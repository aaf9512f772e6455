/**
 * What one conversation shows, as a fold over what happens in a contact.
 *
 *   waiting ──assigned──▶ assigned ──joined──▶ talking ──left (by own side) or cleared──▶ ended
 *      ▲                     │
 *      └──────declined───────┘
 */
import type { CallQuality } from './call-quality.ts'
import type { Devices } from './device-controller.ts'
import type { Kept } from './history.ts'
import type {
  Avatar,
  ContactData,
  EndReason,
  ErrorCode,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  Slot,
} from './sdk.ts'
import { mediaNotices } from './media-notices.ts'
import { CALL_MEDIA, inCall } from './media-plan.ts'
import type { CallKind, CallMedium } from './media-plan.ts'
import type { Stopping } from './media-stops.ts'
import { noticed } from './transcript.ts'
import type { Transcript } from './transcript.ts'
import type { NoticeKey } from './messages/en.ts'

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

export interface Conversation {
  readonly role: Slot
  readonly stage: Stage
  /** Why it ended. */
  readonly ending: EndReason | 'closed' | 'passed' | null
  readonly connection: 'connecting' | 'online' | 'offline'
  readonly peer: Peer | null
  readonly transcript: Transcript
  readonly isPeerTyping: boolean
  readonly media: MediaState
  /** When the call began. */
  readonly callSince: number | null
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
  /** The browser or the system lets something of the call not be heard until there is a click. */
  readonly isSilent: boolean
  /** Null until somebody looks. */
  readonly devices: Devices | null
  /** Another tab of this party has taken the conversation over: calls are there, messages here too. */
  readonly isElsewhere: boolean
  /** While a visitor waits: the place in the queue, from 1. */
  readonly queue: { readonly position: number; readonly expectedWaitMs?: number } | null
  readonly unread: number
  /** Somebody is looking at it. */
  readonly isAttended: boolean
}

export type ConversationEvent =
  | { readonly type: 'transcript'; readonly change: (transcript: Transcript) => Transcript }
  | { readonly type: 'heard'; readonly change: (transcript: Transcript) => Transcript }
  | { readonly type: 'typing'; readonly on: boolean }
  | { readonly type: 'assigned'; readonly nick: string }
  | { readonly type: 'declined' }
  | { readonly type: 'joined'; readonly nick: string; readonly avatar?: Avatar }
  | { readonly type: 'entered' }
  | { readonly type: 'peer'; readonly presence: Peer['presence'] }
  | { readonly type: 'transferred' }
  | { readonly type: 'ended'; readonly reason: Conversation['ending'] }
  | { readonly type: 'connection'; readonly state: Conversation['connection'] }
  | { readonly type: 'media'; readonly media: MediaState }
  | { readonly type: 'capabilities'; readonly local?: MediaCapabilities; readonly remote?: MediaCapabilities }
  | { readonly type: 'request'; readonly kind: CallKind | null }
  | { readonly type: 'offer'; readonly offer: ShownOffer | null }
  | { readonly type: 'stopping'; readonly stopping: Stopping | null }
  | { readonly type: 'interrupted'; readonly medium: string; readonly on: boolean }
  | { readonly type: 'muted'; readonly kind: 'audio' | 'video'; readonly on: boolean }
  | { readonly type: 'problem'; readonly problem: Problem | null }
  | { readonly type: 'held'; readonly on: boolean }
  | { readonly type: 'peerheld'; readonly on: boolean }
  | { readonly type: 'silent'; readonly on: boolean }
  | { readonly type: 'devices'; readonly devices: Devices }
  | { readonly type: 'quality'; readonly change: (quality: CallQuality | null) => CallQuality }
  | { readonly type: 'queue'; readonly place: NonNullable<Conversation['queue']> }
  | { readonly type: 'elsewhere'; readonly on: boolean }
  | { readonly type: 'attended'; readonly on: boolean }

const STAGE_OF = { queued: 'waiting', assigned: 'assigned', joined: 'talking', cleared: 'ended' } as const

export function beginConversation(
  role: Slot,
  data: ContactData,
  { transcript, unread = 0 }: Kept,
): Conversation {
  return {
    role,
    stage: STAGE_OF[data.state],
    ending: data.reason ?? null,
    connection: 'online',
    peer: role === 'agent' ? { nick: data.visitor.nick ?? '', presence: 'here' } : agentOf(data),
    transcript,
    isPeerTyping: false,
    media: data.mediaState,
    callSince: null,
    local: null,
    remote: null,
    request: null,
    offer: null,
    stopping: null,
    interrupted: [],
    muted: { audio: false, video: false },
    problem: null,
    quality: null,
    isHeld: false,
    isHeldByPeer: false,
    isSilent: false,
    devices: null,
    isElsewhere: false,
    queue: null,
    unread,
    isAttended: false,
  }
}

const agentOf = ({ agent }: ContactData): Peer | null =>
  agent ? { nick: agent.nick, presence: 'here', ...(agent.avatar && { avatar: agent.avatar }) } : null

type Folds = {
  readonly [T in ConversationEvent['type']]: (
    state: Conversation,
    event: Extract<ConversationEvent, { readonly type: T }>,
    now: number,
  ) => Conversation
}

const FOLDS: Folds = {
  transcript: (state, { change }) => ({ ...state, transcript: change(state.transcript) }),
  heard: (state, { change }) => ({
    ...returned(state),
    isPeerTyping: false,
    unread: state.isAttended ? 0 : state.unread + 1,
    transcript: change(state.transcript),
  }),
  typing: (state, { on }) =>
    state.stage === 'ended' ? state : { ...(on ? returned(state) : state), isPeerTyping: on },
  assigned: (state, { nick }) =>
    state.stage === 'waiting'
      ? { ...state, stage: 'assigned', queue: null, peer: { nick, presence: 'here' } }
      : state,
  declined: (state) => (state.stage === 'assigned' ? { ...state, stage: 'waiting', peer: null } : state),
  joined,
  entered: (state) => (state.stage === 'ended' ? state : { ...state, stage: 'talking' }),
  peer: (state, { presence }, now) => withPresence(state, presence, now),
  transferred: (state, _event, now) =>
    state.role === 'agent'
      ? ended(state, 'passed', now)
      : say(
          {
            ...state,
            stage: 'waiting',
            queue: null,
            peer: null,
            remote: null,
            offer: null,
            request: null,
            stopping: null,
            isPeerTyping: false,
          },
          { notice: 'noticeTransferred' },
          now,
        ),
  ended: (state, { reason }, now) => ended(state, reason, now),
  connection: (state, event) => ({ ...state, connection: event.state }),
  media: (state, { media }, now) => withMedia(state, media, now),
  capabilities: (state, { local, remote }) => ({
    ...(remote ? returned(state) : state),
    local: local ?? state.local,
    remote: remote ?? state.remote,
  }),
  request: (state, { kind }) => ({ ...state, request: kind, problem: kind ? null : state.problem }),
  offer: (state, { offer }) => ({
    ...state,
    offer,
    // That of a call before is not of this one.
    problem: offer?.status === 'asking' && offer.offer === state.offer?.offer ? state.problem : null,
  }),
  stopping: (state, { stopping }) => ({ ...state, stopping }),
  interrupted: (state, { medium, on }) => ({
    ...state,
    interrupted: CALL_MEDIA.filter((each) => (each === medium ? on : state.interrupted.includes(each))),
  }),
  muted: (state, { kind, on }) => ({ ...state, muted: { ...state.muted, [kind]: on } }),
  problem: (state, { problem }) => ({ ...state, problem }),
  held: (state, { on }) => ({ ...state, isHeld: on }),
  peerheld: (state, { on }) => ({ ...state, isHeldByPeer: on }),
  silent: (state, { on }) => ({ ...state, isSilent: on }),
  devices: (state, { devices }) => ({ ...state, devices }),
  quality: (state, { change }) =>
    state.callSince === null ? state : { ...state, quality: change(state.quality) },
  queue: (state, { place }) => ({ ...state, queue: place }),
  elsewhere: (state, { on }) =>
    state.stage === 'ended'
      ? state
      : { ...state, isElsewhere: on, offer: null, request: null, stopping: null },
  attended: (state, { on }) => ({ ...state, isAttended: on, unread: on ? 0 : state.unread }),
}

/** The next state. `now` is when it happened, milliseconds since the epoch. */
export function fold(state: Conversation, event: ConversationEvent, now: number): Conversation {
  const next = FOLDS[event.type] as (
    state: Conversation,
    event: ConversationEvent,
    now: number,
  ) => Conversation
  return next(state, event, now)
}

interface Said {
  readonly notice: NoticeKey
  readonly nick?: string
}

const say = (state: Conversation, said: Said, now: number): Conversation => ({
  ...state,
  transcript: noticed(state.transcript, { ...said, at: now }),
})

/** The remote has been heard of: it is here. */
const returned = (state: Conversation): Conversation =>
  state.peer && state.peer.presence !== 'here'
    ? { ...state, peer: { ...state.peer, presence: 'here' } }
    : state

function joined(
  state: Conversation,
  { nick, avatar }: { readonly nick: string; readonly avatar?: Avatar },
  now: number,
): Conversation {
  if (state.stage === 'ended') return state
  if (state.role === 'agent') return { ...state, stage: 'talking' }
  const isNews = state.stage !== 'talking' || state.peer?.nick !== nick
  const next: Conversation = {
    ...state,
    stage: 'talking',
    peer: { nick, presence: 'here', ...(avatar && { avatar }) },
  }
  return isNews ? say(next, { notice: 'noticeJoined', nick }, now) : next
}

function withPresence(state: Conversation, presence: Peer['presence'], now: number): Conversation {
  if (
    !state.peer ||
    state.stage === 'ended' ||
    state.peer.presence === presence ||
    state.peer.presence === 'gone'
  )
    return state
  const next: Conversation = {
    ...state,
    peer: { ...state.peer, presence },
    isPeerTyping: false,
    offer: presence === 'gone' ? null : state.offer,
  }
  return presence === 'gone' ? say(next, { notice: 'noticeLeft', nick: state.peer.nick }, now) : next
}

const offMedia = (media: MediaState): MediaState => ({ Sharing: { ...media.Sharing, tx: false, rx: false } })

function ended(state: Conversation, reason: Conversation['ending'], now: number): Conversation {
  if (state.stage === 'ended') return state
  const over: Conversation = {
    ...state,
    stage: 'ended',
    ending: reason,
    offer: null,
    request: null,
    stopping: null,
    problem: null,
    isPeerTyping: false,
    callSince: null,
    quality: null,
    media: offMedia(state.media),
  }
  return say(over, { notice: 'noticeEnded' }, now)
}

function withMedia(state: Conversation, media: MediaState, now: number): Conversation {
  const next: Conversation = {
    ...state,
    media,
    callSince: inCall(media) ? (state.callSince ?? now) : null,
    quality: inCall(media) ? state.quality : null,
    isHeldByPeer: inCall(media) && state.isHeldByPeer,
    interrupted: state.interrupted.filter((medium) => media[medium]?.tx),
    offer: state.offer?.status === 'answered' ? null : state.offer,
  }
  if (state.stage === 'ended') return next
  const stopping = Object.keys(state.stopping?.media ?? {})
  return mediaNotices(state.media, media, stopping).reduce((said, notice) => say(said, { notice }, now), next)
}
