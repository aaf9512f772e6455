/** All that may happen in a state: what nodes and the page do, faults, mends and the passing of time. */
import { drainMoves, isDraining } from './drains.ts'
import { isPollDue, nodeFaults, nodeMoves, sendsAway, toDeclare } from './nodes.ts'
import { statesOf } from './rules.ts'
import type { Rules } from './rules.ts'
import { canClaim, canRing, lineMoves, pageFaults, pageMoves, timerMoves } from './sessions.ts'
import { TICKS, copyOf, currentLine, isIntact, isOpen, reachesStore, tidy } from './state.ts'
import type { State } from './state.ts'

export const FAULTS = ['stop', 'kill', 'cut', 'drop', 'away', 'die', 'db', 'part', 'drain'] as const
export type FaultKind = (typeof FAULTS)[number]
/** `fair`: it happens within a tick. `mend`: it may happen. */
type Kind = FaultKind | 'fair' | 'mend' | 'tick'
/** Changes a copy of the state. Gives the law that it breaks. */
type Change = (copy: State) => unknown
export type Emit = (label: string, kind: Kind, change: Change) => void

/** What is searched. */
export interface Search {
  /** At most so many faults, at any moments. */
  readonly faults: number
  readonly kinds: readonly FaultKind[]
  /** Messages that the page writes. */
  readonly writes: number
  readonly rules: Rules
}

export interface Move {
  readonly label: string
  readonly kind: Kind
  readonly to: State
  readonly broken: string | null
}

export function movesOf(state: State, { kinds, writes, rules }: Search): Move[] {
  const moves: Move[] = []
  const emit: Emit = (label, kind, change) => {
    const isFault = kind !== 'fair' && kind !== 'mend' && kind !== 'tick'
    if (isFault && (state.faults === 0 || !kinds.includes(kind))) return
    const to = copyOf(state)
    if (isFault) to.faults -= 1
    const broken = change(to)
    moves.push({ label, kind, to: tidy(to), broken: typeof broken === 'string' ? broken : null })
  }
  nodeMoves(state, rules, emit)
  drainMoves(state, emit)
  pageMoves(state, writes, emit)
  lineMoves(state, rules, emit)
  timerMoves(state, rules, emit)
  if (mayPass(state, { writes, rules })) emit('a tick', 'tick', tick)
  nodeFaults(state, rules, emit)
  pageFaults(state, emit)
  return moves
}

/** What happens within a tick has happened. */
function mayPass(state: State, { writes, rules }: Pick<Search, 'writes' | 'rules'>): boolean {
  const { machines, session, page } = state
  const running = machines.filter((machine) => machine.run === 'runs')
  const near = running.filter((machine) => reachesStore(state, machine))
  if (near.some((machine) => !machine.beaten || toDeclare(machine, rules).length > 0)) return false
  if (running.some((machine) => isDraining(state, machine))) return false
  if (near.some((machine) => isPollDue(state, machine, rules))) return false
  if (near.length > 0 && rules.isSwept(session, statesOf(state))) return false
  if (machines.some((_, index) => sendsAway(state, index, rules))) return false
  if (near.some((machine) => canClaim(state, machine, rules) || canRing(state, machine, rules))) return false
  if (state.lines.some((line) => isServedAtOnce(state, line))) return false
  const line = currentLine(state)
  if (page.alive && !line && !page.away && machines.some((machine) => isOpen(state, machine))) return false
  if (line && !isIntact(state, line) && (line.broken >= TICKS.ping || line.server === 'gone')) return false
  const isWriting = line?.answered === true && line.opened && isIntact(state, line)
  return !isWriting || Math.max(line.last, page.acked) >= writes || !isNear(state, line.at)
}

const isNear = (state: State, at: number): boolean => {
  const machine = state.machines[at]
  return machine?.run === 'runs' && reachesStore(state, machine)
}

function isServedAtOnce(state: State, line: State['lines'][number]): boolean {
  if (state.machines[line.at]?.run !== 'runs') return false
  if (line.server === 'open' && line.client !== 'open' && line.broken >= TICKS.ping) return true
  if (!isNear(state, line.at)) return false
  if (line.server === 'losing') return true
  return line.server === 'open' && line.client === 'open' && (!line.opened || line.first > 0)
}

function tick(state: State): void {
  for (const machine of state.machines) {
    machine.beaten = false
    machine.sinceBeat = Math.min(3, machine.sinceBeat + 1)
    machine.ran = machine.run === 'runs'
    if (state.isStoreUp && state.unheard[machine.node] !== undefined)
      state.unheard[machine.node] = Math.min(TICKS.lease, (state.unheard[machine.node] ?? 0) + 1)
  }
  for (const line of state.lines)
    if (line.client !== 'open' || state.machines[line.at]?.run !== 'runs')
      line.broken = Math.min(TICKS.ping, line.broken + 1)
  if (state.timer && state.timer.left > 0) state.timer.left -= 1
  if (state.session.node === null) state.session.gone = Math.min(TICKS.grace, state.session.gone + 1)
  const line = currentLine(state)
  state.page.atDoor = isIntact(state, line) && state.machines[line?.at ?? 0]?.off === false
}
