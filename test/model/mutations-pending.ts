import type { MediaEvent } from '../../machines/index.ts'
import type { Mutation } from './mutations.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

/** The machine does not hear these. */
const deafTo = (type: MediaEvent['type']): readonly Replacement[] => [
  replace(
    'pending',
    'absorbPending',
    (real) => (context, event) => (event.type === type ? context : real(context, event)),
  ),
]

/** Offers that the SDK makes by itself: a call that a page load has cut, and the contact's first offer. */
export const PENDING: readonly Mutation[] = [
  {
    id: 'P1',
    safeguard: 'nothing is offered by itself while the other party is away',
    run: 'the first offer, and a fault',
    change: [
      replace(
        'pending',
        'mustOffer',
        () =>
          ({ interruptedMedia, pendingOffer }) =>
            (interruptedMedia ?? pendingOffer)?.id === null,
      ),
    ],
  },
  {
    id: 'P2',
    safeguard: 'a call does not come back by itself when its time is over',
    run: 'a call that comes back, and a command',
    change: deafTo('call.late'),
  },
  {
    id: 'P3',
    safeguard: 'a call does not come back once something else is agreed',
    run: 'a call that comes back, and a command',
    change: deafTo('call.ended'),
  },
  {
    id: 'P4',
    safeguard: 'a call that could not be brought back is told of',
    run: 'a call that comes back',
    change: [replace('pending', 'afterSettled', () => () => ({ change: {} }))],
  },
  {
    id: 'P5',
    safeguard: 'it is told what is missing of a call',
    run: 'a call that comes back, and a command',
    change: [replace('restoring', 'missingOf', () => () => ({}))],
  },
  {
    id: 'P6',
    safeguard: 'the first offer is made again where the remote was faster and nothing came of that',
    run: 'the first offer, and a command',
    change: [
      replace('pending', 'afterSettled', (real) => (context, own) => {
        const { change, ...told } = real(context, own)
        return { ...told, change: change.pendingOffer ? { pendingOffer: null } : change }
      }),
    ],
  },
  {
    id: 'P7',
    safeguard: 'the first offer is not made once something is agreed',
    run: 'the first offer, and a command',
    change: deafTo('first.due'),
  },
]
