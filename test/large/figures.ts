/** What the process of the service is asked. */
export type Question = 'figures' | 'stop'

/** What it has measured of itself. */
export interface Figures {
  /**
   * The longest time in which nothing else had its turn, milliseconds: as the clock has it, and as far as the
   * process worked in it.
   */
  readonly longestMs: number
  readonly longestBusyMs: number
  /** Turns that were looked at. */
  readonly turns: number
  readonly statements: number
  /** The slowest statements, each with its longest time. */
  readonly slowest: readonly { readonly ms: number; readonly text: string }[]
}
