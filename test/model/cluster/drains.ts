/** A node that is to end: it asks its pages to go, declares itself dead, and ends, whoever is still there. */
import { forget } from './nodes.ts'
import type { Emit } from './moves.ts'
import { reachesStore } from './state.ts'
import type { Machine, State } from './state.ts'

export const isDraining = ({ rows }: State, { run, node }: Machine): boolean =>
  run === 'runs' && rows[node] === 'draining'

export function drainMoves(state: State, emit: Emit): void {
  state.machines.forEach((machine, index) => {
    const at = (copy: State): Machine => copy.machines[index === 0 ? 0 : 1]
    const isNear = reachesStore(state, machine)
    if (machine.run === 'runs' && isNear && state.rows[machine.node] === 'up')
      emit(`${machine.node} is to end`, 'drain', (copy) => void (copy.rows[machine.node] = 'draining'))
    if (!isDraining(state, machine)) return
    if (state.lines.some((line) => line.at === index && line.client === 'open' && line.server === 'open'))
      emit(`${machine.node} asks its pages to go`, 'fair', (copy) => {
        for (const line of copy.lines)
          if (line.at === index) Object.assign(line, { client: 'gone', broken: 0 })
      })
    emit(`${machine.node} ends`, 'fair', (copy) => {
      if (isNear) copy.rows[machine.node] = 'dead'
      forget(copy, at(copy))
      Object.assign(at(copy), { run: 'down', beaten: false, ran: false, off: false })
    })
  })
}
