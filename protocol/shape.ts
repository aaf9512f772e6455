/** The shape that every value on the wire has, whatever its schema says. */
import { hasNul } from './text.ts'

/**
 * How deep a value of an application stands in the message that carries it deepest: a member of a form's
 * field in the answer to `agent.contacts`.
 */
export const ENVELOPE_DEPTH = 8
/**
 * How deep, wide and long a message may be, before its schema is looked at. What an application gives may be
 * 16 deep, in whichever message it stands.
 */
const SHAPE = { depth: ENVELOPE_DEPTH + 16, keys: 256, items: 1024 } as const
/** Keys that reach the prototype of an object. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const WITH_NUL = 'it has a NUL character'

/** Why a value from `JSON.parse` may not come further, or null. */
export function shapeFault(value: unknown, depth = 0): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'it has a number that is not finite'
  if (typeof value === 'string') return hasNul(value) ? WITH_NUL : null
  if (typeof value !== 'object' || value === null)
    return typeof value === 'boolean' || value === null ? null : 'it has a value that is not JSON'
  if (ArrayBuffer.isView(value)) return 'it has bytes'
  if (depth >= SHAPE.depth) return 'it is nested too deep'
  if (Array.isArray(value)) {
    if (value.length > SHAPE.items) return `it has more than ${SHAPE.items} items`
    return firstFault(value, depth)
  }
  const keys = Object.keys(value)
  if (keys.length > SHAPE.keys) return `it has more than ${SHAPE.keys} keys`
  if (keys.some(hasNul)) return WITH_NUL
  const forbidden = keys.find((key) => FORBIDDEN_KEYS.has(key))
  return forbidden === undefined ? firstFault(Object.values(value), depth) : `it has a key named ${forbidden}`
}

function firstFault(values: readonly unknown[], depth: number): string | null {
  for (const value of values) {
    const fault = shapeFault(value, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** Whether an application may give a value. */
export const isGivable = (value: unknown): boolean =>
  value !== undefined && shapeFault(value, ENVELOPE_DEPTH) === null
