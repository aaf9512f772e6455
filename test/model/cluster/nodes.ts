/** Beats, deaths, sweeps and faults of nodes. */
import { observationOf, statesOf } from './rules.ts'
import type { Rules } from './rules.ts'
import { MS, TICKS, reachesStore } from './state.ts'
import type { Machine, State } from './state.ts'
import type { Emit } from './moves.ts'

const other = (state: State, index: number): Machine => state.machines[index === 0 ? 1 : 0]

export function nodeMoves(state: State, rules: Rules, emit: Emit): void {
  state.machines.forEach((machine, index) => {
    const at = (copy: State): Machine => copy.machines[index === 0 ? 0 : 1]
    if (machine.run !== 'runs') return
    if (reachesStore(state, machine)) {
      if (!machine.beaten) emit(`${machine.node} beats`, 'fair', (copy) => beat(copy, at(copy), rules))
      for (const node of toDeclare(machine, rules))
        emit(`${machine.node} declares ${node} dead`, 'fair', (copy) =>
          declare(copy, at(copy), { node, rules }),
        )
      if (rules.isSwept(state.session, statesOf(state)))
        emit(`${machine.node} sweeps`, 'fair', (copy) => lose(copy))
      if (isPollDue(state, machine, rules))
        emit(`${machine.node} polls`, 'fair', (copy) => poll(copy, at(copy), rules))
    }
    if (sendsAway(state, index, rules))
      emit(`${machine.node}, out of touch, sends its connections away`, 'fair', (copy) => {
        for (const line of copy.lines) if (line.at === index) line.server = 'gone'
        at(copy).quits = rules.quitsIdentity
      })
  })
}

/** Nodes that a machine would declare dead. */
export const toDeclare = (machine: Machine, rules: Rules): string[] =>
  machine.beaten ? rules.deadNodes(observationOf(machine), 0).map(({ node }) => node) : []

/** Whether a machine is to send connections away since it is cut off from the store. */
export function sendsAway(state: State, index: number, rules: Rules): boolean {
  const [machine, neighbour] = [state.machines[index === 0 ? 0 : 1], other(state, index)]
  const hearsBeats = neighbour.run === 'runs' && reachesStore(state, neighbour)
  const observation = { ...observationOf(machine), lastBeat: -machine.sinceBeat * MS.loss }
  return (
    machine.run === 'runs' &&
    !reachesStore(state, machine) &&
    rules.isIsolated(observation, 0, { hearsBeats, isBusUp: true }) &&
    state.lines.some(({ at, server }) => at === index && server !== 'gone')
  )
}

/** A poll that finds nothing is no move. */
export const isPollDue = (state: State, machine: Machine, rules: Rules): boolean =>
  state.lines.some(
    ({ at, server, opened, opening }) =>
      state.machines[at] === machine &&
      server === 'open' &&
      opened &&
      rules.isSuperseded(state.session, { node: machine.node, epoch: opening }),
  )

function poll(state: State, machine: Machine, rules: Rules): void {
  for (const line of state.lines) {
    const own = { node: machine.node, epoch: line.opening }
    if (state.machines[line.at] === machine && line.server === 'open' && line.opened)
      if (rules.isSuperseded(state.session, own)) line.server = 'gone'
  }
}

function beat(state: State, machine: Machine, rules: Rules): void {
  if (machine.quits) state.rows[machine.node] = 'dead'
  const rows = Object.entries(state.rows).map(([node, nodeState]) => ({
    ...{ node, state: nodeState },
    beat: machine.seen[node] === undefined || machine.seen[node].beaten ? 1 : 0,
  }))
  const after = rules.afterBeat(observationOf(machine), machine.node, { rows, now: 0 })
  machine.beaten = true
  if (!after) {
    forget(state, machine)
    enter(state, machine, rules)
    machine.touch = 0
  } else {
    machine.touch = after.touchSince === 0 ? 0 : Math.min(TICKS.settle, machine.touch + 1)
    machine.seen = Object.fromEntries(
      Object.entries(after.others).map(([node, { since }]) => [
        node,
        {
          beaten: false,
          silent: since === 0 ? 0 : Math.min(TICKS.lease, (machine.seen[node]?.silent ?? 0) + 1),
        },
      ]),
    )
  }
  machine.sinceBeat = 0
  state.unheard[machine.node] = 0
  for (const { seen } of state.machines) {
    const known = seen[machine.node]
    if (known) known.beaten = true
  }
}

/** A process enters the table. */
function enter(state: State, machine: Machine, rules: Rules): void {
  if (rules.newIdentity) machine.lives += 1
  machine.node = `${machine.node.charAt(0)}${machine.lives}`
  state.rows[machine.node] = 'up'
  state.unheard[machine.node] = 0
}

/** What a process had in memory. */
export function forget(state: State, machine: Machine): void {
  Object.assign(machine, { seen: {}, claim: false, quits: false, touch: -1, sinceBeat: 3 })
  for (const line of state.lines) if (state.machines[line.at] === machine) line.server = 'gone'
}

function declare(
  state: State,
  machine: Machine,
  { node, rules }: { node: string; rules: Rules },
): string | void {
  const known = machine.seen[node]
  if (known?.beaten && rules.comparesBeat) {
    machine.seen[node] = { beaten: false, silent: 0 }
    return
  }
  state.rows[node] = 'dead'
  const isRunning = state.machines.some((each) => each.node === node && each.run !== 'down')
  if (isRunning && (state.unheard[node] ?? 0) < TICKS.lease) return 'N: a node was declared dead that beats'
}

/** The session has lost its connection. */
export function lose(state: State): void {
  state.session.node = null
  state.session.gone = 0
  state.timer ??= { left: TICKS.grace, owner: null }
}

export function nodeFaults(state: State, rules: Rules, emit: Emit): void {
  state.machines.forEach((machine, index) => {
    const at = (copy: State): Machine => copy.machines[index === 0 ? 0 : 1]
    const isStoreNear = reachesStore(state, machine)
    if (machine.run === 'runs')
      emit(`${machine.node} is stopped`, 'stop', (copy) => void (at(copy).run = 'stopped'))
    if (machine.run === 'stopped')
      emit(`${machine.node} wakes`, 'mend', (copy) => Object.assign(at(copy), { run: 'runs', ran: false }))
    if (machine.run !== 'down')
      emit(`${machine.node} is killed`, 'kill', (copy) => {
        forget(copy, at(copy))
        Object.assign(at(copy), { run: 'down', beaten: false, ran: false, off: false })
      })
    else if (isStoreNear)
      emit(`${machine.node} starts`, 'mend', (copy) => {
        at(copy).run = 'runs'
        enter(copy, at(copy), rules)
      })
    if (machine.run === 'runs' && isStoreNear)
      emit(`${machine.node} is cut off from the store`, 'part', (copy) => {
        at(copy).off = true
        breaks(at(copy), rules)
      })
    if (machine.off)
      emit(`${machine.node} reaches the store again`, 'mend', (copy) => void (at(copy).off = false))
  })
  if (state.isStoreUp)
    emit('the store is out', 'db', (copy) => {
      copy.isStoreUp = false
      for (const machine of copy.machines) if (machine.run !== 'down') breaks(machine, rules)
    })
  else emit('the store is back', 'mend', (copy) => void (copy.isStoreUp = true))
}

/** A statement of the machine fails. */
function breaks(machine: Machine, rules: Rules): void {
  if (rules.afterBreak(observationOf(machine)).touchSince === null) machine.touch = -1
}
