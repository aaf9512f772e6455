import { ContactError, LIMITS, hasNul, toContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import { copyOf } from '../values/copy.ts'

/**
 * The outcome of an operation, which begins at once, as a Promise and, where one is given, through a
 * Node-style callback.
 * The Promise may be ignored; with a callback it never rejects.
 */
export function settle<T>(
  operation: string,
  run: () => T | Promise<T>,
  callback?: ((error: ContactError | null, result?: T) => void) | null,
): Promise<T> {
  const coded = theirs(run).catch((thrown: unknown) => {
    throw toContactError(thrown, 'internal', `unable to ${operation}; something unexpected happened`)
  })
  return handOver(coded, callback)
}

/** As {@link settle}, of what runs already and whose failures are what they are. */
export function handOver<T, E>(
  outcome: Promise<T>,
  callback?: ((error: E | null, result?: T) => void) | null,
): Promise<T> {
  if (typeof callback !== 'function') {
    outcome.catch(() => {})
    return outcome
  }
  const tell = (error: E | null, result?: T): void => {
    try {
      callback(error, result)
    } catch (thrown) {
      reportThrown(thrown)
    }
  }
  return outcome.then(
    (result) => {
      tell(null, result)
      return result
    },
    (error: E) => {
      tell(error)
      return undefined as T
    },
  )
}

/** The page is told of what the application's own code threw, as of any uncaught error. */
export function reportThrown(thrown: unknown): void {
  if (typeof reportError === 'function') reportError(thrown)
}

/** As {@link atOnce}, for an application: what it gets is its own. */
const theirs = async <T>(run: () => T | Promise<T>): Promise<T> => copyOf(await run())

/** Runs at once, inside the caller's click; a throw is a rejection. */
export const atOnce = async <T>(run: () => T | Promise<T>): Promise<T> => await run()

/** Names made of 128 random bits. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

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
  if (bytes !== undefined && new TextEncoder().encode(value).length > bytes)
    throw new ContactError('too_large', `unable to ${operation}; ${name} is longer than ${bytes} bytes`)
}

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

/** A Promise that is settled from outside; nobody has to listen to it. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export function deferred(): Deferred {
  let [resolve, reject]: [() => void, (reason: unknown) => void] = [() => {}, () => {}]
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
