/** Carries out a search, and says how it went. */
import { diagram } from './diagram.ts'
import { BOUNDS, explore } from './explore.ts'
import type { Result } from './explore.ts'
import type { Production } from './local.ts'
import type { Run } from './runs.ts'
import { STARTS, hostile } from './starts.ts'
import { Model } from './world.ts'
import type { World } from './places.ts'

/** A model, and the world in which a search begins. */
function begin(production: Production, run: Run): { readonly model: Model; readonly world: World } {
  let begun = false
  const model = new Model(production, {
    allows: (name) =>
      (run.telephone === true || !name.includes('telephone')) &&
      (run.twoEngines === true || !name.includes('second engine')) &&
      (!begun || run.without?.test(name) !== true),
    forged: run.forged === true,
    pending: run.pending,
  })
  const honest = STARTS[run.start](model)
  const world = run.hostile ? hostile(model, honest, run.hostile) : honest
  begun = true
  return {
    model,
    world: { ...world, budget: { commands: 0, faults: 0, hurries: 0, words: 0, ...run.budget } },
  }
}

export interface Found extends Result {
  readonly seconds: number
  /** The way to the fault as a diagram; empty without one. */
  readonly drawn: string
}

/** Carries out a search. A fault on the way to its start counts, too. */
export function search(production: Production, run: Run, bounds: Partial<typeof BOUNDS> = {}): Found {
  const begun = performance.now()
  const { model, world } = begin(production, run)
  const result = explore(model, world, {
    ...BOUNDS,
    ...(run.states !== undefined && { states: run.states }),
    ...bounds,
  })
  return {
    ...result,
    drawn: result.fault ? drawn(production, run, result) : '',
    seconds: (performance.now() - begun) / 1000,
  }
}

function drawn(production: Production, run: Run, { fault, path }: Result): string {
  const { model, world } = begin(production, run)
  return `${nameOf(run)}, from ${run.start}: ${path.length} steps\n\n${diagram(model, world, path)}\n\n✗ ${fault}`
}

/** What a search is called: with its bound, where it has one. */
export const nameOf = ({ name, states }: Pick<Run, 'name' | 'states'>): string =>
  states === undefined ? name : `${name}, the first ${states.toLocaleString('en')} states`

/**
 * What is wrong with how a search went, or null: a violation, or that it stopped early without its name
 * saying so.
 */
export function problemOf(
  run: Run,
  { fault, drawn, complete, states }: Pick<Found, 'fault' | 'drawn' | 'complete' | 'states'>,
): string | null {
  if (fault) return drawn
  return complete || run.states !== undefined
    ? null
    : `${run.name}: stopped after ${states} states, and nothing was found in these`
}

export const told = (run: Run, { states, transitions, pages, complete, seconds }: Found): string =>
  `${nameOf(run)} (from ${run.start}, ${JSON.stringify(run.budget)}): ${states} states, ${transitions} steps, ${pages} page states, ${complete ? 'complete' : 'not complete'}, ${seconds.toFixed(1)} s`
