/** Changes of what the media machine does, and of what entries mean to it. */
import type * as actions from '../../machines/media/media.actions.ts'
import type * as facts from '../../machines/media/media.facts.ts'
import type { Step } from '../../machines/media/media.actions.ts'
import type {
  EngineCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  MediaFact,
} from '../../machines/index.ts'
import type { Fact, PartyBodies } from '../../protocol/index.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

type Actions = typeof actions
type Change = readonly Replacement[]
type Action = (context: MediaContext, event: MediaEvent) => Step
type ActionName = {
  [N in keyof Actions]: Actions[N] extends Action ? (Action extends Actions[N] ? N : never) : never
}[keyof Actions]
type MediaFactOf = (typeof facts)['mediaFact']

export const does = <N extends keyof Actions>(name: N, by: (real: Actions[N]) => Actions[N]): Change => [
  replace('actions', name, by),
]

const steps = (
  name: ActionName,
  change: (step: Step, context: MediaContext, event: MediaEvent) => Step,
): Change => does(name, (real) => (context, event) => change(real(context, event), context, event))

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
          } as Step['write'] & object,
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
