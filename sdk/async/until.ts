import type { AnyActorRef } from 'xstate'

/**
 * Resolves when `holds` is true of an actor: at once, or after one of its next steps; or when the actor is
 * stopped.
 */
export const until = (actor: AnyActorRef, holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    if (holds()) return resolve()
    const watching = actor.subscribe({
      next: () => {
        if (!holds()) return
        watching.unsubscribe()
        resolve()
      },
      complete: resolve,
    })
  })
