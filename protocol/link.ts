import type { ContactError } from './errors.ts'
import type { CallName, Calls, Push } from './wire.ts'

/** Events of a connection, in order. `down` is the last. */
export type TransportEvent =
  | { readonly type: 'up' }
  | { readonly type: 'push'; readonly push: Push }
  /**
   * The connection ended, or could not be made. `unauthorized` and `protocol` are final; after any other code
   * the owner may connect again.
   */
  | { readonly type: 'down'; readonly error: ContactError }

/** One connection to the service. */
export interface Connection {
  /**
   * Makes a call.
   *
   * @throws {@link ContactError} `offline` — the connection ended before the answer arrived: the service
   *   may or may not have carried the call out.
   * @throws {@link ContactError} any code that the service answers.
   */
  call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']>
  /** Ends the connection; idempotent; no event follows. */
  close(): void
}

/** A way to reach the service. It makes one attempt at a time and never reconnects by itself. */
export interface Transport {
  /** Starts one connection. Never throws: a failure is the event `down`. */
  connect(onEvent: (event: TransportEvent) => void): Connection
}

/** Injected time, so that tests and replays control it. */
export interface Clock {
  /** Monotonic, milliseconds. */
  now(): number
  /** Calls `run` once, `delayMs` milliseconds from now; gives what {@link Clock.clearTimeout} takes. */
  setTimeout(run: () => void, delayMs: number): unknown
  /** Keeps a timer from running; idempotent. */
  clearTimeout(handle: unknown): void
}
