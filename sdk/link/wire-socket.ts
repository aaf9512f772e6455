import type { ContactError } from '../../protocol/index.ts'

/** How a socket is opened. */
export interface SocketOptions {
  /** Origin of the service. */
  readonly service: string
  readonly auth: { readonly token: string; readonly protocol: string }
  /** The platform's by default; null: none. */
  readonly WebSocket?: typeof WebSocket | null | undefined
  /** A WebSocket to this service has got through before. */
  readonly isKnown?: boolean
}

/** What a socket tells. Nothing follows `down` and `refused`. */
export interface SocketEvents {
  readonly up: () => void
  /** The service does not accept this party; `answer` is what it said. */
  readonly refused: (answer: unknown) => void
  readonly event: (name: string, body: unknown) => void
  /** `reached`: the service had answered before. */
  readonly down: (error: ContactError, reached: boolean) => void
}

/** One connection that speaks the Socket.IO protocol. */
export interface WireSocket {
  /** `answer` gets the acknowledgement; never, where the connection ends before. */
  readonly emit: (name: string, body: unknown, answer: (reply: unknown) => void) => void
  /** The next message may take so long, milliseconds: until then silence is no sign of its end. */
  readonly expect: (ms: number) => void
  /** Ends it; tells nothing. */
  readonly close: () => void
}

/** Opens a socket. It makes one attempt and reports its end. */
export type OpenSocket = (options: SocketOptions, events: SocketEvents) => WireSocket

/** What a {@link Carrier} tells, from the next turn of the event loop on. */
export interface CarrierEvents {
  readonly packet: (packet: string) => void
  /** Nothing is carried any more. */
  readonly lost: (cause: unknown) => void
}

/** Carries packets, each whole and in order. A WebSocket is one. */
export interface Carrier {
  send(packet: string): void
  close(): void
}
