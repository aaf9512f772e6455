/** Changes of what the media machine does, and of what entries mean to it. */
import { enqueueActions } from 'xstate'
import type { mediaActions } from '../../machines/media/media.actions.ts'
import type * as facts from '../../machines/media/media.facts.ts'
import type {
  EngineCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  MediaFact,
  WriteCommand,
} from '../../machines/index.ts'
import type { Fact, PartyBodies } from '../../protocol/index.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

type Actions = typeof mediaActions
type ActionName = keyof Actions
type Change = readonly Replacement[]
type MediaFactOf = (typeof facts)['mediaFact']

/** What one action does: the change of the context, then what the outbox, the engines and the outside get. */
export interface Step {
  readonly context?: Partial<MediaContext>
  readonly write?: WriteCommand
  readonly engines?: EngineCommand
  readonly emit?: readonly MediaEmitted[]
  /** The window of unasked restores opens anew, or closes. */
  readonly window?: 'open' | 'close'
}
type Act<N extends ActionName> = (
  context: MediaContext,
  event: MediaEvent,
  params: Parameters<Actions[N]>[1],
) => Step

interface Enqueue {
  readonly assign: (change: Partial<MediaContext>) => void
  readonly emit: (event: MediaEmitted) => void
  readonly sendTo: (actor: 'log' | 'engines', event: WriteCommand | EngineCommand) => void
  readonly cancel: (id: 'window') => void
  readonly raise: (
    event: { readonly type: 'window.closed' },
    options: { readonly id: 'window'; readonly delay: 'window' },
  ) => void
}
type Collect<N extends ActionName> = (
  given: { readonly context: MediaContext; readonly event: MediaEvent; readonly enqueue: Enqueue },
  params: Parameters<Actions[N]>[1],
) => void

/** What an action of the machine asks of XState, as data. */
const recorded =
  <N extends ActionName>(action: Actions[N]): Act<N> =>
  (context, event, params) => {
    const step: { -readonly [K in keyof Step]: Step[K] } = {}
    const enqueue: Enqueue = {
      assign: (change) => (step.context = { ...step.context, ...change }),
      emit: (emitted) => (step.emit = [...(step.emit ?? []), emitted]),
      sendTo: (_actor, sent) => (sent.type === 'log.write' ? (step.write = sent) : (step.engines = sent)),
      cancel: () => (step.window = 'close'),
      raise: () => (step.window = 'open'),
    }
    const { collect } = action as unknown as { readonly collect: Collect<N> }
    collect({ context, event, enqueue }, params)
    return step
  }

/** An action of the machine that does what `act` says. */
const played = <N extends ActionName>(act: Act<N>): Actions[N] => {
  const collect: Collect<N> = ({ context, event, enqueue }, params) => {
    const { context: change, write, engines, emit, window } = act(context, event, params)
    if (change) enqueue.assign(change)
    if (window) enqueue.cancel('window')
    if (window === 'open') enqueue.raise({ type: 'window.closed' }, { id: 'window', delay: 'window' })
    for (const emitted of emit ?? []) enqueue.emit(emitted)
    if (write) enqueue.sendTo('log', write)
    if (engines) enqueue.sendTo('engines', engines)
  }
  return enqueueActions(collect as never) as unknown as Actions[N]
}

/** The action does something else. */
export const does = <N extends ActionName>(name: N, by: (real: Act<N>) => Act<N>): Change => [
  replace('actions', 'mediaActions', (real) => {
    if (!Object.hasOwn(real, name)) throw new Error(`the machine has no action ${name}`)
    return { ...real, [name]: played(by(recorded(real[name]))) }
  }),
]

const steps = <N extends ActionName>(
  name: N,
  change: (step: Step, context: MediaContext, event: MediaEvent) => Step,
): Change =>
  does(name, (real) => (context, event, params) => change(real(context, event, params), context, event))

/** The action leaves the context otherwise. */
export const sets = (
  name: ActionName,
  change: (context: MediaContext, event: MediaEvent) => Partial<MediaContext>,
): Change =>
  steps(name, (step, context, event) =>
    step.context ? { ...step, context: { ...step.context, ...change(context, event) } } : step,
  )

/** The action does not ask for `member`. */
export const leavesOut = (name: ActionName, member: keyof Step): Change =>
  steps(name, (step) => Object.fromEntries(Object.entries(step).filter(([key]) => key !== member)) as Step)

/** The action emits only what `tells` lets through. */
export const emits = (name: ActionName, tells: (emitted: MediaEmitted) => boolean): Change =>
  steps(name, (step) => ({ ...step, emit: (step.emit ?? []).filter(tells) }))

/** The action writes something else into the log. */
export const says = <T extends keyof PartyBodies>(
  name: ActionName,
  type: T,
  change: (body: PartyBodies[T], context: MediaContext, event: MediaEvent) => PartyBodies[T],
): Change =>
  steps(name, (step, context, event) => {
    const entry = step.write?.entry
    return entry?.type === type
      ? {
          ...step,
          write: {
            type: 'log.write',
            entry: { ...entry, body: change(entry.body as PartyBodies[T], context, event) },
          } as WriteCommand,
        }
      : step
  })

/** The action asks something else of the engines. */
export const commands = <T extends EngineCommand['type']>(
  name: ActionName,
  type: T,
  change: (command: Extract<EngineCommand, { type: T }>, context: MediaContext) => EngineCommand,
): Change =>
  steps(name, (step, context) =>
    step.engines?.type === type
      ? { ...step, engines: change(step.engines as Extract<EngineCommand, { type: T }>, context) }
      : step,
  )

export const reads = (by: (real: MediaFactOf) => MediaFactOf): Change => [replace('facts', 'mediaFact', by)]

/**
 * Entries with the effect `kind` that are `type` to a party are taken for something else; `held`: its session
 * held the slot.
 */
export const takesFor = (
  kind: Fact['kind'],
  type: MediaFact['type'],
  other: (held: boolean) => 'log.slotLost' | 'log.slotFreed' | 'log.partyChanged',
): Change =>
  reads((real) => (reading, me) => {
    const fact = real(reading, me)
    return reading.fact.kind === kind && fact?.type === type
      ? { type: other(reading.before.session[me.slot] === me.session), shared: reading.shared }
      : fact
  })
