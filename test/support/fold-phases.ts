/** A contact in every phase of the table in docs/negotiation.md, and what one more entry does to it. */
import { expect } from 'vitest'
import { fold } from '../../protocol/index.ts'
import type {
  Entry,
  Fact,
  MediaOffer,
  MediaState,
  PartialMediaState,
  SharedState,
  Slot,
  VoidReason,
} from '../../protocol/index.ts'
import { entry, foldAll, present } from './entries.ts'
import { mirrorFact, mirrorMedia, mirrorState } from './mirror.ts'

export const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
export const NET = { via: 'net', engine: 'WebRTC' } as const
export const SHARING = { Sharing: NATIVE } as const
export const CHAT = { Chat: NATIVE } as const
/** Media of the call as the visitor sees them: it speaks and is not heard back, the video goes both ways. */
export const CALL: MediaState = {
  ...SHARING,
  ...CHAT,
  Voice: { tx: true, rx: false, ...NET },
  Video: { tx: true, rx: true, ...NET },
}
/** A party's offer, relative to its author: the screen is added, the video is a choice. */
export const OFFER: MediaOffer = {
  Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' },
  Video: { tx: 'optional', rx: 'optional', ...NET },
  Screen: { tx: 'required', rx: 'off', ...NET },
}
/** The answer of the other party, relative to the offer's author. */
export const ANSWER: PartialMediaState = {
  Chat: NATIVE,
  Video: { tx: true, rx: false, ...NET },
  Screen: { tx: true, rx: false },
}
export const TARGET: MediaState = {
  ...SHARING,
  ...CHAT,
  Video: { tx: true, rx: false, ...NET },
  Screen: { tx: true, rx: false, ...NET },
}
export const HOLDS = { Chat: 'Native', Voice: 'WebRTC', Video: 'WebRTC' }

export const SESSION: Readonly<Record<Slot, string>> = { visitor: 'v1', agent: 'a1' }
export const other = (slot: Slot): Slot => (slot === 'visitor' ? 'agent' : 'visitor')
/** `media`, relative to `author`, as the visitor sees them. */
export const seen = <T extends PartialMediaState | MediaOffer>(author: Slot, media: T): T =>
  author === 'visitor' ? media : mirrorMedia(media)

/** Position of the offer in every phase but idle. */
export const REF = 9
/** Position of the entry that a test adds. */
export const NEXT = 20
export const write = {
  offer: (seq: number, by: Slot, session = SESSION[by], offer = OFFER) =>
    entry(seq, by, session, 'offer', { offer: mirrorMedia(offer), restore: false }),
  direct: (seq: number, by: Slot, target: PartialMediaState, session = SESSION[by]) =>
    entry(seq, by, session, 'direct', { target: mirrorMedia(target), restore: false }),
  /** `answer` is relative to the offer's author: it is the reader. */
  answer: (by: Slot, answer = ANSWER, { ref = REF, seq = NEXT, session = SESSION[by] } = {}) =>
    entry(seq, by, session, 'answer', { ref, answer }),
  reject: (by: Slot, { ref = REF, session = SESSION[by] } = {}) =>
    entry(NEXT, by, session, 'reject', { ref, reason: 'busy' }),
  withdraw: (by: Slot, { ref = REF, session = SESSION[by] } = {}) =>
    entry(NEXT, by, session, 'withdraw', { ref, reason: 'timeout' }),
  ready: (by: Slot, { ref = REF, seq = NEXT, session = SESSION[by] } = {}) =>
    entry(seq, by, session, 'ready', { ref }),
  failed: (by: Slot, { ref = REF, session = SESSION[by] } = {}) =>
    entry(NEXT, by, session, 'failed', { ref, code: 'media_denied' }),
}

/** v1 and a1 in a call; the agent's first session is gone. */
export const TALKING: readonly Entry[] = [
  present(1, 'visitor', 'v1'),
  present(2, 'agent', 'a0'),
  present(3, 'agent', 'a1', { after: 'a0', media: { Chat: 'Native' } }),
  entry(4, 'visitor', 'v1', 'offer', {
    offer: {
      Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' },
      Voice: { tx: 'off', rx: 'required', ...NET },
      Video: { tx: 'required', rx: 'required', ...NET },
    },
    restore: false,
  }),
  entry(5, 'agent', 'a1', 'answer', { ref: 4, answer: CALL }),
  entry(6, 'visitor', 'v1', 'ready', { ref: 4 }),
  entry(7, 'agent', 'a1', 'ready', { ref: 4 }),
  entry(8, 'agent', 'a1', 'text', { text: 'hello' }),
]

export type PhaseName = 'idle' | `${'offered' | 'transiting'} by ${Slot}` | `${Slot} ready`
export const LOGS: Readonly<Record<PhaseName, readonly Entry[]>> = {
  idle: TALKING,
  'offered by visitor': [...TALKING, write.offer(REF, 'visitor')],
  'offered by agent': [...TALKING, write.offer(REF, 'agent')],
  'transiting by visitor': [
    ...TALKING,
    write.offer(REF, 'visitor'),
    write.answer('agent', ANSWER, { seq: 10 }),
  ],
  'transiting by agent': [
    ...TALKING,
    write.offer(REF, 'agent'),
    write.answer('visitor', ANSWER, { seq: 10 }),
  ],
  'visitor ready': [...TALKING, write.direct(REF, 'agent', { ...CHAT }), write.ready('visitor', { seq: 10 })],
  'agent ready': [
    ...TALKING,
    write.offer(REF, 'visitor'),
    write.answer('agent', ANSWER, { seq: 10 }),
    write.ready('agent', { seq: 11 }),
  ],
}
export const PHASES = Object.keys(LOGS) as PhaseName[]
export const IDLE = ['idle'] as const
export const OFFERED = ['offered by visitor', 'offered by agent'] as const
export const TRANSITING = [
  'transiting by visitor',
  'transiting by agent',
  'visitor ready',
  'agent ready',
] as const
export const authorOf = (phase: PhaseName): Slot =>
  phase === 'offered by visitor' || phase === 'transiting by visitor' || phase === 'agent ready'
    ? 'visitor'
    : 'agent'
export const each = <T extends PhaseName>(phases: readonly T[]): [T, Slot][] =>
  phases.flatMap((phase): [T, Slot][] => [
    [phase, 'visitor'],
    [phase, 'agent'],
  ])

/** Folds one more entry at the end of `log` for both readers, who must agree; gives what the visitor sees. */
function step(
  log: readonly Entry[],
  one: Entry,
): { readonly before: SharedState; readonly state: SharedState; readonly fact: Fact } {
  const [visitor, agent] = [foldAll('visitor', log), foldAll('agent', log)]
  const [mine, theirs] = [fold(visitor, one), fold(agent, one)]
  expect(theirs.state).toEqual(mirrorState(mine.state))
  expect(theirs.fact).toEqual(mirrorFact(mine.fact))
  expect(theirs.state === agent).toBe(mine.state === visitor)
  return { before: visitor, ...mine }
}

export function expectVoid(log: readonly Entry[], one: Entry, reason: VoidReason): void {
  const { before, state, fact } = step(log, one)
  expect(state).toBe(before)
  expect(fact).toEqual({ kind: 'void', reason })
}

export function expectNothing(log: readonly Entry[], one: Entry): void {
  const { before, state, fact } = step(log, one)
  expect(state).toBe(before)
  expect(fact).toEqual({ kind: 'none' })
}

export function expectStep(
  log: readonly Entry[],
  one: Entry,
  { change, fact }: { readonly change: Partial<SharedState>; readonly fact: Fact },
): void {
  const { before, ...after } = step(log, one)
  expect(after).toEqual({ state: { ...before, ...change }, fact })
}

export const ENDED = { phase: { name: 'idle' } } as const
