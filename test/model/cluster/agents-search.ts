/** Every state of an agent, a contact that waits, and two nodes. */
import { agentMoves, initialAgents, isServed } from './agents.ts'
import type { AgentFault, AgentRules, AgentState } from './agents.ts'

interface AgentOutcome {
  readonly states: number
  /** The law that breaks; null where none does. */
  readonly broken: string | null
  readonly way: readonly string[]
}

interface Found {
  readonly state: AgentState
  readonly from: string | null
  readonly label: string
}

/** More is not searched, where nothing else is said; the outcome says so. */
const MOST_STATES = 400_000
const NOT_SERVED = 'not reached: an agent who can be asked has the contact offered'

/** Every state with at most so many faults, at any moments. */
export function searchAgents(
  faults: number,
  kinds: readonly AgentFault[],
  rules: AgentRules,
  mostStates = MOST_STATES,
): AgentOutcome {
  const first = initialAgents(faults)
  const found = new Map<string, Found>([[JSON.stringify(first), { state: first, from: null, label: '' }]])
  const onward = new Map<string, string[]>()
  const wayTo = (key: string | null): string[] => {
    const way: string[] = []
    for (let at = key; at !== null; at = found.get(at)?.from ?? null) way.unshift(found.get(at)?.label ?? '')
    return way
  }
  for (const [key, { state }] of found) {
    if (found.size > mostStates) return { states: found.size, broken: 'not complete', way: [] }
    const next: string[] = []
    for (const { label, to, broken, isFair } of agentMoves(state, kinds, rules)) {
      if (broken !== null) return { states: found.size, broken, way: [...wayTo(key), label] }
      const toKey = JSON.stringify(to)
      if (!found.has(toKey)) found.set(toKey, { state: to, from: key, label })
      if (isFair) next.push(toKey)
    }
    if (!isServed(state) && isServable(state)) onward.set(key, next)
  }
  const stuck = findCycle(onward)
  return { states: found.size, broken: stuck && NOT_SERVED, way: wayTo(stuck) }
}

/** The page is there, and a node runs that takes new work. */
const isServable = ({ nodes, isGone }: AgentState): boolean =>
  !isGone && nodes.some(({ run, row }) => run === 'runs' && row === 'up')

/** A state from which what happens without faults may go round for ever, or ends; null: there is none. */
function findCycle(onward: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>()
  for (const start of onward.keys()) {
    const open = new Set<string>()
    const path: { readonly key: string; at: number }[] = [{ key: start, at: 0 }]
    while (path.length > 0) {
      const step = path[path.length - 1]
      if (!step) break
      const next = onward.get(step.key) ?? []
      if (step.at === 0 && next.length === 0) return step.key
      open.add(step.key)
      const to = next[step.at]
      step.at += 1
      if (to === undefined) {
        open.delete(step.key)
        done.add(step.key)
        path.pop()
      } else if (open.has(to)) return to
      else if (onward.has(to) && !done.has(to)) path.push({ key: to, at: 0 })
    }
  }
  return null
}
