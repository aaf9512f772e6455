/**
 * One event at one page: its production machine takes it, what the machine asks for happens, and what must
 * hold of it is checked.
 */
import { createActor } from 'xstate'
import type { AnyActorScope } from 'xstate'
import type { EngineCommand, MediaEmitted, MediaEvent, WriteCommand } from '../../machines/index.ts'
import type { UnsentEntry } from '../../protocol/index.ts'
import { knowledgeFault, oracleFault, promiseFault } from './checks.ts'
import { commandFault, obeying } from './engine-commands.ts'
import { LIFETIMES, isIn, isOwnName, publicState, spoken, transmissions } from './local.ts'
import type { Cause, Local, Outcome, Production } from './local.ts'
import { RESTORE_WITHIN_MS, offerFault, returnFault } from './pending.ts'
import { decided, verdictOfEvent } from './verdict.ts'
import { letterFault, writing } from './writing.ts'

interface Action {
  readonly type: string
  readonly params?: unknown
}

/** An event reaches a page's machine; what the machine asks for happens. */
export function send(
  production: Production,
  local: Local,
  event: MediaEvent | { readonly type: string },
): Outcome {
  const actions: Action[] = []
  const scope = {
    ...scopeOf(production, local),
    actionExecutor: (action: Action) => void actions.push(action),
  }
  const snapshot = production.machines.mediaMachine.transition(
    local.snapshot,
    event as MediaEvent,
    scope as never,
  )
  const judged = decided(local, verdictOfEvent(local, event), event.type === 'engine.failed')
  const entered =
    event.type === 'log.slotHeld' && isIn(local, 'init', 'announcing') ? entering(production, local) : {}
  return carryOut(production, { ...judged, ...entered, snapshot }, actions, {
    event: event.type,
    before: local,
  })
}

/** What needs no remote runs already when a page takes its slot, and is agreed to. */
function entering({ protocol: { algebra } }: Production, { shared }: Local): Partial<Local> {
  const carried = algebra.nativeOnly(shared.media)
  return { carried, agreed: spoken(carried) }
}

const scopes = new WeakMap<Production, AnyActorScope>()

/** What XState's `transition` makes anew for every call: it dominated the search. */
function scopeOf(production: Production, { slot, session, shared }: Local): AnyActorScope {
  const known = scopes.get(production)
  if (known) return known
  const self = createActor(production.machines.mediaMachine, {
    input: {
      slot,
      session,
      shared,
      gone: null,
      offerLifetime: 60_000,
      capabilities: { Media: {}, Mobile: false },
    },
  })
  const nothing = (): void => {}
  const scope: AnyActorScope = {
    self,
    id: '',
    sessionId: '',
    system: self.system,
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor: nothing,
  }
  scopes.set(production, scope)
  return scope
}

export function carryOut(
  production: Production,
  local: Local,
  actions: readonly Action[],
  cause: Cause = { event: '', before: null },
): Outcome {
  const turn = new Turn(production, local, cause)
  for (const action of actions) turn.does(action)
  turn.forget()
  const fault =
    turn.fault ??
    promiseFault(turn.local) ??
    oracleFault(production, turn.local) ??
    knowledgeFault(production, turn.local)
  return {
    local: turn.local,
    letters: turn.letters,
    settled: turn.settled,
    fault: fault ?? turn.changeFault(),
  }
}

class Turn {
  readonly letters: UnsentEntry[] = []
  readonly settled: string[] = []
  local: Local
  fault: string | null = null

  readonly #production: Production
  readonly #cause: Cause
  /** Changes of media that the application is told. */
  readonly #changes: Extract<MediaEmitted, { type: 'media.changed' }>[] = []
  /** The call that was to come back is told of, or has ended with the page's part. */
  #isCallTold = false

  constructor(production: Production, local: Local, cause: Cause) {
    this.#production = production
    this.local = local
    this.#cause = cause
  }

  does({ type, params }: Action): void {
    if (type === 'xstate.sendTo')
      this.#sent((params as { readonly event: WriteCommand | EngineCommand }).event)
    if (type === 'xstate.raise')
      this.#raised(params as { readonly event: { readonly type: string }; readonly delay?: number })
    if (type === 'xstate.cancel') this.#disarmed((params as { readonly sendId: string }).sendId)
    if (type === 'xstate.emit') this.#emitted((params as { readonly event: MediaEmitted }).event)
  }

  #set(change: Partial<Local>): void {
    this.local = { ...this.local, ...change }
  }

  #check(fault: string | null): void {
    this.fault ??= fault
  }

  #sent(command: WriteCommand | EngineCommand): void {
    if (command.type !== 'log.write') {
      this.#check(commandFault(this.#production, this.local, this.#cause, command))
      return this.#set(obeying(this.local, command))
    }
    const { entry } = command
    this.letters.push(entry)
    this.#check(letterFault(this.#production, this.local, this.#cause, entry))
    this.#set(writing(this.local, entry))
  }

  /** A timer is armed, or the machine begins an offer by itself. */
  #raised({ event, delay }: { readonly event: { readonly type: string }; readonly delay?: number }): void {
    if (event.type === 'media.offer') return this.#offers(event as OfferEvent)
    if (delay === undefined) return
    const limit = limitOf(this.local, event.type)
    if (delay !== limit)
      this.#check(`limits: ${this.local.session} waits ${delay} ms, not ${limit}, for ${event.type}`)
    this.#set({ timers: [...this.local.timers.filter((one) => one !== event.type), event.type] })
  }

  /** An offer that the machine makes by itself is agreed to: its user has asked for it before. */
  #offers(event: OfferEvent): void {
    this.#check(offerFault(this.#production, this.local, event))
    const most = spoken(this.#production.protocol.algebra.mostOf(event.offer))
    const { agreed, window } = this.local
    this.#set({
      agreed: [...new Set([...agreed, ...most])],
      window: event.restore ? window : window.filter((one) => most.includes(one)),
    })
  }

  #disarmed(id: string): void {
    const type = TIMERS[id] ?? id
    this.#set({ timers: this.local.timers.filter((one) => one !== type) })
  }

  #emitted(event: MediaEmitted): void {
    const { session } = this.local
    switch (event.type) {
      case 'media.asked':
        return this.#asked(event.ref)
      case 'media.changed':
        return void this.#changes.push(event)
      case 'consent.missing':
        return this.#check(`I2 ${session} refuses a transition that it agreed to`)
      case 'offer.settled':
        return this.#settles(event)
      case 'call.restored':
        this.#check(returnFault(this.local, event))
        this.#isCallTold = true
        return
      case 'offer.decided':
        return this.#set({ isFirstDecided: true, memory: { ...this.local.memory, isFirstDue: false } })
      case 'engine.lost':
      case 'call.restoring':
    }
  }

  /** I8, and MED-29: what may come back unasked is not asked about. */
  #asked(ref: number): void {
    const { asked, session, slot, shared, window } = this.local
    const { phase, media } = shared
    if (phase.name !== 'offered' || phase.ref !== ref || phase.by === slot)
      return this.#check(`I8 ${session} asks about an offer that is over`)
    if (asked.includes(ref)) this.#check(`I8 ${session} asks twice about an offer`)
    const may = [...window, ...transmissions(media, true)]
    const { mostOf } = this.#production.protocol.algebra
    if (phase.restore && transmissions(mostOf(phase.offer), true).every((one) => may.includes(one)))
      this.#check(`restore: ${session} asks about what may come back unasked`)
    this.#set({ asked: [...asked, ref] })
  }

  /** I3: once, and with what ended the offer first. */
  #settles({ id, outcome }: Extract<MediaEmitted, { type: 'offer.settled' }>): void {
    const { pending, session, verdict } = this.local
    const is = outcome.ok ? 'ok' : outcome.code
    if (is !== verdict)
      this.#check(
        `I3 ${id} settles with ${is}; ${verdict === null ? 'nothing has ended it' : `what ended it is ${verdict}`}`,
      )
    this.#set({ verdict: null })
    if (isOwnName(this.local, id)) {
      this.#isCallTold ||= is === 'left'
      return
    }
    if (!pending.includes(id)) this.#check(`I3 ${id} settles twice`)
    this.settled.push(`${session} ${outcome.ok ? `ok ${JSON.stringify(outcome.answer)}` : outcome.code}`)
    this.#set({ pending: pending.filter((one) => one !== id) })
  }

  /** What is agreed to shrinks when a page is idle: to what runs, and what an absence has cut. */
  forget(): void {
    const { agreed, window, shared, lost, carried, gaveUp } = this.local
    if (gaveUp !== null && (shared.phase.name !== 'transiting' || shared.phase.ref !== gaveUp))
      this.#set({ gaveUp: null })
    const still = lost.filter((one) => carried[one]?.tx === true || shared.media[one]?.tx === true)
    if (still.length < lost.length) this.#set({ lost: still })
    if (this.local.asked.length > 0 && publicState(this.local) === 'init') this.#set({ asked: [] })
    this.#forgetCall()
    if (agreed.length === 0 || publicState(this.local) !== 'idle') return
    const running = spoken(shared.media)
    this.#set({ agreed: agreed.filter((one) => running.includes(one) || window.includes(one)) })
  }

  /** A call that does not come back any more is told of, unless it is over or its page is. */
  #forgetCall(): void {
    const { comesBack, snapshot, session } = this.local
    if (!comesBack || snapshot.context.interruptedMedia) return
    if (!this.#isCallTold && !comesBack.isOver && !isIn(this.local, 'init', 'closed'))
      this.#check(`pending: ${session} does not tell that its call is not back`)
    this.#set({ comesBack: null })
  }

  /** The application is told each change of media, once. */
  changeFault(): string | null {
    const { algebra } = this.#production.protocol
    const before = this.#cause.before?.snapshot.context.shared.media
    const after = this.local.snapshot.context.shared.media
    const [change, more] = this.#changes
    const { session } = this.local
    if (!before || algebra.sameMedia(before, after))
      return change ? `changes: ${session} tells a change of media that is none` : null
    const told =
      change && !more && algebra.sameMedia(change.from, before) && algebra.sameMedia(change.to, after)
    return told ? null : `changes: ${session} does not tell how media have changed`
  }
}

type OfferEvent = Extract<MediaEvent, { type: 'media.offer' }>

/** Events that are raised later, by the names of their timers; other timers have the name of their event. */
const TIMERS: Readonly<Record<string, string>> = { window: 'window.closed', late: 'call.late' }

/** The limits of docs/negotiation.md. */
function limitOf({ shared: { phase }, slot }: Local, type: string): number {
  if (type.includes('offerLifetime')) return LIFETIMES[slot]
  if (type.includes('answerLimit')) return phase.name === 'offered' ? phase.lifetime + 5_000 : 0
  if (type.includes('successionLimit')) return 1_000
  if (type === 'call.late') return RESTORE_WITHIN_MS
  return type === 'window.closed' ? 60_000 : 30_000
}
