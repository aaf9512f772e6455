/** One thing that a page may do by itself, and what it is taken from. */
import type { MediaEvent } from '../../machines/index.ts'
import type { Local } from './local.ts'

/**
 * What may still happen that nobody has to do. `hurries`: timers that fire while something else could happen.
 * `words`: entries of a hostile party.
 */
export interface Budget {
  readonly commands: number
  readonly faults: number
  readonly hurries: number
  readonly words: number
}

export interface Option {
  readonly name: string
  readonly kind: 'engine' | 'app' | 'time'
  /** What it is taken from; null: it may happen at any time. */
  readonly cost: keyof Budget | null
  /** In a fair run it happens. */
  readonly progress: boolean
  readonly change: Partial<Local>
  readonly event: MediaEvent | { readonly type: string } | null
}

/** Number of an offer or a transition that is over. */
export const OVER = -1
