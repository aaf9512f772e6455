/**
 * A contact's shared media state as a fold over its log: `docs/negotiation.md` has the table row by row.
 *
 *   idle ──offer──▶ offered ──answer──▶ transiting ──ready, ready──▶ idle (commit)
 *     └──────────────direct──────────────▲   └─failed─▶ idle
 *
 * All media are relative to `reader`: the folds of the two parties are mirror images at every position.
 */
import type { ErrorCode } from './errors.ts'
import { LIMITS } from './limits.ts'
import type { Entry, PartyEntry } from './log.ts'
import {
  asksMoreOfOther,
  judgeAnswer,
  meet,
  nativeOnly,
  startingMedia,
  swap,
  swapOffer,
  targetOfAnswer,
  targetOfDirect,
} from './media-algebra.ts'
import { otherSlot } from './media.ts'
import type { MediaOffer, MediaState, PartialMediaState, Slot } from './media.ts'

/** The phase of the negotiation. `ref` is the sequence number of the offer's entry. */
export type Phase =
  | { readonly name: 'idle' }
  | {
      readonly name: 'offered'
      readonly ref: number
      readonly by: Slot
      readonly offer: MediaOffer
      readonly restore: boolean
      /** Lifetime of the offer, milliseconds. */
      readonly lifetime: number
    }
  | {
      readonly name: 'transiting'
      readonly ref: number
      readonly by: Slot
      readonly target: MediaState
      readonly answer: PartialMediaState | null
      readonly restore: boolean
      readonly ready: readonly Slot[]
    }

/** The shared state: at the same position of the log, the two parties' states are mirror images. */
export interface SharedState {
  readonly reader: Slot
  readonly phase: Phase
  readonly media: MediaState
  /** The session that holds each slot. */
  readonly session: Readonly<Record<Slot, string | null>>
}

/** Why an entry changed nothing. */
export type VoidReason =
  | 'not_holder'
  | 'superseded'
  | 'peer_left'
  | 'glare'
  | 'offer_required'
  | 'over'
  | 'other_key'

/** How an offer or a transition ended without a commit. */
export type Ending =
  | { readonly kind: 'refused'; readonly answer: PartialMediaState }
  | { readonly kind: 'invalid_answer' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'withdrawn'; readonly reason: 'withdrawn' | 'timeout' }
  | { readonly kind: 'failed'; readonly by: Slot; readonly code: ErrorCode }

/** What one entry did to the shared state. */
export type Fact =
  | { readonly kind: 'none' }
  | { readonly kind: 'void'; readonly reason: VoidReason }
  | {
      readonly kind: 'present'
      readonly slot: Slot
      readonly session: string
      readonly previous: string | null
    }
  | { readonly kind: 'absent'; readonly slots: readonly Slot[] }
  | { readonly kind: 'offered'; readonly ref: number; readonly by: Slot }
  | { readonly kind: 'transiting'; readonly ref: number; readonly by: Slot }
  | { readonly kind: 'ready'; readonly ref: number; readonly slot: Slot }
  | {
      readonly kind: 'committed'
      readonly ref: number
      readonly by: Slot
      readonly answer: PartialMediaState | null
    }
  | { readonly kind: 'ended'; readonly ref: number; readonly by: Slot; readonly ending: Ending }

/** The shared state after an entry, and what the entry did. */
export interface Folded {
  readonly state: SharedState
  readonly fact: Fact
}

const IDLE: Phase = { name: 'idle' }

/**
 * The shared state before the first entry: no session, Sharing on, Chat as in the contact's first offer,
 * which
 * is relative to the agent.
 */
export function initialSharedState(reader: Slot, initialOffer?: MediaOffer): SharedState {
  const media = startingMedia(initialOffer)
  return {
    reader,
    phase: IDLE,
    media: reader === 'agent' ? media : swap(media),
    session: { visitor: null, agent: null },
  }
}

/** Folds one entry. Never throws: an entry that the rules do not allow is void and changes nothing. */
export function fold(state: SharedState, entry: Entry): Folded {
  switch (entry.type) {
    case 'left':
      return state.session[entry.body.slot] === entry.body.session
        ? absent(state, [entry.body.slot])
        : none(state)
    case 'transferred':
      return absent(state, ['agent'])
    case 'cleared':
      return absent(state, ['visitor', 'agent'])
    case 'present':
      return present(state, entry)
    case 'capabilities':
      return state.session[entry.slot] === entry.session ? none(state) : voided(state, 'not_holder')
    case 'offer':
    case 'direct':
    case 'answer':
    case 'reject':
    case 'withdraw':
    case 'ready':
    case 'failed':
      return state.session[entry.slot] === entry.session
        ? negotiate(state, entry)
        : voided(state, 'not_holder')
    default:
      return none(state)
  }
}

const none = (state: SharedState): Folded => ({ state, fact: { kind: 'none' } })
const voided = (state: SharedState, reason: VoidReason): Folded => ({ state, fact: { kind: 'void', reason } })
const ended = (state: SharedState, phase: Exclude<Phase, { name: 'idle' }>, ending: Ending): Folded => ({
  state: { ...state, phase: IDLE },
  fact: { kind: 'ended', ref: phase.ref, by: phase.by, ending },
})

function present(state: SharedState, entry: Extract<PartyEntry, { type: 'present' }>): Folded {
  const previous = state.session[entry.slot]
  if (entry.body.after !== previous) return voided(state, 'superseded')
  const offerToThem = state.phase.name === 'offered' && state.phase.by !== entry.slot
  return {
    state: {
      ...state,
      phase: offerToThem ? state.phase : IDLE,
      media: meet(state.media, entry.body.media),
      session: { ...state.session, [entry.slot]: entry.session },
    },
    fact: { kind: 'present', slot: entry.slot, session: entry.session, previous },
  }
}

function absent(state: SharedState, slots: readonly Slot[]): Folded {
  const gone = slots.filter((slot) => state.session[slot] !== null)
  if (gone.length === 0) return none(state)
  const session = { ...state.session }
  for (const slot of gone) session[slot] = null
  return {
    state: { ...state, phase: IDLE, media: nativeOnly(state.media), session },
    fact: { kind: 'absent', slots: gone },
  }
}

type NegotiationEntry = Extract<
  PartyEntry,
  { type: 'offer' | 'direct' | 'answer' | 'reject' | 'withdraw' | 'ready' | 'failed' }
>

function negotiate(state: SharedState, entry: NegotiationEntry): Folded {
  if (entry.type === 'offer' || entry.type === 'direct') return startNegotiation(state, entry)
  const { phase } = state
  if (phase.name === 'idle' || phase.ref !== entry.body.ref) return voided(state, 'over')
  const { slot } = entry
  if (phase.name === 'offered') {
    const isOwn = slot === phase.by
    if (entry.type === 'answer' && !isOwn) return answer(state, phase, entry)
    if (entry.type === 'reject' && !isOwn)
      return ended(state, phase, { kind: 'rejected', reason: entry.body.reason })
    if (entry.type === 'withdraw' && isOwn)
      return ended(state, phase, { kind: 'withdrawn', reason: entry.body.reason })
  } else {
    if (entry.type === 'failed')
      return ended(state, phase, { kind: 'failed', by: slot, code: entry.body.code })
    if (entry.type === 'ready' && !phase.ready.includes(slot)) return ready(state, phase, slot)
  }
  return voided(state, 'over')
}

/** Decides glare: of two offers the one with the lower `seq` has started, and the later one is void. */
function startNegotiation(
  state: SharedState,
  entry: Extract<PartyEntry, { type: 'offer' | 'direct' }>,
): Folded {
  if (state.phase.name !== 'idle') return voided(state, 'glare')
  if (state.session[otherSlot(entry.slot)] === null) return voided(state, 'peer_left')
  const own = entry.slot === state.reader
  const started: Started = { ref: entry.seq, by: entry.slot, restore: entry.body.restore }
  if (entry.type === 'offer') {
    const offer = own ? swapOffer(entry.body.offer) : entry.body.offer
    const lifetime = entry.body.lifetime ?? LIMITS.offerLifetime.usual
    return {
      state: { ...state, phase: { name: 'offered', ...started, offer, lifetime } },
      fact: { kind: 'offered', ref: entry.seq, by: entry.slot },
    }
  }
  const target = targetOfDirect(state.media, own ? swap(entry.body.target) : entry.body.target)
  const [media, wanted] = own ? [state.media, target] : [swap(state.media), swap(target)]
  if (asksMoreOfOther(media, wanted)) return voided(state, 'offer_required')
  return transiting(state, started, { target, answer: null })
}

type Transiting = Extract<Phase, { name: 'transiting' }>
type Started = Pick<Transiting, 'ref' | 'by' | 'restore'>

const transiting = (
  state: SharedState,
  { ref, by, restore }: Started,
  rest: Pick<Transiting, 'target' | 'answer'>,
): Folded => ({
  state: { ...state, phase: { name: 'transiting', ref, by, restore, ...rest, ready: [] } },
  fact: { kind: 'transiting', ref, by },
})

function answer(
  state: SharedState,
  phase: Extract<Phase, { name: 'offered' }>,
  entry: Extract<PartyEntry, { type: 'answer' }>,
): Folded {
  const given = entry.slot === state.reader ? swap(entry.body.answer) : entry.body.answer
  const verdict = judgeAnswer(phase.offer, given)
  if (verdict === 'invalid') return ended(state, phase, { kind: 'invalid_answer' })
  if (verdict === 'refused') return ended(state, phase, { kind: 'refused', answer: given })
  return transiting(state, phase, {
    target: targetOfAnswer(state.media, phase.offer, given),
    answer: given,
  })
}

function ready(state: SharedState, phase: Transiting, slot: Slot): Folded {
  const { ref, by } = phase
  if (phase.ready.length === 0)
    return { state: { ...state, phase: { ...phase, ready: [slot] } }, fact: { kind: 'ready', ref, slot } }
  return {
    state: { ...state, phase: IDLE, media: phase.target },
    fact: { kind: 'committed', ref, by, answer: phase.answer },
  }
}
