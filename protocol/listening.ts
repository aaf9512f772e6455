/** How an event is listened to. */
export interface ListenOptions {
  /** The handler is taken off when this is aborted; one that is aborted already takes none. */
  readonly signal?: AbortSignal
}

/** Takes the handler off that `on` or `once` was given with it. Idempotent. */
export type Unsubscribe = () => void
