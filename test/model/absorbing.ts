/** Changes of what the media machine knows after an event, and of the questions that its guards ask. */
import type { absorb } from '../../machines/media/media.absorb.ts'
import type * as rules from '../../machines/media/media.rules.ts'
import type { MediaContext, MediaEvent } from '../../machines/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

type Rules = typeof rules
type Change = readonly Replacement[]
type Question = {
  [N in keyof Rules]: Rules[N] extends (context: MediaContext) => boolean ? N : never
}[keyof Rules]
type Absorb = typeof absorb

/** No media at all. */
export const NOTHING = {} as MediaState

/** Events that end the page's part in the contact. */
export const LEFT = ['log.slotLost', 'log.closed', 'contact.leave'] as const

/** Another rule stands in the place of the exported one. */
export const rule = <N extends keyof Rules>(name: N, by: (real: Rules[N]) => Rules[N]): Change => [
  replace('rules', name, by),
]

/** The question is asked of another context. */
export const believes = (name: Question, instead: (context: MediaContext) => MediaContext): Change =>
  rule(
    name,
    (real) =>
      (context: MediaContext): boolean =>
        (real as (context: MediaContext) => boolean)(instead(context)),
  )

export const absorbs = (by: (real: Absorb) => Absorb): Change => [replace('absorb', 'absorb', by)]

/** The machine knows something else after these events. */
export const knows = (
  types: readonly MediaEvent['type'][],
  change: (next: MediaContext, before: MediaContext) => MediaContext,
): Change =>
  absorbs(
    (real) => (context, event) =>
      types.includes(event.type) ? change(real(context, event), context) : real(context, event),
  )

/** These events do not settle the own offer. */
export const unsettled = (types: readonly MediaEvent['type'][]): Change =>
  absorbs((real) => (context, event) => {
    const next = real(context, event)
    return types.includes(event.type)
      ? { ...next, own: context.own, lostCaptures: real({ ...context, own: null }, event).lostCaptures }
      : next
  })

/** What is prepared is given back although `isNeeded` says that it is needed. */
export const gives = (isNeeded: (context: MediaContext) => boolean): Change =>
  rule('differs', (real) => (context) => real(context) || (context.prepared.length > 0 && isNeeded(context)))
