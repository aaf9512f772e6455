/** What a page and its checker know of the offers that the SDK makes by itself. */
import type { MediaState } from '../../protocol/index.ts'

/** The contact's first offer, or calls that a page load has cut. */
export type PendingKind = 'first' | 'restore'

/** What the log says of them. */
export interface Memory {
  /** Media of a call that the end of an own session has cut. */
  readonly cut: MediaState | null
  readonly isFirstDue: boolean
}

export const NO_MEMORY: Memory = { cut: null, isFirstDue: false }

/** A call that is to come back. */
export interface ComesBack {
  readonly media: MediaState
  /** Its time is over. */
  readonly isLate: boolean
  /** Something else was agreed, or the other party is gone. */
  readonly isOver: boolean
}
