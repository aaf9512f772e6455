import type { EngineEvent, MediaEngine } from '../../engines/eager.ts'
import type { MediaState } from '../../protocol/index.ts'
import type { ControlsStore } from './controls-store.ts'
import type { DriverEnd } from './engine-driver.ts'
import type { EngineRegistry } from './engine-registry.ts'

/** The engines of a contact, as its media need them. */
export interface MediaEngines {
  readonly registry: EngineRegistry
  readonly controls: ControlsStore
  /** What the engines report is told to a driver from now on; returns how to stop. */
  readonly attach: (driver: DriverEnd) => () => void
  /**
   * What `engines` acquired beyond `to` is given back; for when the media machine wants nothing of the
   * engines.
   */
  giveBack(engines: readonly MediaEngine[], to: MediaState): Promise<void>
  /** Tells the drivers what an engine reports. */
  report(engine: string, event: EngineEvent): void
  /** The media are these now. */
  mediaAre(media: MediaState): void
  /** Gives back all devices and connections; resolves when that is done, or an engine does not answer. */
  stop(): Promise<void>
}
