import { copyOf, toContactError } from '../../protocol/index.ts'
import type { ContactError } from '../../protocol/index.ts'
import { callbackify } from './callbackify.ts'

/**
 * The outcome of an operation, which begins at once, as a Promise and, where one is given, through a
 * Node-style callback.
 * The Promise may be ignored; with a callback it never rejects.
 */
export function runOperation<T>(
  operation: string,
  run: () => T | Promise<T>,
  callback?: ((error: ContactError | null, result?: T) => void) | null,
): Promise<T> {
  const coded = theirs(run).catch((thrown: unknown) => {
    throw toContactError(thrown, 'internal', `unable to ${operation}; something unexpected happened`)
  })
  return callbackify(coded, callback)
}

/** As {@link atOnce}, for an application: what it gets is its own. */
const theirs = async <T>(run: () => T | Promise<T>): Promise<T> => copyOf(await run())
