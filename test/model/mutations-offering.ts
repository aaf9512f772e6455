import { deaf, otherwise, unasked, withRow, without } from './chart.ts'
import type { Mutation } from './mutations.ts'

/** Rows of the chart: an own offer. */
export const OFFERING: readonly Mutation[] = [
  {
    id: 'M19',
    safeguard: 'an offer has a lifetime',
    scenarios: ['CE-25'],
    run: 'two commands beside a party that freezes',
    change: otherwise(
      { state: 'offering', event: 'offerLifetime', action: 'withdraw' },
      { actions: 'applyEvent' },
    ),
  },
  {
    id: 'M38',
    safeguard: 'preparing has a limit',
    run: 'a command and an engine',
    change: without({ state: 'offering', event: 'offerLifetime', guard: 'isPreparing' }),
  },
  {
    id: 'M70',
    safeguard: 'an offer can be taken back',
    run: 'two commands',
    change: without({ state: 'offering', event: 'media.withdraw' }),
  },
  {
    id: 'M37',
    safeguard: 'a prepared offer is not sent over one that came first',
    run: 'two commands',
    change: unasked({ state: 'offering.preparing', event: 'engine.prepared', target: 'sent' }),
  },
  {
    id: 'M39',
    safeguard: 'an offer whose device is denied ends',
    run: 'a lost capture and a fault',
    change: without({ state: 'offering.preparing', event: 'engine.unprepared' }),
  },
  {
    id: 'M71',
    safeguard: 'an offer is taken back before it was sent',
    run: 'two commands',
    change: without({ state: 'offering.preparing', event: 'media.withdraw' }),
  },
  {
    id: 'M17',
    safeguard: 'C6: a cancelled offer is withdrawn when it stands',
    scenarios: ['D7'],
    run: 'two commands beside a party that freezes',
    change: withRow('offering.sent', 'log.offering', { actions: 'applyEvent' }),
  },
  {
    id: 'M72',
    safeguard: 'an own offer is read back',
    run: 'a command from silence',
    change: without({ state: 'offering', event: 'log.offering' }),
  },
  {
    id: 'M73',
    safeguard: 'an own direct change is read back',
    run: 'a fault during a call',
    change: deaf({ state: 'offering.sent', event: 'always' }, 'log.transiting'),
  },
  {
    id: 'M74',
    safeguard: 'an own offer that is void ends',
    run: 'two commands',
    change: deaf({ state: 'offering.sent', event: 'always' }, 'log.voided'),
  },
  {
    id: 'M46',
    safeguard: 'an absence is followed while an offer is on its way',
    run: 'a command and an engine during a call',
    change: deaf({ state: 'offering.sent', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M75',
    safeguard: 'an own offer that is answered is worked for',
    run: 'a fault during a call',
    change: deaf({ state: 'offering.awaitingAnswer', event: 'always' }, 'log.transiting'),
  },
  {
    id: 'M76',
    safeguard: 'an own offer may be rejected',
    run: 'a command from silence',
    change: deaf({ state: 'offering.awaitingAnswer', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M45',
    safeguard: 'an own offer may end by absence',
    run: 'a command and a fault',
    change: deaf({ state: 'offering.awaitingAnswer', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M18',
    safeguard: 'C6: also while the engines go back',
    scenarios: ['D7'],
    run: 'a hostile agent and two commands',
    change: withRow('offering.undoing', 'log.offering', { actions: 'applyEvent' }),
  },
  {
    id: 'M77',
    safeguard: 'an offer that is answered while the engines go back is transiting',
    run: 'a command and an engine during a call',
    change: deaf({ state: 'offering.undoing', event: 'always' }, 'log.transiting'),
  },
  {
    id: 'M78',
    safeguard: 'an offer that ends while the engines go back is transiting',
    run: 'a command and an engine during a call',
    change: deaf({ state: 'offering.undoing', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M79',
    safeguard: 'an offer that is void while the engines go back is transiting',
    run: 'a command and an engine during a call',
    change: deaf({ state: 'offering.undoing', event: 'always' }, 'log.voided'),
  },
  {
    id: 'M80',
    safeguard: 'an offer that an absence ends while the engines go back is transiting',
    run: 'a command and a fault during a call',
    change: deaf({ state: 'offering.undoing', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M81',
    safeguard: 'an own offer goes on when the engines have gone back',
    run: 'a command and an engine during a call',
    change: without({ state: 'offering.undoing', event: 'engine.undone' }),
  },
]
