/** One thing that can happen in a world. */
import type { Budget } from './option.ts'
import type { Reached, World } from './places.ts'

export interface Step {
  /** Who does it: a session, or `service`. */
  readonly who: string
  readonly name: string
  /** It needs no decision of a user and no fault: in a fair run it happens. */
  readonly progress: boolean
  readonly cost: keyof Budget | null
  readonly take: () => Reached
}

/** The world with less to spend. */
export const spend = (world: World, cost: keyof Budget | null): World =>
  cost === null ? world : { ...world, budget: { ...world.budget, [cost]: world.budget[cost] - 1 } }

/** Something that can happen. */
export function step(
  who: string,
  name: string,
  progress: boolean,
  cost: keyof Budget | null,
  take: () => Reached,
): Step {
  return { who, name, progress, cost, take }
}
