import type { JsonValue, Slot } from 'duolog'
import { isRecord } from '../../ui/src/index.ts'

/**
 * A transition that was taken: paths of states such as `offering.sent`, the machine itself is the empty path.
 */
export interface Taken {
  readonly from: string
  readonly to: readonly string[]
}

/** One thing that happened on a party's page, as plain data without what anybody wrote. */
export interface Step {
  /** The page life on which it happened, and its number there. */
  readonly page: string
  readonly number: number
  readonly slot: Slot
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Null: of the page, not of one contact. */
  readonly contact: string | null
  /**
   * `machine`: an event and the snapshot after it. `order`: what a machine asked of an actor. `entry`: what
   * was read of the log. `observed`: which media are seen to flow.
   */
  readonly kind: 'machine' | 'order' | 'entry' | 'observed'
  /** The machine's id, or the actor's. */
  readonly name: string
  readonly event: { readonly type: string; readonly sizeBytes: number; readonly data: JsonValue }
  /** Active states, and the context; only of machines. */
  readonly active: readonly string[]
  readonly context: Readonly<Record<string, JsonValue>> | null
  readonly taken: readonly Taken[]
  /** The machine did nothing with the event. */
  readonly isIgnored: boolean
}

/** What a file holds. */
export interface Recording {
  readonly format: 'duolog-recording'
  readonly version: 1
  readonly steps: readonly Step[]
}

export const toFile = (steps: readonly Step[]): string =>
  JSON.stringify({ format: 'duolog-recording', version: 1, steps } satisfies Recording)

/** @throws Error with what is wrong with the file. */
export function fromFile(text: string): readonly Step[] {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value) || value['format'] !== 'duolog-recording')
    throw new Error('this is no recording of the inspector')
  if (value['version'] !== 1) throw new Error('the recording is of another version')
  const { steps } = value
  if (!Array.isArray(steps) || !steps.every(isStep)) throw new Error('the recording is damaged')
  return steps
}

const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Whether what a step of a kind says can be shown. */
const DATA: Readonly<Record<Step['kind'], (data: unknown) => boolean>> = {
  machine: () => true,
  order: () => true,
  entry: (data) =>
    isRecord(data) &&
    ['seq', 'sizeBytes'].every((key) => typeof data[key] === 'number') &&
    ['entry', 'slot', 'fact'].every((key) => typeof data[key] === 'string') &&
    (data['void'] === null || typeof data['void'] === 'string'),
  observed: (data) =>
    isRecord(data) &&
    typeof data['engine'] === 'string' &&
    isRecord(data['media']) &&
    Object.values(data['media']).every(isRecord),
}

const isKind = (kind: unknown): kind is Step['kind'] => typeof kind === 'string' && Object.hasOwn(DATA, kind)

/** Whether a value from outside can be shown as a step. */
export function isStep(value: unknown): value is Step {
  if (!isRecord(value)) return false
  const { page, number, slot, at, contact, kind, name, event, active, context, taken, isIgnored } = value
  return (
    [page, name].every((one) => typeof one === 'string') &&
    [number, at].every((one) => typeof one === 'number') &&
    (slot === 'visitor' || slot === 'agent') &&
    (contact === null || typeof contact === 'string') &&
    isKind(kind) &&
    isRecord(event) &&
    DATA[kind](event['data']) &&
    typeof event['type'] === 'string' &&
    typeof event['sizeBytes'] === 'number' &&
    isStrings(active) &&
    (context === null || isRecord(context)) &&
    Array.isArray(taken) &&
    taken.every((one) => isRecord(one) && typeof one['from'] === 'string' && isStrings(one['to'])) &&
    typeof isIgnored === 'boolean'
  )
}
