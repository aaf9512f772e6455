interface Watched<S> {
  getSnapshot(): S
  subscribe(observer: { next: (now: S) => void; complete: () => void; error: () => void }): {
    unsubscribe(): void
  }
}

/** Resolves when a machine is where `isThere` says, or is over. */
export const until = <S>(machine: Watched<S>, isThere: (now: S) => boolean): Promise<void> =>
  new Promise((resolve) => {
    if (isThere(machine.getSnapshot())) return resolve()
    let watching: { unsubscribe(): void } | undefined
    const end = (): void => {
      watching?.unsubscribe()
      resolve()
    }
    watching = machine.subscribe({ next: (now) => isThere(now) && end(), complete: end, error: end })
  })
