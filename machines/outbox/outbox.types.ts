/** Context of the outbox machine: plain data. What waits stands in the outbox itself, with its Promises. */
export interface OutboxContext {
  /** When the same entries may be sent again, milliseconds from the refusal. */
  readonly retryAfterMs: number
}

/** What a batch came to: the pause that the service wants before the next, null for none. */
export interface BatchOutcome {
  readonly retryAfterMs: number | null
}

/** What the outbox machine is told. */
export type OutboxEvent =
  /** Something waits to be sent. */
  | { readonly type: 'mail.waiting' }
  /** The contact's channel is open. */
  | { readonly type: 'channel.opened' }
  /** The channel is gone; what waits stays. */
  | { readonly type: 'channel.lost' }
  /** Nothing is sent any more. */
  | { readonly type: 'outbox.close' }
