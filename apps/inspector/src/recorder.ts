import type { Inspect, JsonValue, Slot } from 'duolog'
import { pageChannel } from '../../ui/src/index.ts'
import type { Step, Taken } from './recording.ts'

/** What is read of XState's inspection events. */
interface Inspected {
  readonly type: string
  readonly rootId: string
  readonly actorRef: { readonly id: string; readonly sessionId: string }
  readonly event?: { readonly type: string }
  readonly snapshot?: {
    readonly value?: unknown
    readonly context?: unknown
    readonly machine?: { readonly id: string }
  }
  readonly _transitions?: readonly InspectedTransition[]
}
interface InspectedTransition {
  readonly source: { readonly path: readonly string[] }
  readonly target?: readonly { readonly path: readonly string[] }[]
  readonly actions: readonly unknown[]
}

const CHANNEL = 'duolog-inspector'
/** Actors whose orders are shown, by the name that they get. */
const ORDERED: Readonly<Record<string, string>> = { engines: 'engines', log: 'outbox' }
const LOG_ACTOR = /^log .+$/
const FLOW_ACTOR = /^observed .+$/
/** Root actors of a contact are called `media <contact>`, `log <contact>` … */
const OF_CONTACT = /^\S+ (.+)$/
const MOST_KEPT = 5_000

/** Steps of one page life, given to `onStep` as they happen. */
export function recorder(slot: Slot, onStep: (step: Step) => void): Inspect {
  const page = crypto.randomUUID()
  const transitions = new WeakMap<object, InspectedTransition[]>()
  const contacts = new Map<string, string>()
  const ignored = new Map<string, number>()
  let number = 0
  const add = (step: Omit<Step, 'page' | 'number' | 'slot' | 'at'>): void =>
    onStep({ page, number: ++number, slot, at: performance.timeOrigin + performance.now(), ...step })
  return (raw) => {
    const seen = raw as Inspected
    const { actorRef, rootId } = seen
    const [, named] = actorRef.sessionId === rootId ? (OF_CONTACT.exec(actorRef.id) ?? []) : []
    if (seen.type === '@xstate.actor' && named !== undefined) contacts.set(rootId, named)
    if (seen.type === '@xstate.event') transitions.set(actorRef, [])
    if (seen.type === '@xstate.microstep') transitions.get(actorRef)?.push(...(seen._transitions ?? []))
    const contact = contacts.get(rootId) ?? null
    const message = messageOf(seen)
    if (message) add({ ...NO_STATE, ...message, contact })
    const step = machineStep(seen, transitions.get(actorRef) ?? [])
    if (!step) return
    const count = Number(step.context['ignored'] ?? 0)
    add({ ...step, contact, isIgnored: step.isIgnored || count > (ignored.get(rootId) ?? 0) })
    ignored.set(rootId, count)
  }
}

/** A machine after an event, with the transitions that the event has caused. */
function machineStep({ type, event, snapshot }: Inspected, taken: readonly InspectedTransition[]) {
  const machine = snapshot?.machine?.id
  if (type !== '@xstate.snapshot' || machine === undefined || !event) return null
  return {
    kind: 'machine',
    name: machine,
    event: eventOf(event),
    active: statesOf(snapshot?.value),
    context: plain(snapshot?.context) as Readonly<Record<string, JsonValue>>,
    taken: taken.map(toTaken),
    isIgnored: event.type !== 'xstate.init' && taken.every(doesNothing),
  } as const
}

/** An event that one of the actors without a chart gets: an entry of the log, a flow, or an order. */
function messageOf({
  type,
  event,
  actorRef,
  rootId,
}: Inspected): Pick<Step, 'kind' | 'name' | 'event'> | null {
  if (type !== '@xstate.event' || !event || event.type.startsWith('xstate.')) return null
  if (LOG_ACTOR.test(actorRef.id)) return { kind: 'entry', name: 'log', event: eventOf(event) }
  if (FLOW_ACTOR.test(actorRef.id)) return { kind: 'observed', name: 'media', event: eventOf(event) }
  const name = actorRef.sessionId === rootId ? undefined : ORDERED[actorRef.id]
  return name ? { kind: 'order', name, event: eventOf(event) } : null
}

/**
 * For a page with `?inspect` in its address: the observer that shows its machines to the inspector of the
 * same origin.
 */
export function inspection(slot: Slot): { readonly inspect?: Inspect } {
  if (!new URLSearchParams(globalThis.location?.search).has('inspect')) return {}
  const kept: Step[] = []
  const { send } = pageChannel(CHANNEL, (message) => {
    if (message === 'hello') send(kept)
  })
  const inspect = recorder(slot, (step) => {
    kept.push(step)
    if (kept.length > MOST_KEPT) kept.shift()
    send([step])
  })
  return { inspect }
}

/**
 * Gives the steps of all pages of this origin that are inspected, those so far included.
 * @returns how to stop
 */
export function watchPages(onSteps: (steps: unknown) => void): () => void {
  const { send, close } = pageChannel(CHANNEL, (message) => {
    if (message !== 'hello') onSteps(message)
  })
  send('hello')
  return close
}

const NO_STATE = { active: [], context: null, taken: [], isIgnored: false } as const

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value ?? null)) as JsonValue

/**
 * `shared` is the fold after the entry: the context has it. An `error` is an object that says nothing as
 * JSON.
 */
function eventOf(event: { readonly type: string }): Step['event'] {
  const { type, ...rest } = event
  const text = JSON.stringify(rest, (key, value: unknown) =>
    key === 'shared' ? undefined : value instanceof Error ? value.message : value,
  )
  return { type, sizeBytes: text.length, data: JSON.parse(text) as JsonValue }
}

/**
 * `{ open: { progress: 'queued', visitor: 'here' } }` is `open`, `open.progress`, `open.progress.queued` …
 */
function statesOf(value: unknown, before = ''): string[] {
  if (typeof value === 'string') return [before + value]
  return Object.entries(value ?? {}).flatMap(([key, inner]) => [
    before + key,
    ...statesOf(inner, `${before}${key}.`),
  ])
}

const toTaken = ({ source, target }: InspectedTransition): Taken => ({
  from: source.path.join('.'),
  to: (target ?? []).map(({ path }) => path.join('.')),
})

const isCounting = (action: unknown): boolean =>
  action === 'ignore' || (action as { readonly type?: string } | null)?.type === 'ignore'
const doesNothing = ({ target, actions }: InspectedTransition): boolean =>
  !target?.length && actions.every(isCounting)
