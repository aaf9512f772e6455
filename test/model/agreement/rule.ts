import type { Patch } from './load.ts'
import type { WorldName } from './worlds.ts'

/** A rule of the agreement, with what takes it out of a copy of the production code. */
export interface Rule {
  readonly id: string
  readonly safeguard: string
  /** The search that finds the violation. */
  readonly world: WorldName
  readonly patches: readonly Patch[]
}
