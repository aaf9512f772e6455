/**
 * An agent, a contact that waits, and two nodes of which one matches, in steps of a second. What decides is the
 * code of production (`work-rules.ts`); `cluster.test.ts` has the page and its session.
 */
import {
  PASSED_OVER_MS,
  UNTOLD_MS,
  afterLook,
  canBeAsked,
  mayTakeJob,
  offerOutcome,
} from '../../../service/src/cluster/work-rules.ts'
import type { SeenJob } from '../../../service/src/cluster/work-rules.ts'

/** What may be taken out. */
export interface AgentRules {
  readonly offerOutcome: typeof offerOutcome
  readonly canBeAsked: typeof canBeAsked
  readonly mayTakeJob: typeof mayTakeJob
  /** An offer is written only where the round of the job is the one that the matcher has seen. */
  readonly comparesRound: boolean
  /** An offer counts as seen when a live connection has read it, not when it is pushed. */
  readonly seenByEvidence: boolean
}

export const AGENT_RULES: AgentRules = {
  ...{ offerOutcome, canBeAsked, mayTakeJob },
  ...{ comparesRound: true, seenByEvidence: true },
}

export const AGENT_FAULTS = ['kill', 'stop', 'hint', 'half-open', 'gone', 'drain'] as const
export type AgentFault = (typeof AGENT_FAULTS)[number]

const SECOND = 1_000
const DUE_S = 6
/** Until the silence of a node counts. Of production 15 s: here only the order of what happens counts. */
const LEASE_S = 4
const PASSED_OVER_S = PASSED_OVER_MS / SECOND
/** A connection that has broken unnoticed ends after so long. */
const PING_S = 4

type Row = 'up' | 'draining' | 'dead'

interface Node {
  run: 'runs' | 'stopped' | 'down'
  row: Row
  silent: number
  /** The connection of the agent: whether its row stands, and whether the page still hears it. */
  line: 'none' | 'live' | 'half'
  broken: number
  /** What it knows of the job. */
  look: SeenJob | null
  /** It is in a round that began with this number. */
  round: number | null
  hint: boolean
  /** A push that lies in the connection. */
  push: boolean
}

export interface AgentState {
  faults: number
  now: number
  nodes: [Node, Node]
  job: { node: number | null; round: number }
  offer: { madeAt: number; told: boolean; seen: boolean; got: boolean } | null
  passedUntil: number
  paused: boolean
  /** The agent's page is gone for good. */
  isGone: boolean
}

interface Move {
  readonly label: string
  readonly to: AgentState
  readonly broken: string | null
  /** It happens without a fault, and is waited for. */
  readonly isFair: boolean
}

export const initialAgents = (faults: number): AgentState => {
  const node = (line: Node['line']): Node => ({
    ...{ run: 'runs', row: 'up', silent: 0, line, broken: 0 },
    ...{ look: null, round: null, hint: false, push: false },
  })
  return {
    ...{ faults, now: 0, nodes: [node('none'), node('live')], job: { node: 0, round: 0 } },
    ...{ offer: null, passedUntil: 0, paused: false, isGone: false },
  }
}

const nameOf = (index: number): string => (index === 0 ? 'A' : 'B')
const statesOf = ({ nodes }: AgentState) => new Map(nodes.map(({ row }, index) => [nameOf(index), row]))
const connectedAt = ({ nodes }: AgentState): string[] =>
  nodes.flatMap(({ line }, index) => (line === 'none' ? [] : [nameOf(index)]))
/** The agent has the offer, or was paused for one that they had. */
export const isServed = ({ offer, paused }: AgentState): boolean => paused || offer?.seen === true

export function agentMoves(state: AgentState, kinds: readonly AgentFault[], rules: AgentRules): Move[] {
  const moves: Move[] = []
  let mayPass = true
  const emit = (label: string, change: (copy: AgentState) => string | void, isFair = true): void => {
    if (isFair) mayPass = false
    const to = structuredClone(state)
    const broken = change(to) ?? null
    moves.push({ label, to: tidy(to), broken, isFair })
  }
  const fault = (kind: AgentFault, label: string, change: (copy: AgentState) => void): void => {
    if (state.faults === 0 || !kinds.includes(kind)) return
    const run = (copy: AgentState): void => {
      copy.faults -= 1
      change(copy)
    }
    emit(label, run, false)
  }
  state.nodes.forEach((node, index) => {
    const [name, at] = [nameOf(index), (copy: AgentState): Node => copy.nodes[index === 0 ? 0 : 1]]
    const other = state.nodes[index === 0 ? 1 : 0]
    if (node.run === 'runs') {
      if (node.line !== 'none' && node.hint)
        emit(`${name} pushes the offer`, (copy) => push(copy, at(copy), rules))
      if (node.push && node.line === 'live')
        emit(`the page reads the offer at ${name}`, (copy) => {
          at(copy).push = false
          if (copy.offer) Object.assign(copy.offer, { seen: true, got: true })
        })
      if (node.line !== 'none' && node.row === 'draining')
        emit(`${name} sends the page away`, (copy) => void (at(copy).line = 'none'))
      if (node.line === 'half' && node.broken >= PING_S)
        emit(`${name} notices the broken connection`, (copy) => void (at(copy).line = 'none'))
      if (other.silent >= LEASE_S && other.row !== 'dead' && other.run !== 'runs')
        emit(`${name} declares the other dead`, (copy) => void (copy.nodes[index === 0 ? 1 : 0].row = 'dead'))
      if (other.row === 'dead' && other.line !== 'none')
        emit(`${name} sweeps`, (copy) => void (copy.nodes[index === 0 ? 1 : 0].line = 'none'))
      if (state.offer && outcome(state, rules) !== 'stands')
        emit(`${name} ends the offer`, (copy) => end(copy, rules))
      jobMoves(state, index, { rules, emit })
      fault('drain', `${name} drains`, (copy) => void (at(copy).row === 'up' && (at(copy).row = 'draining')))
      if (node.hint) fault('hint', `a hint to ${name} is lost`, (copy) => void (at(copy).hint = false))
      if (node.line === 'live')
        fault('half-open', `the connection to ${name} breaks`, (copy) => void (at(copy).line = 'half'))
      fault('stop', `${name} stands still`, (copy) => void (at(copy).run = 'stopped'))
      fault('kill', `${name} is killed`, (copy) => {
        Object.assign(at(copy), { run: 'down', hint: false, push: false, look: null, round: null })
        if (at(copy).line === 'live') at(copy).line = 'half'
      })
    } else if (node.run === 'stopped') emit(`${name} wakes`, (copy) => wake(copy, index), false)
  })
  if (!state.isGone)
    fault('gone', 'the page is gone', (copy) => {
      copy.isGone = true
      for (const node of copy.nodes) if (node.line === 'live') node.line = 'half'
    })
  // The page connects anew where it has no connection that it hears.
  const home = state.nodes.findIndex(
    ({ run, row, line }) => run === 'runs' && row === 'up' && line === 'none',
  )
  if (!state.isGone && !state.nodes.some(({ line }) => line === 'live') && home >= 0)
    emit(`the page connects to ${nameOf(home)}`, (copy) => {
      const node = copy.nodes[home === 0 ? 0 : 1]
      Object.assign(node, { line: 'live', broken: 0, hint: copy.offer !== null })
    })
  if (mayPass) emit('a second', second)
  return moves
}

interface JobParts {
  readonly rules: AgentRules
  readonly emit: (label: string, change: (copy: AgentState) => string | void, isFair?: boolean) => void
}

/** A round of the matcher: it reads the job, and writes an offer where its round is still the one it has read. */
function jobMoves(state: AgentState, index: number, { rules, emit }: JobParts): void {
  const [name, node, job] = [nameOf(index), state.nodes[index === 0 ? 0 : 1], state.job]
  const at = (copy: AgentState): Node => copy.nodes[index === 0 ? 0 : 1]
  const isWaiting = state.offer === null && !state.paused
  if (node.row !== 'up') return
  if (node.round !== null)
    emit(`${name} writes what its round has found`, (copy) => {
      const began = at(copy).round
      at(copy).round = null
      if (rules.comparesRound && (copy.job.round !== began || copy.job.node !== index)) return undefined
      copy.job.round += 1
      return offerTo(copy, rules)
    })
  else if (job.node === index && isWaiting && canAsk(state, rules))
    emit(`${name} begins a round`, (copy) => void (at(copy).round = copy.job.round))
  else if (job.node !== index) {
    const known = node.look && { round: node.look.round, since: node.look.since * SECOND }
    const seen = afterLook(known, job.round, state.now * SECOND)
    const holder = job.node === null ? null : nameOf(job.node)
    const isAsked = isWaiting && canAsk(state, rules)
    if (rules.mayTakeJob({ node: holder, isWaiting: isAsked, seen }, statesOf(state), state.now * SECOND))
      emit(`${name} takes the matching over`, (copy) => {
        copy.job = { node: index, round: copy.job.round + 1 }
        at(copy).look = null
      })
    else if (node.look === null)
      emit(`${name} looks at the job`, (copy) => {
        at(copy).look = { round: copy.job.round, since: copy.now }
      })
  }
}

const canAsk = (state: AgentState, rules: AgentRules): boolean =>
  state.passedUntil <= state.now && rules.canBeAsked(connectedAt(state), statesOf(state))

function offerTo(state: AgentState, rules: AgentRules): string | void {
  if (state.paused || !canAsk(state, rules)) return undefined
  if (state.offer) return 'O: an agent was offered one contact twice'
  if (!state.nodes.some(({ line, row }) => line !== 'none' && row === 'up'))
    return 'D: an agent was asked who has no connection where new work is taken'
  state.offer = { madeAt: state.now, told: false, seen: false, got: false }
  for (const node of state.nodes) node.hint = node.run !== 'down'
  return undefined
}

function push(state: AgentState, node: Node, rules: AgentRules): void {
  node.hint = false
  if (!state.offer) return
  node.push = true
  state.offer.told = true
  if (!rules.seenByEvidence) state.offer.seen = true
}

const outcome = ({ offer, now }: AgentState, rules: AgentRules): ReturnType<typeof offerOutcome> => {
  if (!offer) return 'stands'
  const { madeAt, told, seen } = offer
  const at = { madeAt: madeAt * SECOND, due: (madeAt + DUE_S) * SECOND, told, seen }
  return rules.offerOutcome(at, now * SECOND)
}

function end(state: AgentState, rules: AgentRules): string | void {
  const { offer } = state
  const ended = outcome(state, rules)
  if (!offer) return undefined
  if (ended === 'take-back') state.passedUntil = state.now + PASSED_OVER_S
  state.offer = null
  for (const node of state.nodes) node.hint = node.push = false
  if (ended !== 'pause') return undefined
  state.paused = true
  return offer.got ? undefined : 'P: an agent was paused for an offer that no live connection had'
}

/** What was declared dead enters anew: it has no connections, and no job. */
function wake(state: AgentState, index: number): void {
  const node = state.nodes[index === 0 ? 0 : 1]
  node.run = 'runs'
  node.silent = 0
  if (node.row !== 'dead') return
  Object.assign(node, { row: 'up', line: 'none', hint: false, push: false, look: null })
  if (state.job.node === index) state.job.node = null
}

function second(state: AgentState): string | void {
  state.now += 1
  for (const node of state.nodes) {
    node.silent = node.run === 'runs' ? 0 : Math.min(LEASE_S, node.silent + 1)
    node.broken = node.line === 'half' ? Math.min(PING_S, node.broken + 1) : 0
  }
  const { offer, now } = state
  if (offer && !offer.told && (now - offer.madeAt) * SECOND > UNTOLD_MS && state.nodes.some(isServing))
    return 'E: an offer stands that nobody was told'
  return undefined
}

const isServing = ({ run, row }: Node): boolean => run === 'runs' && row !== 'dead'

/** Times count from now, as far as they still matter. */
function tidy(state: AgentState): AgentState {
  const { now, offer, nodes } = state
  const past = (at: number): number => Math.max(-DUE_S, at - now)
  if (offer) offer.madeAt = past(offer.madeAt)
  state.passedUntil = Math.max(0, state.passedUntil - now)
  for (const node of nodes) {
    if (node.look) node.look = { round: node.look.round - state.job.round, since: past(node.look.since) }
    if (node.round !== null) node.round = Math.max(-2, node.round - state.job.round)
    if (node.look && node.look.round < 0) node.look = null
    if (node.line === 'none') node.push = false
  }
  state.job.round = 0
  state.now = 0
  return state
}
