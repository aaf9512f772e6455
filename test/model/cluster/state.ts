/**
 * A page and its session at two nodes that share a store. Time is a tick of about 10 s: a node that runs beats,
 * polls and serves within a tick, in any order; one that is stopped does nothing. What the store decides is
 * atomic.
 */
import type { NodeState } from '../../../service/src/cluster/session-rules.ts'

/** Limits in ticks. */
export const TICKS = { lease: 2, ping: 2, grace: 4, settle: 1, isolation: 2 } as const

/** What the rules are told for a tick: each limit of production is reached where that of the model is. */
export const MS = { beat: 4_000, silence: 7_500, touch: 15_000, loss: 10_000 } as const

/** A machine that runs one process after another. */
export interface Machine {
  run: 'down' | 'runs' | 'stopped'
  /** Identity of its process. */
  node: string
  lives: number
  beaten: boolean
  /** Ran for the whole of the last tick. */
  ran: boolean
  /** Ticks since its last beat, at most 3. */
  sinceBeat: number
  /** Ticks in touch with the store; -1: none. */
  touch: number
  /** Cut off from the store. */
  off: boolean
  /** Has sent connections away without noting the losses: its identity goes with the next contact. */
  quits: boolean
  /** Carries the timer of the absence out. */
  claim: boolean
  /** Other nodes: whether they have beaten since the own last beat, and ticks of silence before that. */
  seen: Record<string, { beaten: boolean; silent: number }>
}

/** A connection of the page. */
export interface Line {
  at: number
  /** `losing`: the node has noticed the end, and has to note it. */
  server: 'open' | 'losing' | 'gone'
  /** `half`: cut, and not noticed. */
  client: 'open' | 'half' | 'gone'
  opened: boolean
  /** The page has the answer to its opening. */
  answered: boolean
  /** The page's count of the opening; its epoch when it is carried out. */
  opening: number
  /** Messages that lie in it: first and last, 0 for none. */
  first: number
  last: number
  /** Ticks since it broke. */
  broken: number
}

export interface State {
  faults: number
  isStoreUp: boolean
  machines: [Machine, Machine]
  rows: Record<string, NodeState>
  /** Ticks that each node has not beaten while the store was there. */
  unheard: Record<string, number>
  page: { alive: boolean; away: boolean; acked: number; atDoor: boolean }
  lines: Line[]
  session: {
    node: string | null
    epoch: number
    left: boolean
    counter: number
    lastEpoch: number
    gone: number
  }
  timer: { left: number; owner: string | null } | null
}

export function initialState(faults: number): State {
  const machine = (node: string, other: string): Machine => ({
    ...{ run: 'runs', node, lives: 1, beaten: false, ran: true, sinceBeat: 1, touch: TICKS.settle },
    ...{ off: false, quits: false, claim: false, seen: { [other]: { beaten: true, silent: 0 } } },
  })
  return {
    ...{ faults, isStoreUp: true, machines: [machine('A1', 'B1'), machine('B1', 'A1')] },
    ...{ rows: { A1: 'up', B1: 'up' }, unheard: { A1: 0, B1: 0 } },
    page: { alive: true, away: false, acked: 0, atDoor: true },
    lines: [
      {
        ...{ at: 0, server: 'open', client: 'open', opened: true, answered: true, opening: 1 },
        ...{ first: 0, last: 0, broken: 0 },
      },
    ],
    session: { node: 'A1', epoch: 1, left: false, counter: 0, lastEpoch: 1, gone: 0 },
    timer: null,
  }
}

/** A copy that may be changed. */
export function copyOf(state: State): State {
  const [first, second] = state.machines
  return {
    ...state,
    machines: [copyOfMachine(first), copyOfMachine(second)],
    rows: { ...state.rows },
    unheard: { ...state.unheard },
    page: { ...state.page },
    lines: state.lines.map((line) => ({ ...line })),
    session: { ...state.session },
    timer: state.timer && { ...state.timer },
  }
}

const copyOfMachine = (machine: Machine): Machine => ({
  ...machine,
  seen: Object.fromEntries(Object.entries(machine.seen).map(([node, known]) => [node, { ...known }])),
})

/** The page's newest connection, while it holds it. */
export const currentLine = ({ lines }: State): Line | undefined => {
  const line = lines.at(-1)
  return line && line.client !== 'gone' ? line : undefined
}

export const isIntact = ({ machines }: State, line: Line | undefined): boolean =>
  line?.client === 'open' && line.server === 'open' && machines[line.at]?.run === 'runs'

export const reachesStore = ({ isStoreUp }: State, machine: Machine): boolean => isStoreUp && !machine.off

/** Whether a machine takes new connections. */
export const isOpen = ({ rows }: State, machine: Machine): boolean =>
  machine.run === 'runs' && !machine.off && rows[machine.node] === 'up'

/** Served, or for a tick at the door of a node that could serve it. */
export function isLivePage(state: State): boolean {
  const line = currentLine(state)
  return (
    state.page.alive &&
    isIntact(state, line) &&
    (state.machines[line?.at ?? 0]?.ran ?? false) &&
    (line?.answered === true || state.page.atDoor)
  )
}

/** One form for states that cannot be told apart. */
export function tidy(state: State): State {
  state.lines = state.lines.filter(({ server, client }) => server !== 'gone' || client !== 'gone')
  for (const line of state.lines) {
    if (line.first > line.last || line.server === 'gone') line.first = line.last = 0
    if (line.server === 'gone') Object.assign(line, { opened: false, answered: false, opening: 0 })
  }
  const named = new Set([state.session.node, state.timer?.owner, ...state.machines.map(({ node }) => node)])
  for (const node of Object.keys(state.rows))
    if (!named.has(node) && state.rows[node] === 'dead') delete state.rows[node]
  for (const kept of [state.unheard, ...state.machines.map(({ seen }) => seen)])
    for (const node of Object.keys(kept))
      if (state.rows[node] === undefined || state.rows[node] === 'dead') delete kept[node]
  if (state.session.node !== null || state.session.left) state.session.gone = 0
  if (!currentLine(state)) state.page.atDoor = false
  rankEpochs(state)
  state.rows = sorted(state.rows)
  state.unheard = sorted(state.unheard)
  for (const machine of state.machines) machine.seen = sorted(machine.seen)
  return state
}

/** The same with its keys in order. */
const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Only the order of epochs counts. */
function rankEpochs({ session, lines }: State): void {
  const used = [...new Set([session.epoch, session.lastEpoch, ...lines.map(({ opening }) => opening), 0])]
  const ranks = used.toSorted((a, b) => a - b)
  const rank = (epoch: number): number => ranks.indexOf(epoch)
  session.epoch = rank(session.epoch)
  session.lastEpoch = rank(session.lastEpoch)
  for (const line of lines) line.opening = rank(line.opening)
}
