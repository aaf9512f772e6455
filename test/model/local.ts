/** One page life of a party: its production machine, its engines as `sdk/engine-driver.ts` runs them, and what the application and the checker know. */
import { createActor } from 'xstate'
import type { AnyActorScope } from 'xstate'
import type { EngineCommand, MediaEmitted, MediaEvent, MediaSnapshot, WriteCommand } from '../../machines/index.ts'
import type { Letter, MediaState, PartialMediaState, SharedState, Slot } from '../../protocol/index.ts'

/** The modules under test: from the tree, or from a copy with a safeguard taken out. */
export interface Production {
  readonly machines: Pick<typeof import('../../machines/index.ts'), 'mediaMachine' | 'mediaFact'>
  readonly protocol: Pick<typeof import('../../protocol/index.ts'), 'fold' | 'initialSharedState' | 'algebra'>
}

/** What the engines are doing. `hangs`: it never settles; an undo then ends by destroying the engine. */
export interface Operation {
  readonly kind: 'prepare' | 'work' | 'undo'
  readonly ref: number
  readonly to: MediaState | null
  readonly hangs: boolean
}

/** `frozen`: connected, and never does anything again. `closed`: gone, and the service has not noticed. `hostile`: writes what it likes. */
export type Life = 'live' | 'frozen' | 'closed' | 'gone' | 'hostile'

export interface Local {
  readonly slot: Slot
  readonly session: string
  readonly life: Life
  readonly snapshot: MediaSnapshot
  /** The fold of what has been read. */
  readonly shared: SharedState
  /** Types of the delayed events that are armed. */
  readonly timers: readonly string[]
  readonly operation: Operation | null
  readonly carried: MediaState
  /** From now on every work fails. */
  readonly dud: boolean
  /** Offers of the application whose Promise is pending. */
  readonly pending: readonly string[]
  /** Offers that the application has been asked about and has not answered. */
  readonly asked: readonly number[]
  /** Own transmissions that this side has agreed to, as the checker reckons, and those that an absence has cut. */
  readonly agreed: readonly string[]
  readonly window: readonly string[]
}

export interface Outcome {
  readonly local: Local
  readonly letters: readonly Letter[]
  readonly fault: string | null
  /** How Promises of the application were settled. */
  readonly settled: readonly string[]
}

interface Action {
  readonly type: string
  readonly params?: unknown
}

export const publicState = ({ snapshot: { value } }: Local): string => (typeof value === 'string' ? value : (Object.keys(value)[0] ?? ''))

export const isIn = ({ snapshot: { value } }: Local, state: string, substate: string): boolean =>
  typeof value === 'object' && (value as Readonly<Record<string, unknown>>)[state] === substate

/** Own transmissions that need the remote. */
export const transmissions = (media: PartialMediaState): string[] =>
  Object.entries(media).flatMap(([medium, details]) =>
    medium !== 'Sharing' && details?.tx && details.engine !== 'Native' ? [`${medium} ${details.via ?? ''} ${details.engine ?? ''}`] : [],
  )

export const OFF: MediaState = { Sharing: { tx: false, rx: false } }

/** An event reaches a page's machine; what the machine asks for happens. */
export function send(production: Production, local: Local, event: MediaEvent | { readonly type: string }): Outcome {
  const actions: Action[] = []
  const scope = { ...scopeOf(production, local), actionExecutor: (action: Action) => void actions.push(action) }
  const snapshot = production.machines.mediaMachine.transition(local.snapshot, event as MediaEvent, scope as never)
  return carryOut(production, { ...local, snapshot }, actions, event.type)
}

const scopes = new WeakMap<Production, AnyActorScope>()

/** What XState's `transition` makes anew for every call: it dominated the search. */
function scopeOf(production: Production, { slot, session, shared }: Local): AnyActorScope {
  const known = scopes.get(production)
  if (known) return known
  const self = createActor(production.machines.mediaMachine, { input: { slot, session, shared, capabilities: { Media: {}, Mobile: false } } })
  const nothing = (): void => {}
  const scope: AnyActorScope = { self, id: '', sessionId: '', system: self.system, logger: nothing, defer: nothing, emit: nothing, stopChild: nothing, actionExecutor: nothing }
  scopes.set(production, scope)
  return scope
}

export function carryOut(production: Production, local: Local, actions: readonly Action[], cause = ''): Outcome {
  const turn = new Turn(local, cause)
  for (const action of actions) turn.does(action)
  turn.forget()
  return { local: turn.local, letters: turn.letters, settled: turn.settled, fault: turn.fault ?? promiseFault(turn.local) ?? oracleFault(production, turn.local) }
}

class Turn {
  readonly letters: Letter[] = []
  readonly settled: string[] = []
  local: Local
  fault: string | null = null

  /** Type of the event. */
  readonly #cause: string

  constructor(local: Local, cause: string) {
    this.local = local
    this.#cause = cause
  }

  does({ type, params }: Action): void {
    if (type === 'xstate.sendTo') this.#sent((params as { readonly event: WriteCommand | EngineCommand }).event)
    if (type === 'xstate.raise') this.#armed(params as { readonly event: { readonly type: string }; readonly delay?: number })
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
    this.#set({ timers: [...this.local.timers.filter((one) => one !== event.type), event.type] })
  }

  #disarmed(id: string): void {
    this.#set({ timers: this.local.timers.filter((one) => one !== (id === 'window' ? 'window.closed' : id)) })
  }

  #sent(command: WriteCommand | EngineCommand): void {
    const { operation, session } = this.local
    const running = operation ? `${operation.kind} runs` : null
    switch (command.type) {
      case 'log.write':
        return this.#wrote(command.entry)
      case 'engine.prepare':
        if (running) this.#fail(`I4 ${session} prepares engines while ${running}`)
        return this.#set({ operation: { kind: 'prepare', ref: 0, to: null, hangs: false } })
      case 'engine.work':
        if (operation && operation.kind !== 'prepare') this.#fail(`I4 ${session} starts engines while ${running}`)
        this.#consented(command.to)
        return this.#set({ operation: { kind: 'work', ref: command.ref, to: command.to, hangs: operation?.hangs ?? false } })
      case 'engine.undo':
        this.#consented(command.to)
        return this.#set({ operation: { kind: 'undo', ref: 0, to: command.to, hangs: operation?.kind !== 'prepare' && operation?.hangs === true } })
      case 'engine.stop':
        return this.#set({ operation: null, carried: OFF })
    }
  }

  /** What is written under an own name must be agreed to; a restore within the window is. */
  #wrote(letter: Letter): void {
    this.letters.push(letter)
    if (letter.type !== 'answer') return
    const { phase } = this.local.shared
    if (this.#cause !== 'media.answer' && !(phase.name === 'offered' && phase.restore)) this.#fail(`I7 ${this.local.session} answers an offer that nobody was asked about`)
    const given = transmissions(letter.body.answer)
    const { agreed, window, shared } = this.local
    const open = new Set([...agreed, ...window, ...transmissions(shared.media)])
    if (given.some((one) => !open.has(one))) this.#fail(`I7 ${this.local.session} answers with what nobody here agreed to`)
    this.#set({ agreed: [...new Set([...agreed, ...given])] })
  }

  /** I7: no engine ever gets a transmission that its own side has not agreed to. */
  #consented(to: MediaState): void {
    const { agreed, window, session } = this.local
    const missing = transmissions(to).filter((one) => !agreed.includes(one) && !window.includes(one))
    if (missing.length > 0) this.#fail(`I7 ${session} transmits ${missing.join()} without consent`)
  }

  #emitted(event: MediaEmitted): void {
    const { pending, asked, session, slot, snapshot } = this.local
    if (event.type === 'media.asked') {
      const { phase } = snapshot.context.shared
      if (phase.name !== 'offered' || phase.ref !== event.ref || phase.by === slot) this.#fail(`I8 ${session} asks about an offer that is over`)
      if (asked.includes(event.ref)) this.#fail(`I8 ${session} asks twice about an offer`)
      this.#set({ asked: [...asked, event.ref] })
    }
    if (event.type === 'consent.missing') this.#fail(`I2 ${session} refuses a transition that it agreed to`)
    if (event.type === 'offer.settled' && !isOwnName(this.local, event.id)) {
      if (!pending.includes(event.id)) this.#fail(`I3 ${event.id} settles twice`)
      this.settled.push(`${session} ${event.outcome.ok ? `ok ${JSON.stringify(event.outcome.answer)}` : event.outcome.code}`)
      this.#set({ pending: pending.filter((id) => id !== event.id) })
    }
  }

  /** What is agreed to shrinks when a page is idle: to what runs, and what an absence has cut. */
  forget(): void {
    const { agreed, window, shared } = this.local
    if (this.local.asked.length > 0 && publicState(this.local) === 'init') this.#set({ asked: [] })
    if (agreed.length === 0 || publicState(this.local) !== 'idle') return
    const running = transmissions(shared.media)
    this.#set({ agreed: agreed.filter((one) => running.includes(one) || window.includes(one)) })
  }
}

/** A change that the machine makes by itself has no Promise of the application. */
export const isOwnName = ({ session }: Local, id: string): boolean => id.startsWith(`${session}.`)

/** I3: a Promise is pending exactly while its party is offering, or transiting for it. */
function promiseFault(local: Local): string | null {
  const { own } = local.snapshot.context
  const state = publicState(local)
  const waits = own !== null && !isOwnName(local, own.id)
  if (waits !== local.pending.length > 0) return `I3 ${local.session} has ${local.pending.length} pending offers, but its machine ${waits ? 'has one' : 'has none'}`
  if (waits && own.outcome && (isIn(local, 'transiting', 'working') || isIn(local, 'transiting', 'awaiting')))
    return `I3 ${local.session} works for the next transition while an offer that is over is pending`
  if (waits && state !== 'offering' && state !== 'transiting') return `I3 ${local.session} is ${state} with an offer pending`
  return null
}

/** The public state as it can be derived from what is known, first that fits (docs/negotiation.md). */
export function oracle({ protocol: { algebra } }: Production, local: Local): string {
  const { own, engines } = local.snapshot.context
  const { phase, media, session } = local.shared
  if (isIn(local, 'init', 'announcing') || isIn(local, 'init', 'reannouncing') || isIn(local, 'init', 'closed') || session[local.slot] !== local.session) return 'init'
  const unread = own !== null && own.ref === null && own.outcome === null
  if (unread || (phase.name === 'offered' && phase.by === local.slot)) return 'offering'
  const differs = engines === null || !algebra.sameMedia(engines, media)
  if (local.operation !== null || differs || phase.name === 'transiting' || own?.outcome) return 'transiting'
  if (phase.name === 'offered') return local.asked.includes(phase.ref) ? 'offered' : 'transiting'
  return 'idle'
}

function oracleFault(production: Production, local: Local): string | null {
  if (local.life !== 'live') return null
  const [is, should] = [publicState(local), oracle(production, local)]
  return is === should ? null : `oracle: ${local.session} is ${is}, should be ${should} (${JSON.stringify(local.snapshot.value)})`
}
