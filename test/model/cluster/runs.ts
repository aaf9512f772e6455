/** The searches of `npm run model cluster`: larger than those of the tests. One that a bound stops says so. */
import { searchAgents } from './agents-search.ts'
import { AGENT_FAULTS, AGENT_RULES } from './agents.ts'
import type { AgentFault } from './agents.ts'
import { FAULTS } from './moves.ts'
import type { FaultKind } from './moves.ts'
import { RULES } from './rules.ts'
import { search } from './search.ts'

/** More does not fit into the memory of the command (6 GB). */
const MOST_STATES = 1_500_000

interface PageRun {
  readonly of: 'a page and its session'
  readonly faults: number
  readonly kinds: readonly FaultKind[]
  readonly writes: number
}

interface AgentRun {
  readonly of: 'an agent and a contact that waits'
  readonly faults: number
  readonly kinds: readonly AgentFault[]
}

type Run = PageRun | AgentRun

const page = (faults: number, kinds: readonly FaultKind[], writes = 0): PageRun => ({
  of: 'a page and its session',
  ...{ faults, kinds, writes },
})
const agent = (faults: number, kinds: readonly AgentFault[]): AgentRun => ({
  of: 'an agent and a contact that waits',
  ...{ faults, kinds },
})

/** The small ones first. */
export const RUNS: readonly Run[] = [
  agent(3, AGENT_FAULTS),
  agent(5, ['stop', 'hint', 'half-open']),
  agent(5, ['kill', 'drain', 'gone']),
  agent(4, AGENT_FAULTS),
  page(1, FAULTS, 2),
  page(3, ['kill', 'die']),
  page(2, ['drain', 'die', 'stop', 'cut'], 1),
  page(2, ['stop', 'part', 'db']),
  page(2, ['kill', 'stop', 'cut'], 1),
  page(2, FAULTS),
]

export const nameOf = (run: Run): string =>
  `${run.of}, ${run.faults} of ${run.kinds.join(', ')}${'writes' in run && run.writes > 0 ? `, ${run.writes} messages` : ''}`

/** What a search has found. */
interface Found {
  readonly states: number
  /** False: a bound has stopped it. What it has seen breaks no law; whether goals are reached is not known. */
  readonly isComplete: boolean
  /** The law that is broken, with the way there; null: none. */
  readonly problem: string | null
}

export function explored(run: Run, mostStates = MOST_STATES): Found {
  const { states, broken, way } =
    'writes' in run
      ? search({ ...run, rules: RULES }, mostStates)
      : searchAgents(run.faults, run.kinds, AGENT_RULES, mostStates)
  const isComplete = broken !== 'not complete'
  return {
    ...{ states, isComplete },
    problem: broken === null || !isComplete ? null : `${nameOf(run)}: ${broken}\n${way.join('\n')}`,
  }
}

export const told = ({ states, isComplete, problem }: Found): string =>
  `${states} states, ${problem ? 'a law is broken' : isComplete ? 'complete: all laws hold, all goals are reached' : 'not complete: stopped by its bound; no law is broken in these'}`
