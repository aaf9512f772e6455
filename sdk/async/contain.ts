/** Runs code of somebody else: what it throws is told to the page, and gets no further. */
export function contain(run: () => void): void {
  try {
    run()
  } catch (thrown) {
    reportThrown(thrown)
  }
}

/** The page is told of what the application's own code threw, as of any uncaught error. */
export function reportThrown(thrown: unknown): void {
  if (typeof reportError === 'function') reportError(thrown)
}
