/** The searches: each has to be complete within its budget; one that may stop says so in its name. */
import type { Slot } from '../../protocol/index.ts'
import { diagram } from './diagram.ts'
import { BOUNDS, explore } from './explore.ts'
import type { Result } from './explore.ts'
import type { Production } from './local.ts'
import type { Budget } from './options.ts'
import { STARTS, hostile } from './starts.ts'
import type { Start } from './starts.ts'
import { Model } from './world.ts'
import type { World } from './world.ts'

export interface Run {
  readonly name: string
  readonly start: Start
  readonly budget: Partial<Budget>
  /** Slot whose page writes what it likes. */
  readonly hostile?: Slot
  /** The service writes under the honest party's name, too: then only I7 can hold. */
  readonly forged?: boolean
  /** Voice can go over a telephone, too. */
  readonly telephone?: boolean
  /**
   * Faults and hurries that are left out. The two sides are alike: what befalls the visitor could befall the
   * agent.
   */
  readonly without?: RegExp
  /** It may stop after so many states: part of its name. */
  readonly states?: number
}

const OF_AGENT = /^agent\d (engine|is closed|freezes|leaves|gets)|^service agent/

const NO_TABS = /^agent\d (engine|is closed|freezes|leaves|gets)|^service agent|second tab/

/** In CI, on every change; the small ones first. */
export const SHORT: readonly Run[] = [
  { name: 'a fault during a call', start: 'talking', budget: { faults: 1, hurries: 1 } },
  { name: 'a command from silence', start: 'silent', budget: { commands: 1 } },
  {
    name: 'a lost capture and a fault',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: /^(?!visitor\d (engine (loses|fails for good|is denied)|app (speaks|stops)))/,
  },
  {
    name: 'another tab and a restore',
    start: 'tabs',
    budget: { commands: 1, faults: 1 },
    without: /^(?!visitor\d engine breaks$|agent\d app offers to restore)/,
  },
  {
    name: 'a refusal beside another tab',
    start: 'tabs',
    budget: { commands: 1, faults: 1 },
    without: /^(?!visitor\d app (offers Voice|stops)|service refuses (offer|direct) of visitor)/,
  },
  { name: 'a tab that follows', start: 'displaced', budget: { faults: 1, hurries: 1 } },
  {
    name: 'a tab that follows, and takes over',
    start: 'displaced',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.*(told|takes|closed|absent|engine breaks$|second tab))/,
  },
  { name: 'another page with the call', start: 'taken', budget: {} },
  { name: 'two pages open', start: 'empty', budget: { faults: 1 } },
  { name: 'two commands', start: 'idle', budget: { commands: 2 } },
  {
    name: 'a command and an engine',
    start: 'idle',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  {
    name: 'a command and an engine during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  {
    name: 'two commands beside a party that freezes',
    start: 'idle',
    budget: { commands: 2, faults: 1 },
    without: /^(?!.*( app | freezes))/,
  },
  {
    name: 'a hostile agent and a command',
    start: 'talking',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
  },
  {
    name: 'a hostile agent and two commands',
    start: 'talking',
    budget: { commands: 2, words: 1 },
    hostile: 'agent',
  },
  {
    name: 'a hostile agent and an absence',
    start: 'talking',
    budget: { faults: 1, words: 2 },
    hostile: 'agent',
    without: /^(?!.*( writes | is absent))/,
  },
  {
    name: 'a hostile agent and an engine',
    start: 'talking',
    budget: { commands: 1, faults: 1, words: 1 },
    hostile: 'agent',
    without: /^(?!.* (app|engine|writes) )/,
  },
  {
    name: 'a log that lies',
    start: 'talking',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
    forged: true,
  },
  {
    name: 'a log that lies about an answer',
    start: 'idle',
    budget: { words: 2 },
    hostile: 'agent',
    forged: true,
  },
  { name: 'two commands with a telephone', start: 'idle', budget: { commands: 2 }, telephone: true },
  {
    name: 'a telephone and a fault',
    start: 'idle',
    budget: { commands: 1, faults: 1 },
    telephone: true,
    without: /^(?!.*(telephone|engine|is closed|is absent))/,
  },
  {
    name: 'a log that lies about a telephone',
    start: 'idle',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
    forged: true,
    telephone: true,
  },
  { name: 'a hostile visitor', start: 'idle', budget: { words: 3 }, hostile: 'visitor' },
  { name: 'a hostile agent during a call', start: 'talking', budget: { words: 3 }, hostile: 'agent' },
  { name: 'two faults during a call', start: 'talking', budget: { faults: 2 }, without: OF_AGENT },
  { name: 'two commands and a timer', start: 'idle', budget: { commands: 2, hurries: 1 } },
  { name: 'two commands during a call and a timer', start: 'talking', budget: { commands: 2, hurries: 1 } },
  {
    name: 'a refusal while the engines go back',
    start: 'talking',
    budget: { commands: 1, faults: 1, hurries: 1 },
    without: /^(?!visitor\d app turns|service refuses ready of visitor|agent\d time transitionLimit)/,
  },
  {
    name: 'a refusal while the engines go back to silence',
    start: 'idle',
    budget: { commands: 1, faults: 1, hurries: 1 },
    without:
      /^(?!visitor\d app offers Voice|agent\d app answers yes|service refuses failed of agent|agent\d time transitionLimit)/,
  },
  { name: 'a command and a fault', start: 'idle', budget: { commands: 1, faults: 1 }, without: NO_TABS },
  {
    name: 'a command and a fault during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    without: OF_AGENT,
  },
]

/** By `npm run model`. */
export const LONG: readonly Run[] = [
  {
    name: 'a tab that follows, a command and a fault',
    start: 'displaced',
    budget: { commands: 1, faults: 1 },
  },
  {
    name: 'tabs that are told wrongly',
    start: 'displaced',
    budget: { commands: 1, faults: 2, hurries: 1 },
    without: /^(?!.*(told|takes|time))/,
  },
  {
    name: 'a command and two absences',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: /^(?!.*( app | is absent))/,
  },
  { name: 'two pages open, a command and a fault', start: 'empty', budget: { commands: 1, faults: 1 } },
  { name: 'two pages open, two faults', start: 'empty', budget: { faults: 2 } },
  {
    name: 'two commands and an engine during a call',
    start: 'talking',
    budget: { commands: 2, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  { name: 'a command, a fault and a timer', start: 'idle', budget: { commands: 1, faults: 1, hurries: 1 } },
  {
    name: 'a command, a fault and a timer during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1, hurries: 1 },
  },
  { name: 'a command, and any fault', start: 'idle', budget: { commands: 1, faults: 1 } },
  {
    name: 'two commands and a fault',
    start: 'idle',
    budget: { commands: 2, faults: 1 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'a command and two faults',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'two commands and two faults of an engine during a call',
    start: 'talking',
    budget: { commands: 2, faults: 2 },
    without: /^(?!.* app |visitor\d engine )/,
  },
  {
    name: 'two commands and two faults',
    start: 'idle',
    budget: { commands: 2, faults: 2 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'a hostile visitor that writes much',
    start: 'talking',
    budget: { words: 4, hurries: 1 },
    hostile: 'visitor',
  },
  {
    name: 'a hostile agent, commands and a fault',
    start: 'idle',
    budget: { commands: 2, faults: 1, words: 2 },
    hostile: 'agent',
    states: 3_000_000,
  },
]

/** A model, and the world in which a search begins. */
function begin(production: Production, run: Run): { readonly model: Model; readonly world: World } {
  let begun = false
  const model = new Model(production, {
    allows: (name) =>
      (run.telephone === true || !name.includes('telephone')) && (!begun || run.without?.test(name) !== true),
    forged: run.forged === true,
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
