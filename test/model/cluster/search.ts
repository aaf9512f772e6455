/**
 * Breadth-first search over everything that can happen, then over what happens without further faults: outside
 * a goal that has neither a cycle nor an end, so the goal is reached on every way.
 */
import { movesOf } from './moves.ts'
import type { Search } from './moves.ts'
import { currentLine, initialState, isIntact, isOpen } from './state.ts'
import type { State } from './state.ts'

/** More is not searched, where nothing else is said; the outcome says so. */
const MOST_STATES = 400_000

export interface Outcome {
  readonly states: number
  /** The law that is broken, or `not complete`; null where all holds. */
  readonly broken: string | null
  /** The way there. */
  readonly way: readonly string[]
}

const GOALS: Readonly<Record<string, (state: State, writes: number) => boolean>> = {
  'a dead session is declared left': ({ page, session }) => page.alive || session.left,
  'a living page has its session again': (state) => {
    const { page, session } = state
    if (!page.alive || session.left || page.away) return true
    const line = currentLine(state)
    return (
      isIntact(state, line) &&
      line?.answered === true &&
      session.node !== null &&
      line.opening === session.epoch
    )
  },
  'what a living page wrote is stored': ({ page, session }, writes) =>
    !page.alive || page.away || session.left || page.acked === writes,
}

/** Progress can be asked for: the store is there, and a node runs that takes connections. */
const mustProgress = (state: State): boolean =>
  state.isStoreUp &&
  state.machines.every((machine) => !machine.off) &&
  state.machines.some((each) => isOpen(state, each))

interface Graph {
  readonly states: State[]
  readonly parents: { readonly from: number; readonly label: string }[]
  /** What happens by itself from each state. */
  readonly fair: number[][]
}

export function search(options: Search, mostStates = MOST_STATES): Outcome {
  const graph: Graph = { states: [], parents: [], fair: [] }
  const found = new Map<string, number>()
  const add = (state: State, parent: Graph['parents'][number]): number => {
    const key = JSON.stringify(state)
    const known = found.get(key)
    if (known !== undefined) return known
    found.set(key, graph.states.length)
    graph.parents.push(parent)
    graph.fair.push([])
    return graph.states.push(state) - 1
  }
  add(initialState(options.faults), { from: -1, label: '' })
  for (let from = 0; from < graph.states.length; from += 1) {
    if (graph.states.length > mostStates)
      return { states: graph.states.length, broken: 'not complete', way: [] }
    for (const { label, kind, to, broken } of movesOf(graph.states[from] as State, options)) {
      if (broken !== null) return { states: graph.states.length, broken, way: [...wayTo(graph, from), label] }
      const index = add(to, { from, label })
      if (kind === 'fair' || kind === 'tick') graph.fair[from]?.push(index)
    }
  }
  return stuckIn(graph, options.writes) ?? { states: graph.states.length, broken: null, way: [] }
}

function wayTo({ parents }: Graph, to: number): string[] {
  const way: string[] = []
  for (let at = to; at > 0; at = parents[at]?.from ?? 0) way.unshift(parents[at]?.label ?? '')
  return way
}

/** A state from which a goal need not be reached. */
function stuckIn(graph: Graph, writes: number): Outcome | null {
  const { states, fair } = graph
  for (const [goal, holds] of Object.entries(GOALS)) {
    const isOutside = states.map((state) => mustProgress(state) && !holds(state, writes))
    const left = fair.map((next) => next.filter((to) => isOutside[to]).length)
    const before: number[][] = states.map(() => [])
    fair.forEach((next, from) => {
      if (isOutside[from]) for (const to of next) if (isOutside[to]) before[to]?.push(from)
    })
    const done = states.flatMap((_, at) => (isOutside[at] && left[at] === 0 && fair[at]?.length ? [at] : []))
    const isDone = new Set(done)
    for (let at = done.pop(); at !== undefined; at = done.pop())
      for (const from of before[at] ?? []) {
        left[from] = (left[from] ?? 0) - 1
        if (left[from] !== 0 || isDone.has(from)) continue
        isDone.add(from)
        done.push(from)
      }
    const stuck = states.findIndex((_, at) => isOutside[at] && !isDone.has(at))
    if (stuck >= 0) return { states: states.length, broken: `not reached: ${goal}`, way: wayTo(graph, stuck) }
  }
  return null
}
