/** What storage gives; where it is blocked or full, or has garbage, something in its place. */
export function attempt<T>(run: () => T, otherwise: T): T {
  try {
    return run()
  } catch {
    return otherwise
  }
}
