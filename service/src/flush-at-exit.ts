/** What was written last is not lost when the process ends. */

interface Destination {
  flushSync(): void
}

const destinations = new Set<Destination>()

/** Writes out what waits for `destination` when the process ends: one listener of the process does it for all. */
export function flushAtExit(destination: Destination): void {
  if (destinations.size === 0) process.once('exit', flushAll)
  destinations.add(destination)
}

function flushAll(): void {
  for (const destination of destinations)
    try {
      destination.flushSync()
    } catch {
      // There is nothing left to write to.
    }
}
