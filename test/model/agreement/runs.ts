/** The searches of the agreement: each has to be complete within its bounds; one that may stop says so. */
import { load } from './load.ts'
import type { Production } from './load.ts'
import type { Rule } from './rule.ts'
import { search } from './search.ts'
import type { Found } from './search.ts'
import type { WorldName } from './worlds.ts'

export interface Run {
  readonly world: WorldName
  /** Most moves of the service in the log of each party. */
  readonly visitor: number
  readonly agent: number
  /** It may stop after so many worlds. */
  readonly worlds?: number
}

/** In CI. */
export const SHORT: readonly Run[] = [
  { world: 'first', visitor: 9, agent: 6 },
  { world: 'resumed', visitor: 5, agent: 5 },
  { world: 'signed', visitor: 9, agent: 6 },
  { world: 'signed and discarded', visitor: 5, agent: 6 },
  { world: 'accepted', visitor: 9, agent: 1 },
  { world: 'accepted', visitor: 1, agent: 8 },
  { world: 'transferred', visitor: 5, agent: 5 },
  { world: 'transferred', visitor: 7, agent: 1 },
  { world: 'returned', visitor: 5, agent: 5 },
  { world: 'second tabs', visitor: 5, agent: 1 },
  { world: 'second tabs', visitor: 1, agent: 4 },
]

/** By `npm run model`. */
export const LONG: readonly Run[] = [
  { world: 'first', visitor: 11, agent: 8 },
  { world: 'resumed', visitor: 6, agent: 6, worlds: 100_000 },
  { world: 'signed and discarded', visitor: 7, agent: 7, worlds: 100_000 },
  { world: 'discarded', visitor: 6, agent: 6, worlds: 100_000 },
  { world: 'accepted', visitor: 12, agent: 1, worlds: 100_000 },
  { world: 'transferred', visitor: 7, agent: 6, worlds: 100_000 },
  { world: 'returned', visitor: 7, agent: 6, worlds: 100_000 },
  { world: 'second tabs', visitor: 6, agent: 1, worlds: 100_000 },
  { world: 'second tabs', visitor: 1, agent: 6, worlds: 100_000 },
]

/** More worlds than a complete search may have. */
const MOST = 200_000

/** What the searches of CI find without a rule; null: nothing. */
export async function foundWithout({ world, patches }: Rule): Promise<string | null> {
  const production = await load(patches)
  for (const run of SHORT.filter((one) => one.world === world)) {
    const { fault } = await explored(production, run)
    if (fault !== null) return fault
  }
  return null
}

/** The search of a world within its bounds. */
export const explored = (production: Production, { world, worlds, ...moves }: Run): Promise<Found> =>
  search(production, world, { ...moves, worlds: worlds ?? MOST })

export const nameOf = ({ world, visitor, agent, worlds }: Run): string =>
  `${world}, at most ${visitor} and ${agent} entries${worlds === undefined ? '' : `, the first ${worlds.toLocaleString('en')} worlds`}`

/** Next to nothing is shown to one of the parties: they cannot agree anew. */
export const isOneSided = ({ visitor, agent }: Run): boolean => Math.min(visitor, agent) === 1

/** What is wrong with how a search went, or null. */
export function problemOf(run: Run, { fault, moves, worlds, isComplete, agreements }: Found): string | null {
  if (fault !== null) return `${nameOf(run)}: ${fault}\n${JSON.stringify(moves, null, 1)}`
  if (!isComplete && run.worlds === undefined)
    return `${nameOf(run)}: stopped after ${worlds} worlds, and nothing was found in these`
  return agreements === 0 && isComplete && !isOneSided(run) ? `${nameOf(run)}: nobody ever agrees` : null
}

export const told = (run: Run, { worlds, histories, agreements, isComplete }: Found): string =>
  `agreement: ${nameOf(run)}: ${worlds} worlds of ${histories} histories, ${agreements} with one key on both sides, ${isComplete ? 'complete' : 'not complete'}`
