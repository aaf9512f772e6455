import type { AnyActorRef } from 'xstate'

/** Resolves when `holds` is true of an actor: at once, or after one of its next steps. */
export const until = (actor: AnyActorRef, holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    if (holds()) return resolve()
    const watching = actor.subscribe(() => {
      if (!holds()) return
      watching.unsubscribe()
      resolve()
    })
  })
