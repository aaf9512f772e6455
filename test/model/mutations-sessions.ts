import { fold, folds, isNegotiation } from './folding.ts'
import type { Mutation } from './mutations.ts'

/** Conditions of the table in docs/negotiation.md: who holds a slot, and what ends with it. */
export const SESSIONS: readonly Mutation[] = [
  {
    id: 'F1',
    safeguard: 'only the end of the session that holds the slot empties it',
    run: 'a command and a fault',
    change: fold(
      (real) => (state, entry) =>
        real(
          state,
          entry.type === 'left'
            ? { ...entry, body: { ...entry.body, session: state.session[entry.body.slot] ?? '' } }
            : entry,
        ),
    ),
  },
  {
    id: 'F2',
    safeguard: 'S0: entries of a session that does not hold its slot are void',
    scenarios: ['CE-20'],
    run: 'a hostile agent and an absence',
    change: fold(
      (real) => (state, entry) =>
        real(
          state,
          isNegotiation(entry) ? { ...entry, session: state.session[entry.slot] as string } : entry,
        ),
    ),
  },
  {
    id: 'F3',
    safeguard: 'C1: present compares and sets',
    scenarios: ['D1'],
    run: 'a fault during a call',
    change: fold(
      (real) => (state, entry) =>
        real(
          state,
          entry.type === 'present'
            ? { ...entry, body: { ...entry.body, after: state.session[entry.slot] } }
            : entry,
        ),
    ),
  },
  {
    id: 'F4',
    safeguard: 'C2: present ends an own offer',
    scenarios: ['D3', 'CE-19'],
    run: 'a hostile agent and an engine',
    change: folds('present', (folded, { phase }) =>
      phase.name === 'offered' ? { ...folded, phase } : folded,
    ),
  },
  {
    id: 'F5',
    safeguard: 'C2: present ends a transition',
    scenarios: ['D2', 'CE-2'],
    run: 'a hostile agent and two commands',
    change: folds('present', (folded, { phase }) =>
      phase.name === 'transiting' ? { ...folded, phase } : folded,
    ),
  },
  {
    id: 'F6',
    safeguard: 'media that a session does not hold are off after its present',
    scenarios: ['CE-17'],
    run: 'a fault during a call',
    change: folds('present', (folded, { media }) => ({ ...folded, media })),
  },
  {
    id: 'F7',
    safeguard: 'absence turns off what needs the remote',
    scenarios: ['CE-21'],
    run: 'a fault during a call',
    change: folds('absent', (folded, { media }) => ({ ...folded, media })),
  },
  {
    id: 'F8',
    safeguard: 'absence ends every phase',
    scenarios: ['CE-21'],
    run: 'a hostile agent and an absence',
    change: folds('absent', (folded, { phase }) => ({ ...folded, phase })),
  },
]
