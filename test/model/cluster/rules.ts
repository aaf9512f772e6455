import * as nodes from '../../../service/src/cluster/node-rules.ts'
import type { Observation } from '../../../service/src/cluster/node-rules.ts'
import * as sessions from '../../../service/src/cluster/session-rules.ts'
import type { NodeStates } from '../../../service/src/cluster/session-rules.ts'
import { mayClaim } from '../../../service/src/cluster/work-rules.ts'
import { MS } from './state.ts'
import type { Machine, State } from './state.ts'

/**
 * The rules of production that the model runs, and what its statements promise: each may be taken out by its
 * name.
 */
export const RULES = {
  ...{ afterBeat: nodes.afterBeat, afterBreak: nodes.afterBreak, deadNodes: nodes.deadNodes },
  ...{ isSettled: nodes.isSettled, isIsolated: nodes.isIsolated },
  ...{ placeAfterOpening: sessions.placeAfterOpening, mayAppend: sessions.mayAppend },
  ...{ isLoss: sessions.isLoss, isSwept: sessions.isSwept, isSuperseded: sessions.isSuperseded },
  mayClaim,
  /** Declaring a node dead compares its beat in the same statement. */
  comparesBeat: true,
  /** Each process, and one that was declared dead, has an identity of its own. */
  newIdentity: true,
  /** Who sends connections away without noting the losses gives its identity up. */
  quitsIdentity: true,
  /** The effect of a timer deletes its row in the same transaction. */
  takesTimer: true,
  /** An opening takes the timer of the absence away. */
  opensTakeTimer: true,
  /** Whether the node has settled is asked again at the effect. */
  settledAtEffect: true,
}
export type Rules = typeof RULES

/** What the machine has observed, as the rules see it at the time 0. What begins anew begins at 0. */
export const observationOf = (machine: Machine): Observation => ({
  lastBeat: -machine.sinceBeat * MS.beat,
  touchSince: machine.touch < 0 ? null : -machine.touch * MS.touch - 1,
  others: Object.fromEntries(
    Object.entries(machine.seen).map(([node, { silent }]) => [
      node,
      { beat: 0, since: -silent * MS.silence - 1 },
    ]),
  ),
})

export const statesOf = ({ rows }: State): NodeStates => new Map(Object.entries(rows))
