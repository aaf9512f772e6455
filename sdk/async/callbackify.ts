import { contain } from './contain.ts'

/** As {@link runOperation}, of what runs already and whose failures are what they are. */
export function callbackify<T, E>(
  outcome: Promise<T>,
  callback?: ((error: E | null, result?: T) => void) | null,
): Promise<T> {
  if (typeof callback !== 'function') {
    outcome.catch(() => {})
    return outcome
  }
  const tell = (error: E | null, result?: T): void => contain(() => callback(error, result))
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
