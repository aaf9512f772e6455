/** Options of a handler. */
export interface ListenOptions {
  /** Removes the handler when it is aborted. With a signal that is aborted already no handler is added. */
  readonly signal?: AbortSignal
}

/** Removes the handler that `on` or `once` added. Idempotent. */
export type Unsubscribe = () => void
