import type { Clock, JsonValue, Slot } from '../protocol/index.ts'
import type { EngineHost } from './media-engine.ts'

/** What a data pipe may use of its contact. */
export interface DataPipeHost {
  /** This party's slot. The visitor's side makes offers. */
  readonly slot: Slot
  readonly clock: Clock
  /** STUN and TURN servers with credentials that are good for a while. */
  iceServers(): ReturnType<EngineHost['iceServers']>
  /** Sends a signal to the pipe of the other party: in order. */
  signal(data: JsonValue): void
}

/** What a pipe tells its owner. */
export interface DataPipeEvents {
  /** The connection is made. */
  opened(): void
  /** Bytes of one `send` of the other party. */
  message(bytes: Uint8Array): void
  /** The buffer has room again: it is below the low watermark. */
  drained(): void
  /** The connection closed, or could not be made. Data under way may be lost. */
  closed(): void
}

/**
 * A direct connection for data between two parties: ordered, and without loss while it lives. It can be made
 * again and again.
 */
export interface DataPipe {
  readonly isOpen: boolean
  /** Bytes that wait in the browser. */
  readonly bufferedBytes: number
  /** Bytes that one `send` may have. */
  readonly frameBytes: number
  /** Starts to connect where there is no connection. The other party's pipe takes part by itself. */
  connect(): void
  /** A signal of the other party's pipe. */
  receive(signal: JsonValue): void
  /** Sends bytes. @throws if there is no connection */
  send(bytes: Uint8Array<ArrayBuffer>): void
  /** Ends the connection, or the attempt at one; idempotent, no event follows. */
  close(): void
}

/** Makes the pipe of one contact. */
export type MakeDataPipe = (host: DataPipeHost, events: DataPipeEvents) => DataPipe

/** Bytes in the browser's buffer: a sender waits above `high`, and continues below `low`. */
export const PIPE_WATERMARKS = { high: 1_048_576, low: 262_144 } as const
