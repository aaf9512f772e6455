import type { Mutation } from './mutations.ts'
import { replace } from './replace.ts'

/** Which of several pages of a party has the slot. */
export const TABS: readonly Mutation[] = [
  {
    id: 'T1',
    safeguard: 'a page beside one that holds the slot and lives takes nothing',
    run: 'a tab that follows',
    change: [replace('rules', 'isHolderGone', () => () => true)],
  },
  {
    id: 'T2',
    safeguard: 'that a page is gone is forgotten once another one holds the slot',
    run: 'a tab that follows, and takes over',
    change: [
      replace(
        'absorb',
        'absorb',
        (real) => (context, event) =>
          'shared' in event ? { ...real(context, event), gone: context.gone } : real(context, event),
      ),
    ],
  },
]
