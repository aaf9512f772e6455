/** This process among the nodes. */
export interface OwnNode {
  /** Its identity in the table of nodes. Another one after it was declared dead. */
  readonly id: string
  /** Whether it takes new work: offers, timers, jobs, calls. Not while it drains. */
  readonly takesWork: boolean
  /** Whether it may act on the absence of others. */
  isSettled(): boolean
}
