import { algebra } from '../../protocol/index.ts'
import { knows } from './absorbing.ts'
import { OFF } from './local.ts'
import type { Mutation } from './mutations.ts'
import { replace } from './replace.ts'

/** A telephone, and an engine beside the one of Voice. */
export const ENGINES: readonly Mutation[] = [
  {
    id: 'H1',
    safeguard: 'a telephone call that ended before both were ready is given up after the commit',
    run: 'a telephone that is hung up, and another call',
    change: [
      replace(
        'telephone',
        'callAfter',
        (real) => (call, read) => (read.fact.kind === 'committed' ? undefined : real(call, read)),
      ),
    ],
  },
  {
    id: 'H2',
    safeguard: 'what was told of an earlier telephone call is not said of the next one',
    run: 'a telephone that is hung up, and another call',
    change: [
      replace(
        'telephone',
        'callAfter',
        (real) => (call, read) => (read.fact.kind === 'transiting' ? call : real(call, read)),
      ),
    ],
  },
  {
    id: 'H3',
    safeguard: 'an engine that breaks takes only its own media along',
    run: 'a second engine',
    change: knows(['engine.broke'], (next) => ({
      ...next,
      engines: algebra.nativeOnly(next.engines ?? OFF),
    })),
  },
  {
    id: 'H5',
    safeguard: 'an engine that nothing uses ends no offer',
    run: 'a second engine',
    change: [replace('rules', 'areUnused', () => () => false)],
  },
  {
    id: 'H6',
    safeguard: 'an engine of what is open is not taken for an unused one',
    run: 'a fault during a call',
    change: [replace('rules', 'areUnused', () => () => true)],
  },
  {
    id: 'H4',
    safeguard: 'a capture that ends turns off its own medium alone',
    run: 'a second engine',
    change: [
      replace(
        'rules',
        'lessTransmitted',
        (real) => (context) =>
          real({
            ...context,
            lostCaptures: Object.keys(context.shared.media).filter(
              (one) => one !== 'Sharing' && one !== 'Chat',
            ),
          }),
      ),
    ],
  },
]
