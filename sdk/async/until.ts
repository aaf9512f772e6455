import { deferred } from '../../protocol/index.ts'

interface Watched<S> {
  getSnapshot(): S
  subscribe(observer: { next: (now: S) => void; complete: () => void; error: () => void }): {
    unsubscribe(): void
  }
}

/** Resolves when a machine is where `isThere` says, or is over. */
export async function until<S>(machine: Watched<S>, isThere: (now: S) => boolean): Promise<void> {
  const { promise, resolve } = deferred()
  // A machine that is over says so before it is subscribed to.
  const watching = machine.subscribe({
    next: (now) => isThere(now) && resolve(),
    complete: resolve,
    error: resolve,
  })
  if (isThere(machine.getSnapshot())) resolve()
  await promise
  watching.unsubscribe()
}
