/**
 * How a conversation changes with what happens in a contact.
 *
 *   waiting ──assigned──▶ assigned ──joined──▶ talking ──left (by own side) or cleared──▶ ended
 *      ▲                     │
 *      └──────declined───────┘
 */
import type { CallQuality } from './call-quality.ts'
import type { Conversation, Peer, Problem, ShownOffer } from './conversation.ts'
import { callAfter, noticesOfCut, shownMedia } from './cut-call.ts'
import type { MediaNews } from './cut-call.ts'
import type { Devices } from './devices.ts'
import { mediaNotices } from './media-notices.ts'
import { CALL_MEDIA, inCall } from './media-plan.ts'
import type { CallKind } from './media-plan.ts'
import type { NoticeKey } from './messages/en.ts'
import type { Avatar, MediaCapabilities, MediaState, Verification } from './sdk.ts'
import { isEnding } from './stopping.ts'
import type { Stopping } from './stopping.ts'
import { heardAfter, noticed } from './transcript.ts'
import type { Transcript } from './transcript.ts'

export type ConversationEvent =
  | { readonly type: 'transcript'; readonly change: (transcript: Transcript) => Transcript }
  | {
      readonly type: 'recalled'
      readonly change: (transcript: Transcript) => Transcript
      readonly missesStart: boolean
    }
  | { readonly type: 'heard'; readonly change: (transcript: Transcript) => Transcript }
  | { readonly type: 'typing'; readonly on: boolean }
  | { readonly type: 'assigned'; readonly nick: string }
  | { readonly type: 'declined' }
  | { readonly type: 'joined'; readonly nick: string; readonly avatar?: Avatar }
  | { readonly type: 'entered' }
  | { readonly type: 'peer'; readonly presence: Peer['presence'] }
  | { readonly type: 'present' }
  | { readonly type: 'transferred' }
  | { readonly type: 'ended'; readonly reason: Conversation['ending'] }
  | { readonly type: 'connection'; readonly state: Conversation['connection'] }
  | { readonly type: 'network'; readonly isOffline: boolean }
  | ({ readonly type: 'media' } & MediaNews)
  | { readonly type: 'lapsed' }
  | { readonly type: 'capabilities'; readonly local?: MediaCapabilities; readonly remote?: MediaCapabilities }
  | { readonly type: 'request'; readonly kind: CallKind | null }
  | { readonly type: 'offer'; readonly offer: ShownOffer | null }
  | { readonly type: 'stopping'; readonly stopping: Stopping | null }
  | { readonly type: 'interrupted'; readonly medium: string; readonly on: boolean }
  | { readonly type: 'muted'; readonly kind: 'audio' | 'video'; readonly on: boolean }
  | { readonly type: 'problem'; readonly problem: Problem | null }
  | { readonly type: 'held'; readonly on: boolean }
  | { readonly type: 'peerheld'; readonly on: boolean }
  | { readonly type: 'peermuted'; readonly media: readonly string[] }
  | { readonly type: 'silent'; readonly on: boolean }
  | { readonly type: 'devices'; readonly devices: Devices }
  | { readonly type: 'quality'; readonly change: (quality: CallQuality | null) => CallQuality }
  | { readonly type: 'queue'; readonly place: NonNullable<Conversation['queue']> }
  | { readonly type: 'elsewhere'; readonly on: boolean }
  | { readonly type: 'verification'; readonly verification: Verification | null }
  | { readonly type: 'insecure' }
  | { readonly type: 'attended'; readonly on: boolean }
  | { readonly type: 'read'; readonly ref: string }
  | { readonly type: 'seen'; readonly ref: string }

type Folds = {
  readonly [T in ConversationEvent['type']]: (
    state: Conversation,
    event: Extract<ConversationEvent, { readonly type: T }>,
    now: number,
  ) => Conversation
}

const FOLDS: Folds = {
  transcript: (state, { change }) => ({ ...state, transcript: change(state.transcript) }),
  recalled: (state, { change, missesStart }) => ({
    ...state,
    transcript: change(state.transcript),
    missesStart,
  }),
  heard: (state, { change }) => {
    const transcript = change(state.transcript)
    const isNew = transcript !== state.transcript && !state.isAttended
    return { ...returned(state), isPeerTyping: false, unread: state.unread + (isNew ? 1 : 0), transcript }
  },
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
  present: (state) => (state.stage === 'ended' ? state : returned(state)),
  transferred: (state, _event, now) =>
    state.role === 'agent'
      ? ended(state, 'passed', now)
      : say(
          {
            ...lapsed(state, now),
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
  network: (state, { isOffline }) => (state.isOffline === isOffline ? state : { ...state, isOffline }),
  media: withMedia,
  lapsed: (state, _event, now) => lapsed(state, now),
  capabilities: (state, { local, remote }) => ({
    ...state,
    local: local ?? state.local,
    remote: remote ?? state.remote,
  }),
  request: (state, { kind }) => ({ ...state, request: kind, problem: kind ? null : state.problem }),
  offer: (state, { offer }) => ({
    ...state,
    offer,
    // A problem of an earlier offer is not one of this offer.
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
  peermuted: (state, { media }) => ({ ...state, peerMuted: media }),
  silent: (state, { on }) => ({ ...state, isSilent: on }),
  devices: (state, { devices }) => ({ ...state, devices }),
  quality: (state, { change }) =>
    state.callSince === null ? state : { ...state, quality: change(state.quality) },
  queue: (state, { place }) => ({ ...state, queue: place }),
  elsewhere: (state, { on }) =>
    state.stage === 'ended'
      ? state
      : { ...state, isElsewhere: on, offer: null, request: null, stopping: null },
  verification: (state, { verification }) => ({
    ...state,
    verification,
    ...(verification?.state === 'broken' && { offer: null, request: null, stopping: null }),
  }),
  insecure: (state, _event, now) => say(state, { notice: 'noticeInsecure' }, now),
  read: (state, { ref }) => ({ ...state, readTo: ref }),
  seen: (state, { ref }) => {
    const unread = Math.min(state.unread, heardAfter(state.transcript, ref))
    return unread === state.unread ? state : { ...state, unread }
  },
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
    ...(presence === 'gone' ? lapsed(state, now) : state),
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
    cut: null,
    quality: null,
    media: offMedia(state.media),
  }
  return say(over, { notice: reason === 'passed' ? 'noticePassed' : 'noticeEnded' }, now)
}

function withMedia(state: Conversation, news: MediaNews, now: number): Conversation {
  const { media, interrupted = false } = news
  const isCall = inCall(media)
  const next: Conversation = {
    ...state,
    media,
    ...callAfter(state, { media, interrupted: interrupted && !isEnding(state.stopping) }, now),
    quality: isCall ? state.quality : null,
    isHeldByPeer: isCall && state.isHeldByPeer,
    peerMuted: isCall ? state.peerMuted : [],
    interrupted: state.interrupted.filter((medium) => media[medium]?.tx),
    offer: state.offer?.status === 'answered' ? null : state.offer,
  }
  if (state.stage === 'ended' || next.cut) return next
  const stopping = Object.keys(state.stopping?.media ?? {})
  return sayAll(next, mediaNotices(shownMedia(state), media, stopping), now)
}

/** The call that was interrupted does not come back. */
const lapsed = (state: Conversation, now: number): Conversation =>
  state.cut ? sayAll({ ...state, cut: null }, noticesOfCut(state), now) : state

const sayAll = (state: Conversation, notices: readonly NoticeKey[], now: number): Conversation =>
  notices.reduce((said, notice) => say(said, { notice }, now), state)
