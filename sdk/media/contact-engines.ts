import type { EngineEvent, EngineHost, MediaEngine } from '../../engines/eager.ts'
import { algebra, copyOf, within } from '../../protocol/index.ts'
import type { Clock, ContactData, MediaState, Observation, SharedState, Slot } from '../../protocol/index.ts'
import { controlsKeys } from './controls-keys.ts'
import { saveControls } from './controls-store.ts'
import type { ControlsStore } from './controls-store.ts'
import type { CallStatistics } from './statistics.ts'
import type { Inspect, KeyValueStore, Log } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { DriverEnd } from './engine-driver.ts'
import type { MediaEngines } from './media-engines.ts'
import { EngineRegistry } from './engine-registry.ts'
import type { GivenEngine } from './engine-registry.ts'
import type { Relay } from '../relay/relay.ts'
import { iceServersOf } from '../link/ice-servers.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { LazyModule } from '../async/lazy-module.ts'
import { atOnce } from '../async/at-once.ts'

/** How long an engine may take to stop. */
const STOP_LIMIT_MS = 15_000

export interface ContactEnginesOptions {
  /** Origin of the service. */
  readonly service: string
  readonly record: Pick<ContactData, 'id'>
  /** Id of the contact now. */
  readonly contact: () => string
  readonly inspect?: Inspect | undefined
  readonly role: Slot
  readonly clock: Clock
  readonly log: Log
  readonly link: ServiceLink
  readonly relay: Relay
  readonly delivery: Delivery
  /** This page's part in the contact has ended. */
  readonly over: AbortSignal
  /** For all pages: what is muted and on hold. */
  readonly seen: KeyValueStore
  /** Whether this page's session holds its party's slot. */
  readonly holdsSlot: () => boolean
  /** What the log says now. */
  readonly shared: () => SharedState
  /** An engine asks to give up its picture for its sound. */
  readonly onDropVideo: (engine: string) => void
  /** An engine reports something that matters, and there is no driver. */
  readonly onReport: (engine: string, event: EngineEvent) => void
}

/**
 * The engines of one contact, with the world as they see it: signals to the same engine of the remote, time,
 * servers, and whom they report to.
 */
export class ContactEngines implements MediaEngines {
  readonly registry: EngineRegistry
  readonly controls: ControlsStore
  readonly #options: ContactEnginesOptions
  readonly #statistics: LazyModule<CallStatistics>
  readonly #drivers = new Set<DriverEnd>()

  constructor(options: ContactEnginesOptions, given: readonly GivenEngine[]) {
    const { service, role, contact, record, seen, holdsSlot } = options
    this.#options = options
    const onThrow = (engine: string, operation: string): void =>
      options.log.warn('an engine threw', { engine, operation })
    this.registry = new EngineRegistry((engine) => this.#host(engine), onThrow, options.over)
    this.controls = {
      store: seen,
      keys: () => controlsKeys(service, { role, contact: contact() }),
      hasCall: holdsSlot,
    }
    const load = async (): Promise<CallStatistics> =>
      new (await import('./statistics.ts')).CallStatistics({ ...options, contact: record.id })
    this.#statistics = new LazyModule({
      ...options,
      load,
      operation: 'tell the statistics',
      isFleeting: true,
    })
    for (const each of given) this.registry.adopt(each)
  }

  attach = (driver: DriverEnd): (() => void) => {
    this.#drivers.add(driver)
    return () => void this.#drivers.delete(driver)
  }

  /**
   * What `engines` acquired beyond `to` is given back; for when the media machine wants nothing of the
   * engines.
   */
  async giveBack(engines: readonly MediaEngine[], to: MediaState): Promise<void> {
    await Promise.all([...this.#drivers].map((driver) => driver.giveBack(engines, to)))
  }

  report(engine: string, event: EngineEvent): void {
    for (const driver of this.#drivers) driver.heard(engine, event)
  }

  /** The media are these now. */
  mediaAre(media: MediaState): void {
    if (this.#statistics.isWanted) this.#tell((statistics) => statistics.mediaAre(media))
  }

  /** Gives back all devices and connections; resolves when that is done, or an engine does not answer. */
  async stop(): Promise<void> {
    await within(this.registry.stop(), { clock: this.#options.clock, ms: STOP_LIMIT_MS }).catch(() => {})
  }

  #host(engine: string): EngineHost {
    const { role: slot, clock, link, relay } = this.#options
    return {
      slot,
      clock,
      signal: (data) => relay.trySend('signal', { engine, data: copyOf(data) }),
      iceServers: iceServersOf(link),
      report: (reported) => {
        const event = copyOf(reported)
        if (event.type === 'controls_changed') saveControls(this.registry, this.controls)
        if (event.type === 'data_changed') this.#dataChanged(event.medium)
        if (event.type === 'remote_held') this.#options.delivery.emit('remotehold', { engine, on: event.on })
        if (event.type === 'remote_muted')
          this.#options.delivery.emit('remotemute', { engine, muted: event.muted })
        if (event.type === 'interrupted')
          this.#options.delivery.emit('interruption', { engine, medium: event.medium, on: event.on })
        if (event.type === 'liveness') {
          this.#tell((statistics, now) => statistics.liveness(engine, event, now))
          if (event.step === 'drop_video') this.#options.onDropVideo(engine)
        }
        if (this.#drivers.size > 0) this.report(engine, event)
        else if (event.type === 'broke' || event.type === 'capture_ended')
          this.#options.onReport(engine, event)
      },
      observed: (observation) => this.#observed(engine, copyOf(observation)),
    }
  }

  /** What is off by now is nobody's business any more. */
  #observed(engine: string, observation: Observation): void {
    const { media } = this.#options.shared()
    if (algebra.mediaOn(media).every((medium) => media[medium]?.engine !== engine)) return
    this.#tell((statistics, now) => statistics.observed(engine, observation, now))
  }

  #tell(run: (statistics: CallStatistics, now: number) => void): void {
    const now = this.#options.clock.now()
    // Nobody is told what does not find room to wait.
    atOnce(() => this.#statistics.with((statistics) => run(statistics, now))).catch(() => {})
  }

  #dataChanged(medium: string): void {
    const { media } = this.#options.shared()
    const engine = media[medium]?.engine
    if (engine === undefined) return
    const newMedia = this.registry.withData(media)
    const none = { media: {}, engine: {} }
    this.#options.delivery.emit('mediachange', {
      newMedia,
      diff: {
        added: none,
        removed: none,
        changed: { media: { [medium]: engine }, engine: { [engine]: [medium] } },
      },
    })
  }
}
