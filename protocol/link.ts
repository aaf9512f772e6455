import type { ContactError } from './errors.ts'
import type { CallName, Calls, Push } from './wire.ts'

/** What a connection tells its owner, in order. After `down` nothing follows. */
export type TransportEvent =
  | { readonly type: 'up' }
  | { readonly type: 'push'; readonly push: Push }
  /**
   * The connection is gone, or could not be made. `unauthorized` and `protocol` are final; anything else may
   * be tried again.
   */
  | { readonly type: 'down'; readonly error: ContactError }

/** One connection to the service. */
export interface Connection {
  /**
   * Makes a call.
   *
   * @throws {@link ContactError} `offline` — the connection went before the answer came: the call may or
   *   may not have been carried out.
   * @throws {@link ContactError} any code that the service answers.
   */
  call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']>
  /** Ends the connection; idempotent; no event follows. */
  close(): void
}

/** A way to reach the service. It makes one attempt at a time and never reconnects by itself. */
export interface Transport {
  /** Starts one connection. Never throws: what fails is told as `down`. */
  connect(onEvent: (event: TransportEvent) => void): Connection
}

/** Time from outside, so that tests and replays can make it. */
export interface Clock {
  /** Monotonic, milliseconds. */
  now(): number
  /** Calls `run` once, `delayMs` milliseconds from now; gives what {@link Clock.clearTimeout} takes. */
  setTimeout(run: () => void, delayMs: number): unknown
  /** Keeps a timer from running; idempotent. */
  clearTimeout(handle: unknown): void
}
