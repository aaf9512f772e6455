import type { Role } from './facts.ts'

/** What a process of parties is told at its start. */
export interface PartyTask {
  readonly process: string
  readonly role: Role
  readonly url: string
  readonly folder: string
  readonly seed: number
  /** Visitors, or agents. */
  readonly count: number
  /** Contacts that an agent takes. */
  readonly capacity: number
  /** Mean time between two acts of a page, milliseconds. */
  readonly everyMs: number
}

/**
 * `rest`: nothing more is done, and what was written is answered. `settle`: the last text of each contact has been read.
 * `conclude`: what is known in the end is noted. `end`: the process ends.
 */
export type Order =
  | { readonly name: 'rest' | 'conclude' | 'end' }
  | { readonly name: 'settle'; readonly last: Readonly<Record<string, string>> }
