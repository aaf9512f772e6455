/**
 * One event at one page: its production machine takes it, what the machine asks for happens, and what must
 * hold of it is checked.
 */
import { createActor } from 'xstate'
import type { AnyActorScope } from 'xstate'
import type { EngineCommand, MediaEmitted, MediaEvent, WriteCommand } from '../../machines/index.ts'
import type { UnsentEntry, MediaState, PartialMediaState } from '../../protocol/index.ts'
import { knowledgeFault, oracleFault, promiseFault } from './checks.ts'
import { LIFETIMES, OFF, isIn, isOwnName, publicState, spoken, transmissions } from './local.ts'
import type { Local, Outcome, Production } from './local.ts'
import { decided, verdictOfEvent } from './verdict.ts'

interface Action {
  readonly type: string
  readonly params?: unknown
}

interface Cause {
  readonly event: string
  /** The page before the event; null for a new one. */
  readonly before: Local | null
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

  constructor(production: Production, local: Local, cause: Cause) {
    this.#production = production
    this.local = local
    this.#cause = cause
  }

  does({ type, params }: Action): void {
    if (type === 'xstate.sendTo')
      this.#sent((params as { readonly event: WriteCommand | EngineCommand }).event)
    if (type === 'xstate.raise')
      this.#armed(params as { readonly event: { readonly type: string }; readonly delay?: number })
    if (type === 'xstate.cancel') this.#disarmed((params as { readonly sendId: string }).sendId)
    if (type === 'xstate.emit') this.#emitted((params as { readonly event: MediaEmitted }).event)
  }

  #set(change: Partial<Local>): void {
    this.local = { ...this.local, ...change }
  }

  #fail(fault: string): void {
    this.fault ??= fault
  }

  #armed({ event, delay }: { readonly event: { readonly type: string }; readonly delay?: number }): void {
    if (delay === undefined) return
    const limit = this.#limitOf(event.type)
    if (delay !== limit)
      this.#fail(`limits: ${this.local.session} waits ${delay} ms, not ${limit}, for ${event.type}`)
    this.#set({ timers: [...this.local.timers.filter((one) => one !== event.type), event.type] })
  }

  /** The limits of docs/negotiation.md. */
  #limitOf(type: string): number {
    const { phase } = this.local.shared
    if (type.includes('offerLifetime')) return LIFETIMES[this.local.slot]
    if (type.includes('answerLimit')) return phase.name === 'offered' ? phase.lifetime + 5_000 : 0
    if (type.includes('successionLimit')) return 1_000
    return type === 'window.closed' ? 60_000 : 30_000
  }

  #disarmed(id: string): void {
    this.#set({ timers: this.local.timers.filter((one) => one !== (id === 'window' ? 'window.closed' : id)) })
  }

  #sent(command: WriteCommand | EngineCommand): void {
    const { operation, session, carried, blurred } = this.local
    const running = operation ? `${operation.kind} runs` : null
    switch (command.type) {
      case 'log.write':
        return this.#wrote(command.entry)
      case 'engine.prepare':
        if (running) this.#fail(`I4 ${session} prepares engines while ${running}`)
        if (transmissions(command.media).every((one) => transmissions(carried).includes(one)))
          this.#fail(`devices: ${session} acquires what is on already`)
        return this.#set({ operation: { kind: 'prepare', ref: 0, to: null, hangs: false } })
      case 'engine.work':
        if (operation && operation.kind !== 'prepare')
          this.#fail(`I4 ${session} starts engines while ${running}`)
        this.#fits(command)
        if (blurred) this.#fail(`I5 ${session} starts engines of which nobody knows what they carry`)
        if (!this.#production.protocol.algebra.sameMedia(command.from, carried))
          this.#fail(`I5 ${session} starts engines that carry something else than the contact's media`)
        this.#consented(command.to)
        return this.#set({
          operation: { kind: 'work', ref: command.ref, to: command.to, hangs: operation?.hangs ?? false },
        })
      case 'engine.undo':
        this.#consented(command.to)
        if (!operation && !blurred && this.#isNeedless(command.to))
          this.#fail(`engines: ${session} undoes what is as it should be`)
        return this.#set({
          operation: {
            kind: 'undo',
            ref: 0,
            to: command.to,
            hangs: operation?.kind !== 'prepare' && operation?.hangs === true,
          },
          blurred: blurred || operation?.kind === 'work',
        })
      case 'engine.stop':
        return this.#set({ operation: null, carried: OFF, blurred: false, acquired: [] })
    }
  }

  /** Nothing differs, and what is prepared is still needed; who has lost the slot undoes in any case. */
  #isNeedless(to: MediaState): boolean {
    const { event, before } = this.#cause
    const { phase } = this.local.shared
    const wanted =
      phase.name === 'transiting' && phase.ref !== this.local.gaveUp ? transmissions(phase.target) : []
    const gives =
      before?.snapshot.context.prepared.some((one) => !wanted.includes(one)) === true &&
      !isIn(this.local, 'offering', 'undoing')
    return (
      event !== 'log.slotLost' &&
      !gives &&
      this.#production.protocol.algebra.sameMedia(to, this.local.carried)
    )
  }

  /** The engines are told of the transition that stands, and of no other. */
  #fits({ ref, to, wasOffered, restore }: Extract<EngineCommand, { type: 'engine.work' }>): void {
    const { shared, session, slot } = this.local
    const { phase } = shared
    const right =
      phase.name === 'transiting' &&
      phase.ref === ref &&
      phase.restore === restore &&
      wasOffered === (phase.by !== slot)
    if (this.local.gaveUp === ref)
      this.#fail(`engines: ${session} works for a transition that it has given up`)
    if (!right || !this.#production.protocol.algebra.sameMedia(to, phase.target))
      this.#fail(`engines: ${session} works for something else than the transition that stands`)
  }

  /**
   * While the user's click lasts: what a command would transmit has been acquired when it is written, or is
   * being acquired.
   */
  #acquired(letter: UnsentEntry): void {
    if (
      this.#cause.event === 'media.answer'
        ? this.local.operation?.kind === 'prepare'
        : letter.type === 'answer'
    )
      return
    const { carried, snapshot, session } = this.local
    const has = [...transmissions(carried), ...snapshot.context.prepared]
    const wanted =
      letter.type === 'offer'
        ? this.#mostOf(letter.body.offer)
        : letter.type === 'direct'
          ? letter.body.target
          : letter.type === 'answer'
            ? letter.body.answer
            : {}
    if (transmissions(wanted).some((one) => !has.includes(one)))
      this.#fail(`devices: ${session} promises what it has not acquired`)
  }

  /** What is written under an own name must be agreed to; a restore within the window is. */
  #wrote(letter: UnsentEntry): void {
    this.letters.push(letter)
    this.#acquired(letter)
    const { agreed, window, shared } = this.local
    if (letter.type === 'direct' && isOwnName(this.local, letter.id)) {
      if (!this.local.lost) this.#fail(`captures: ${this.local.session} turns off a capture that runs`)
      this.#set({ window: window.filter((one) => transmissions(letter.body.target).includes(one)) })
    }
    if (letter.type === 'offer' && letter.body.lifetime !== LIFETIMES[this.local.slot])
      this.#fail(`limits: an offer of ${this.local.session} says another time than it stands`)
    if (letter.type === 'failed') this.#set({ gaveUp: letter.body.ref })
    if (
      letter.type === 'withdraw' &&
      this.#cause.before?.snapshot.context.own?.cancel &&
      this.#cause.event !== 'log.offering'
    )
      this.#fail(`commands: ${this.local.session} takes an offer back twice`)
    if (letter.type === 'present') this.#waited(letter.body.after)
    if (
      letter.type === 'present' &&
      Object.entries(letter.body.media).some(
        ([medium, engine]) => this.local.carried[medium]?.engine !== engine,
      )
    )
      this.#fail(`present: ${this.local.session} says that it holds what its engines do not carry`)
    if (letter.type !== 'answer') return
    const { phase } = shared
    if (this.#cause.event !== 'media.answer' && !(phase.name === 'offered' && phase.restore))
      this.#fail(`I7 ${this.local.session} answers an offer that nobody was asked about`)
    const given = spoken(letter.body.answer)
    const open = new Set([...agreed, ...window, ...spoken(shared.media)])
    if (given.some((one) => !open.has(one)))
      this.#fail(`I7 ${this.local.session} answers with what nobody here agreed to`)
    this.#set({ agreed: [...new Set([...agreed, ...given])] })
  }

  /** C4: a slot that another page holds is taken only where that page is gone, or the user wants it. */
  #waited(after: string | null): void {
    const { session, slot, shared, succeeds } = this.local
    if (after === session && shared.session[slot] !== session && this.#cause.before)
      this.#fail(`present: ${session} announces itself again, and takes nothing`)
    if (after !== null && after !== session && after !== succeeds)
      this.#fail(`C4 ${session} takes the slot from ${after}`)
  }

  /** I7: no engine ever gets a transmission that its own side has not agreed to. */
  #consented(to: MediaState): void {
    const { agreed, window, session } = this.local
    const missing = spoken(to).filter((one) => !agreed.includes(one) && !window.includes(one))
    if (missing.length > 0) this.#fail(`I7 ${session} transmits ${missing.join()} without consent`)
  }

  #emitted(event: MediaEmitted): void {
    const { session } = this.local
    switch (event.type) {
      case 'media.asked':
        return this.#asked(event.ref)
      case 'media.changed':
        return void this.#changes.push(event)
      case 'consent.missing':
        return this.#fail(`I2 ${session} refuses a transition that it agreed to`)
      case 'offer.settled':
        return this.#settles(event)
      case 'engine.lost':
      case 'call.restoring':
      case 'call.restored':
      case 'offer.decided':
    }
  }

  /** I8, and MED-29: what may come back unasked is not asked about. */
  #asked(ref: number): void {
    const { asked, session, slot, shared, window } = this.local
    const { phase, media } = shared
    if (phase.name !== 'offered' || phase.ref !== ref || phase.by === slot)
      return this.#fail(`I8 ${session} asks about an offer that is over`)
    if (asked.includes(ref)) this.#fail(`I8 ${session} asks twice about an offer`)
    const may = [...window, ...transmissions(media, true)]
    if (phase.restore && transmissions(this.#mostOf(phase.offer), true).every((one) => may.includes(one)))
      this.#fail(`restore: ${session} asks about what may come back unasked`)
    this.#set({ asked: [...asked, ref] })
  }

  #mostOf = (offer: Parameters<Production['protocol']['algebra']['mostOf']>[0]): PartialMediaState =>
    this.#production.protocol.algebra.mostOf(offer)

  /** I3: once, and with what ended the offer first. */
  #settles({ id, outcome }: Extract<MediaEmitted, { type: 'offer.settled' }>): void {
    const { pending, session, verdict } = this.local
    const is = outcome.ok ? 'ok' : outcome.code
    if (is !== verdict)
      this.#fail(
        `I3 ${id} settles with ${is}; ${verdict === null ? 'nothing has ended it' : `what ended it is ${verdict}`}`,
      )
    this.#set({ verdict: null })
    if (isOwnName(this.local, id)) return
    if (!pending.includes(id)) this.#fail(`I3 ${id} settles twice`)
    this.settled.push(`${session} ${outcome.ok ? `ok ${JSON.stringify(outcome.answer)}` : outcome.code}`)
    this.#set({ pending: pending.filter((one) => one !== id) })
  }

  /** What is agreed to shrinks when a page is idle: to what runs, and what an absence has cut. */
  forget(): void {
    const { agreed, window, shared, lost, carried, gaveUp } = this.local
    if (gaveUp !== null && (shared.phase.name !== 'transiting' || shared.phase.ref !== gaveUp))
      this.#set({ gaveUp: null })
    if (lost && carried.Voice?.tx !== true && shared.media.Voice?.tx !== true) this.#set({ lost: false })
    if (this.local.asked.length > 0 && publicState(this.local) === 'init') this.#set({ asked: [] })
    if (agreed.length === 0 || publicState(this.local) !== 'idle') return
    const running = spoken(shared.media)
    this.#set({ agreed: agreed.filter((one) => running.includes(one) || window.includes(one)) })
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
