/** The page, its connections, and the timer of its absence. */
import type { Emit } from './moves.ts'
import { lose } from './nodes.ts'
import { observationOf, statesOf } from './rules.ts'
import type { Rules } from './rules.ts'
import { TICKS, currentLine, isIntact, isLivePage, isOpen, reachesStore } from './state.ts'
import type { Line, Machine, State } from './state.ts'

const MACHINES = [0, 1] as const

/** What the page does by itself. */
export function pageMoves(state: State, writes: number, emit: Emit): void {
  const line = currentLine(state)
  if (!state.page.alive) return
  if (!line && !state.page.away)
    for (const at of MACHINES)
      if (isOpen(state, state.machines[at]))
        emit(`the page connects to ${state.machines[at].node}`, 'fair', (copy) => connect(copy, at))
  if (line && !isIntact(state, line))
    emit('the page notices the loss', 'fair', (copy) => closeClient(currentLine(copy)))
  const next = Math.max(line?.last ?? 0, state.page.acked) + 1
  if (line?.answered && line.client === 'open' && line.server === 'open' && next <= writes)
    emit(`the page writes ${next}`, 'fair', (copy) => {
      const own = currentLine(copy)
      if (!own) return
      if (own.first === 0 || own.first > own.last) own.first = next
      own.last = next
    })
}

export function pageFaults(state: State, emit: Emit): void {
  const { page } = state
  if (!page.alive) return
  if (page.away) emit('the page has its network back', 'mend', (copy) => void (copy.page.away = false))
  if (currentLine(state)?.client === 'open') {
    emit('the connection is cut', 'cut', (copy) =>
      Object.assign(currentLine(copy) ?? {}, { client: 'half', broken: 0 }),
    )
    emit('the page drops its connection', 'drop', (copy) => closeClient(currentLine(copy)))
  }
  if (!page.away)
    emit('the page has no network', 'away', (copy) => {
      copy.page.away = true
      closeClient(currentLine(copy))
    })
  emit('the page is gone', 'die', (copy) => {
    copy.page.alive = copy.page.away = false
    closeClient(currentLine(copy))
  })
}

function closeClient(line: Line | undefined): void {
  if (line) Object.assign(line, { client: 'gone', broken: 0 })
}

/** The page counts its openings. */
function connect(state: State, at: number): void {
  const { session, lines } = state
  const opening = 1 + Math.max(session.epoch, session.lastEpoch, ...lines.map((line) => line.opening))
  lines.push({
    ...{ at, server: 'open', client: 'open', opened: false, answered: false, opening },
    ...{ first: 0, last: 0, broken: 0 },
  })
  state.page.atDoor = false
}

/** What nodes do with the page's connections. */
export function lineMoves(state: State, rules: Rules, emit: Emit): void {
  state.lines.forEach((line, index) => {
    const machine = state.machines[line.at]
    if (!machine || machine.run !== 'runs') return
    const onLine = (work: (copy: State, own: Line, at: Machine) => string | void) => (copy: State) => {
      const [own, at] = [copy.lines[index], copy.machines[line.at]]
      return own && at ? work(copy, own, at) : undefined
    }
    const isStoreNear = reachesStore(state, machine)
    if (line.server === 'open' && isStoreNear && !line.opened)
      emit(
        `${machine.node} opens the session`,
        'fair',
        onLine((copy, own, at) => open(copy, own, { at, rules })),
      )
    if (line.server === 'open' && isStoreNear && line.opened && line.first > 0)
      emit(
        `${machine.node} appends ${line.first}`,
        'fair',
        onLine((copy, own) => append(copy, own, rules)),
      )
    if (line.server === 'open' && line.client !== 'open')
      emit(
        `${machine.node} notices the loss`,
        'fair',
        onLine((_copy, own) => {
          own.server = own.opened ? 'losing' : 'gone'
        }),
      )
    if (line.server === 'losing' && isStoreNear)
      emit(
        `${machine.node} notes the loss`,
        'fair',
        onLine((copy, own) => noteLoss(copy, own, rules)),
      )
  })
}

function open(state: State, line: Line, { at, rules }: { at: Machine; rules: Rules }): string | void {
  const { session } = state
  if (session.left) {
    Object.assign(line, { server: 'gone', answered: false })
    state.page.alive = false
    return
  }
  const place = rules.placeAfterOpening(session, { node: at.node, opening: line.opening }, statesOf(state))
  if (!place) {
    line.server = 'gone'
    return
  }
  const newest = currentLine(state)
  const takes = isLivePage(state) && line !== newest && newest?.opened === true
  Object.assign(session, place)
  if (rules.opensTakeTimer) state.timer = null
  Object.assign(line, { opened: true, answered: line.client === 'open', opening: place.epoch })
  if (takes) return 'X: the newest connection of a page was superseded by an older one'
}

function append(state: State, line: Line, rules: Rules): string | void {
  const { session, page } = state
  const message = line.first
  line.first = message < line.last ? message + 1 : 0
  if (message > session.counter) {
    if (session.left) return
    if (!rules.mayAppend(session, line.opening)) {
      line.server = 'gone'
      return
    }
    if (message !== session.counter + 1) return
    const isOlder = line.opening < session.lastEpoch
    session.lastEpoch = line.opening
    session.counter = message
    if (isOlder) return 'F: an append of an older epoch was taken after one of a newer'
  }
  if (line.client === 'open') page.acked = Math.max(page.acked, message)
}

function noteLoss(state: State, line: Line, rules: Rules): string | void {
  const { session } = state
  line.server = 'gone'
  if (session.left || session.node === null || !rules.isLoss(session, line.opening)) return
  const newest = currentLine(state)
  const isLive = isIntact(state, newest) && newest?.answered && newest.opening === session.epoch
  lose(state)
  if (isLive) return 'U: a session counts as lost whose newest connection lives'
}

/** The timer of the absence. */
export function timerMoves(state: State, rules: Rules, emit: Emit): void {
  for (const at of MACHINES) {
    const machine = state.machines[at]
    if (canClaim(state, machine, rules))
      emit(`${machine.node} claims the timer`, 'fair', (copy) => {
        copy.machines[at].claim = true
        if (copy.timer) copy.timer.owner = machine.node
      })
    if (canRing(state, machine, rules))
      emit(`${machine.node} carries the timer out`, 'fair', (copy) => ring(copy, copy.machines[at], rules))
  }
}

export const canClaim = (state: State, machine: Machine, rules: Rules): boolean =>
  machine.run === 'runs' &&
  reachesStore(state, machine) &&
  state.timer?.left === 0 &&
  !machine.claim &&
  rules.mayClaim(
    { owner: state.timer.owner, isAbsence: true },
    statesOf(state),
    rules.isSettled(observationOf(machine), 0),
  )

export const canRing = (state: State, machine: Machine, rules: Rules): boolean =>
  machine.run === 'runs' &&
  reachesStore(state, machine) &&
  machine.claim &&
  (!rules.settledAtEffect || rules.isSettled(observationOf(machine), 0))

function ring(state: State, machine: Machine, rules: Rules): string | void {
  const { session } = state
  machine.claim = false
  const isDue = state.timer?.left === 0
  if (rules.takesTimer && !isDue) return
  if (isDue) state.timer = null
  if (session.left || (session.node !== null && rules.takesTimer)) return
  const [isLive, gone] = [isLivePage(state), session.gone]
  Object.assign(session, { left: true, node: null })
  if (isLive) return 'L: a live session was declared left'
  if (gone < TICKS.grace) return 'G: a session was declared left before its grace was over'
}
