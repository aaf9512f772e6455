import { ContactError, LIMITS, hasNul, textBytes, toContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'

/**
 * Whether an argument from the application is a string within a limit.
 * @throws {@link ContactError} `invalid_argument`, `too_large`
 */
export function requireText(
  operation: string,
  value: unknown,
  { name, bytes }: { readonly name: string; readonly bytes?: number },
): asserts value is string {
  if (typeof value !== 'string')
    throw new ContactError('invalid_argument', `unable to ${operation}; ${name} must be a string`)
  if (hasNul(value))
    throw new ContactError('invalid_argument', `unable to ${operation}; ${name} has a NUL character`)
  if (bytes !== undefined && textBytes(value) > bytes)
    throw new ContactError('too_large', `unable to ${operation}; ${name} is longer than ${bytes} bytes`)
}

/** Whether a value is an object that is neither null nor an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What `read` makes of arguments from the application, which may throw when they are looked at.
 * @throws {@link ContactError} `code`, or what `read` throws
 */
export function fromArguments<T>(operation: string, read: () => T, code: ErrorCode = 'invalid_argument'): T {
  try {
    return read()
  } catch (thrown) {
    throw toContactError(thrown, code, `unable to ${operation}; an argument cannot be read`)
  }
}

/**
 * A copy of an argument as JSON carries it, which fits in a frame.
 * @throws {@link ContactError} `invalid_argument`, `too_large`
 */
export function asJson<T>(operation: string, value: T): T {
  const text: unknown = fromArguments(operation, () => JSON.stringify(value, withoutLoss))
  requireText(operation, text, { name: 'the argument as JSON', bytes: LIMITS.frameBytes - 1_024 })
  return JSON.parse(text) as T
}

/** JSON makes null of `NaN` and `Infinity`, which empties a form's field. */
function withoutLoss(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not finite')
  return value
}
