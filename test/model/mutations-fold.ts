import { algebra, otherSlot } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import {
  allRequired,
  carriedAs,
  entitled,
  fold,
  folds,
  givesOff,
  isAbout,
  judgedByReader,
  orVoid,
  ownRead,
  readies,
  replaced,
  unnamed,
} from './folding.ts'
import type { Mutation } from './mutations.ts'

const { swap, swapOffer } = algebra

/** Conditions of the table in docs/negotiation.md: offers, answers and transitions. */
export const FOLD: readonly Mutation[] = [
  {
    id: 'F9',
    safeguard: 'an offer while a phase runs is void (glare)',
    run: 'a hostile agent and two commands',
    change: fold(
      (real) => (state, entry) =>
        orVoid(
          state,
          real(
            entry.type === 'offer' || entry.type === 'direct' ? { ...state, phase: { name: 'idle' } } : state,
            entry,
          ),
        ),
    ),
  },
  {
    id: 'F10',
    safeguard: 'C5: no offer to an empty slot',
    scenarios: ['D6'],
    run: 'a hostile agent and an absence',
    change: fold((real) => (state, entry) => {
      if (entry.type !== 'offer' && entry.type !== 'direct') return real(state, entry)
      const folded = real(
        { ...state, session: { ...state.session, [otherSlot(entry.slot)]: 'somebody' } },
        entry,
      )
      return { ...folded, state: { ...folded.state, session: state.session } }
    }),
  },
  {
    id: 'F11',
    safeguard: 'a direct change asks nothing new of the other side',
    scenarios: ['CE-8'],
    run: 'a hostile agent and two commands',
    change: replaced('asksMoreOfOther', () => () => false),
  },
  {
    id: 'F12',
    safeguard: 'an entry decides only the phase that it names',
    scenarios: ['CE-5', 'CE-6'],
    run: 'a hostile agent and two commands',
    change: fold(
      (real) => (state, entry) =>
        real(
          state,
          state.phase.name !== 'idle' && isAbout(entry)
            ? ({ ...entry, body: { ...entry.body, ref: state.phase.ref } } as Entry)
            : entry,
        ),
    ),
  },
  {
    id: 'F13',
    safeguard: 'nobody answers an own offer',
    scenarios: ['CE-11'],
    run: 'a hostile agent and an absence',
    change: entitled('answer', otherSlot),
  },
  {
    id: 'F14',
    safeguard: 'nobody rejects an own offer',
    run: 'a hostile agent and an absence',
    change: entitled('reject', otherSlot),
  },
  {
    id: 'F15',
    safeguard: "nobody withdraws the other's offer",
    run: 'a hostile agent and two commands',
    change: entitled('withdraw', (slot) => slot),
  },
  {
    id: 'F16',
    safeguard: 'what is answered cannot be withdrawn',
    scenarios: ['CE-7'],
    run: 'a command from silence',
    change: fold((real) => (state, entry) => {
      const { phase } = state
      if (entry.type !== 'withdraw' || phase.name !== 'transiting') return real(state, entry)
      return orVoid(
        state,
        real({ ...state, phase: { ...phase, name: 'offered', offer: {}, lifetime: 0 } }, entry),
      )
    }),
  },
  {
    id: 'F17',
    safeguard: 'failed of a slot that was ready counts',
    scenarios: ['CE-16'],
    run: 'a hostile agent and two commands',
    change: fold((real) => (state, entry) => {
      const isReady =
        entry.type === 'failed' && state.phase.name === 'transiting' && state.phase.ready.includes(entry.slot)
      return isReady ? { state, fact: { kind: 'void', reason: 'over' } } : real(state, entry)
    }),
  },
  {
    id: 'F18',
    safeguard: 'both must be ready',
    scenarios: ['CE-1'],
    run: 'a fault during a call',
    change: readies((ready, slot) => (ready.length === 0 ? [otherSlot(slot)] : ready)),
  },
  {
    id: 'F19',
    safeguard: 'one slot is ready once',
    run: 'a hostile agent and a command',
    change: readies((ready, slot) => (ready.includes(slot) ? [otherSlot(slot)] : ready)),
  },
  {
    id: 'F20',
    safeguard: 'an answer cannot turn on what was off',
    scenarios: ['CE-9'],
    run: 'a hostile agent and two commands',
    change: replaced(
      'judgeAnswer',
      (real) => (offer, answer) => (real(offer, answer) === 'invalid' ? 'accepted' : real(offer, answer)),
    ),
  },
  {
    id: 'F21',
    safeguard: 'an own offer is read from the own side',
    run: 'a command from silence',
    change: ownRead('offer', (entry) => ({
      ...entry,
      body: { ...entry.body, offer: swapOffer(entry.body.offer) },
    })),
  },
  {
    id: 'F22',
    safeguard: 'an own direct change is read from the own side',
    run: 'a fault during a call',
    change: ownRead('direct', (entry) => ({
      ...entry,
      body: { ...entry.body, target: swap(entry.body.target) },
    })),
  },
  {
    id: 'F23',
    safeguard: 'an own answer is read from the own side',
    run: 'a hostile agent and two commands',
    change: ownRead('answer', (entry) => ({
      ...entry,
      body: { ...entry.body, answer: swap(entry.body.answer) },
    })),
  },
  {
    id: 'F24',
    safeguard: 'a direct change is judged from the side of its author',
    run: 'a hostile agent and two commands',
    change: judgedByReader(),
  },
  {
    id: 'F25',
    safeguard: 'the author of a void entry hears of it',
    run: 'a fault during a call',
    change: fold((real) => (state, entry) => {
      const folded = real(state, entry)
      return folded.fact.kind === 'void' ? { ...folded, fact: { kind: 'none' } } : folded
    }),
  },
  {
    id: 'F26',
    safeguard: 'the answer decides the target',
    run: 'a hostile agent and two commands',
    change: replaced('targetOfAnswer', (real) => (media, offer) => real(media, offer, offer as never)),
  },
  {
    id: 'F27',
    safeguard: 'an offer to a slot outlives its present',
    run: 'a hostile agent and two commands',
    change: folds('present', (folded) => ({ ...folded, phase: { name: 'idle' } })),
  },
  {
    id: 'F28',
    safeguard: 'an answer may decline an optional',
    run: 'a command from silence',
    change: replaced('judgeAnswer', (real) => (offer, answer) => real(allRequired(offer), answer)),
  },
  {
    id: 'F29',
    safeguard: 'an offer stands as long as its entry says',
    run: 'a command from silence',
    change: fold(
      (real) => (state, entry) =>
        real(state, entry.type === 'offer' ? { ...entry, body: { ...entry.body, lifetime: 60_000 } } : entry),
    ),
  },
  {
    id: 'A1',
    safeguard: 'a medium is held by its engine',
    run: 'a hostile agent and two commands',
    change: replaced(
      'meet',
      (real) => (media, holds) =>
        real(
          media,
          Object.fromEntries(Object.keys(holds).map((medium) => [medium, media[medium]?.engine ?? ''])),
        ),
    ),
  },
  {
    id: 'A2',
    safeguard: 'what was off and is given is invalid, not refused',
    run: 'a hostile agent and two commands',
    change: replaced(
      'judgeAnswer',
      (real) => (offer, answer) => (givesOff(offer, answer) ? 'refused' : real(offer, answer)),
    ),
  },
  {
    id: 'A3',
    safeguard: 'the same transmission over another engine is a new one',
    run: 'a hostile agent and two commands',
    change: replaced('asksMoreOfOther', (real) => (media, wanted) => real(carriedAs(media, wanted), wanted)),
  },
  {
    id: 'A4',
    safeguard: 'an answer keeps the engine of the offer',
    run: 'a hostile agent and two commands',
    change: replaced('judgeAnswer', (real) => (offer, answer) => real(offer, unnamed(answer, 'engine'))),
  },
  {
    id: 'A5',
    safeguard: 'an answer that breaks a required refuses the offer',
    run: 'a command from silence',
    change: replaced(
      'judgeAnswer',
      (real) => (offer, answer) => (real(offer, answer) === 'refused' ? 'accepted' : real(offer, answer)),
    ),
  },
  {
    id: 'A6',
    safeguard: 'an answer keeps the way of the offer',
    run: 'a hostile agent and two commands',
    change: replaced('judgeAnswer', (real) => (offer, answer) => real(offer, unnamed(answer, 'via'))),
  },
]
