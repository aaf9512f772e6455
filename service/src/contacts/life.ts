import { initialTransition, transition } from 'xstate'
import { contactMachine } from './contact.machine.ts'
import type { ContactSnapshot } from './contact.machine.ts'
import type { ContactContext, ContactEffect, ContactEvent, ContactInput } from './contact.types.ts'

/** A contact's life as it stands in its row. */
export interface StoredLife {
  readonly value: ContactSnapshot['value']
  readonly context: ContactContext
}

export interface LifeStep {
  readonly life: StoredLife
  readonly effects: readonly ContactEffect[]
}

const KNOWN: ReadonlySet<string> = new Set([
  'writeLeft',
  'writeAssigned',
  'writeJoined',
  'writeDeclined',
  'refuse',
  'writeTransferred',
  'writeCleared',
  'schedule',
  'cancel',
  'scheduleGrace',
  'cancelGrace',
  'cancelAll',
  'succeed',
])

type Steps = ReturnType<typeof transition<typeof contactMachine>>
const stepOf = ([{ value, context }, actions]: Steps): LifeStep => ({
  life: { value, context },
  effects: actions
    .filter(({ type }) => KNOWN.has(type))
    .map(({ type, params }) => ({ type, params }) as ContactEffect),
})

export const beginLife = (input: ContactInput): LifeStep => stepOf(initialTransition(contactMachine, input))

export function advanceLife({ value, context }: StoredLife, event: ContactEvent): LifeStep {
  return stepOf(transition(contactMachine, contactMachine.resolveState({ value, context }), event))
}

export type LifeName = 'queued' | 'assigned' | 'joined' | 'cleared' | 'transferred'

/** The life in one word, for queries. */
export function lifeName({ value }: StoredLife): LifeName {
  if (typeof value === 'string') return value === 'cleared' ? 'cleared' : 'transferred'
  const { progress } = value.open
  return progress === 'created' ? 'queued' : progress
}

/** Whether the contact has ended, or gone on under another id. */
export const isOver = ({ value }: StoredLife): boolean => typeof value === 'string'

/** Whether the visitor has left for good; one whose connection is lost may come back. */
export const isVisitorGone = ({ value }: StoredLife): boolean =>
  typeof value !== 'string' && value.open.visitor === 'gone'

/** Whether the visitor's part in an open contact is without a connection. */
export const isVisitorAway = ({ value }: StoredLife): boolean =>
  typeof value !== 'string' && value.open.visitor === 'away'

/** Whether the visitor who is away has left something for an agent to answer. */
export const isLeftForLater = ({ isForLater = false, isEmpty = false }: ContactContext): boolean =>
  isForLater && !isEmpty

/** Whether agents may be offered the contact: it is in the queue, and its visitor is there or need not be. */
export const isWaiting = ({ value, context }: StoredLife): boolean =>
  typeof value !== 'string' &&
  value.open.progress === 'queued' &&
  (value.open.visitor === 'here' || isLeftForLater(context))
