import * as v from './checks.ts'
import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import { capabilitiesSchema } from './media-schema.ts'
import { pushBodies } from './push-schema.ts'
import { callResults, replySchema } from './reply-schema.ts'
import { hasNul, wellFormed } from './text.ts'
import type { CallName, Calls, Push, PushName } from './wire.ts'

/** How deep a value of an application stands in the message that carries it. */
export const ENVELOPE_DEPTH = 5
/**
 * How deep, wide and long a message may be, before its schema is looked at. What an application gives may be
 * 16 deep.
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

/** The value as its schema has it. @throws {@link ContactError} `too_large`, `invalid_argument` */
export function check<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  operation: string,
): v.InferOutput<S> {
  const fault = shapeFault(value)
  if (fault !== null) throw new ContactError('invalid_argument', `unable to ${operation}; ${fault}`)
  return fit(schema, wellFormed(value), operation)
}

/** The same for a value whose shape need not be looked at. */
export function fit<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  operation: string,
): v.InferOutput<S> {
  const result = v.read(schema, value)
  if (!(result instanceof v.Fault)) return result
  const { isMissing, isSize, path, expected } = result
  // A path and a rule, never the value: messages of errors reach logs.
  throw new ContactError(
    isSize ? 'too_large' : 'invalid_argument',
    `unable to ${operation}; ${path ?? 'the message'} ${isMissing ? 'is missing' : `must be ${expected}`}`,
  )
}

/**
 * Checked capabilities of the application's making.
 *
 * @throws {@link ContactError} `invalid_argument`
 */
export const parseCapabilities = (capabilities: unknown, operation: string): MediaCapabilities =>
  check(capabilitiesSchema, capabilities, operation)

/**
 * The value of a reply.
 *
 * @throws {@link ContactError} what the service answered; `protocol` where the answer is not of the protocol.
 */
export function parseReply<N extends CallName>(name: N, reply: unknown): Calls[N]['result'] {
  const parsed = fromService(() => check(replySchema, reply, `read the answer to ${name}`))
  if (!parsed.ok)
    throw new ContactError(parsed.error.code, parsed.error.message, {
      retryAfterMs: parsed.error.retryAfterMs,
    })
  return fromService(
    () => check(callResults[name], parsed.value, `read the answer to ${name}`) as Calls[N]['result'],
  )
}

/**
 * A checked push; null for one that this version does not know.
 *
 * @throws {@link ContactError} `protocol`
 */
export function parsePush(name: string, body: unknown): Push | null {
  if (!Object.hasOwn(pushBodies, name)) return null
  const known = name as PushName
  return fromService(() => ({ name: known, body: check(pushBodies[known], body, `read ${known}`) }) as Push)
}

function fromService<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ContactError('protocol', (cause as Error).message, { cause })
  }
}
