import type { ContactError } from '../../protocol/index.ts'
import type { EngineHost } from '../media-engine.ts'
import type { Environment } from './environment.ts'
import type { MediaTransceiver } from './media-transceivers.ts'

export interface ConnectionEvents {
  /** The lines of the connection are others; none while there is no connection. */
  lines(lines: readonly MediaTransceiver[]): void
  /** The connection is gone for good. */
  broke(error: ContactError): void
}

export interface ConnectionOptions {
  readonly host: EngineHost
  readonly environment: Environment
  readonly iceTransportPolicy: RTCIceTransportPolicy
  readonly events: ConnectionEvents
}
