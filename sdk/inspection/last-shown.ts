import type { ActorLogic, EventObject, Snapshot } from 'xstate'

type Shown<C> = Snapshot<unknown> & { readonly context: C }

/**
 * What an observer is shown of something that is no machine: an actor whose context is what was told last. As
 * `fromTransition` of XState, which would be in the base.
 */
export const lastShown = <C, E extends EventObject>(
  contextOf: (event: E) => C,
  first: C,
): ActorLogic<Shown<C>, E> => ({
  config: contextOf,
  transition: (snapshot, event) => ({ ...snapshot, context: contextOf(event) }),
  getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined, context: first }),
  getPersistedSnapshot: (snapshot) => snapshot,
})
