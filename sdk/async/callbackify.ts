/** As {@link runOperation}, of what runs already and whose failures are what they are. */
export function callbackify<T, E>(
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
