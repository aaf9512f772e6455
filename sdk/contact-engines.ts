import type { EngineEvent, EngineHost } from '../engines/light.ts'
import { ContactError } from '../protocol/index.ts'
import type { Clock, JsonValue, MediaState, Slot } from '../protocol/index.ts'
import type { Log } from './client.ts'
import type { Delivery } from './delivery.ts'
import { engineDriver } from './engine-driver.ts'
import { EngineRoster } from './engine-roster.ts'
import type { Lane } from './lane.ts'
import type { ServiceLink } from './link/service-link.ts'

export interface ContactEnginesOptions {
  readonly slot: Slot
  readonly clock: Clock
  readonly log: Log
  readonly link: ServiceLink
  readonly lane: Lane
  readonly delivery: Delivery
  /** The contact's media now. */
  readonly media: () => MediaState
}

/** The engines of one contact, with the world as they see it: signals to the same engine of the remote, time, servers, and whom they report to. */
export class ContactEngines {
  readonly roster: EngineRoster
  readonly #options: ContactEnginesOptions
  readonly #listeners = new Set<(engine: string, event: EngineEvent) => void>()

  constructor(options: ContactEnginesOptions) {
    this.#options = options
    this.roster = new EngineRoster((engine) => this.#host(engine))
    options.lane.on('signal', (body) => this.#signalled(body))
  }

  /** The actor that carries out the media machine's commands. */
  driver(): ReturnType<typeof engineDriver> {
    return engineDriver(this.roster, this.#options.clock, (onEvent) => {
      this.#listeners.add(onEvent)
      return () => void this.#listeners.delete(onEvent)
    })
  }

  /** Gives back all devices and connections; resolves when that is done. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.roster.all().map((engine) => engine.stop()))
  }

  #host(engine: string): EngineHost {
    const { slot, clock, link, lane, log } = this.#options
    return {
      slot,
      clock,
      signal: (data) => {
        try {
          lane.send('signal', { engine, data })
        } catch (thrown) {
          log.debug('a signal went nowhere', { engine, code: thrown instanceof ContactError ? thrown.code : 'internal' })
        }
      },
      iceServers: async () => (await link.call('ice.servers', {})).iceServers,
      report: (event) => {
        if (event.type === 'data_changed') this.#dataChanged(event.medium)
        for (const listener of this.#listeners) listener(engine, event)
      },
    }
  }

  #signalled(body: JsonValue | undefined): void {
    if (typeof body !== 'object' || body === null || !('engine' in body) || typeof body.engine !== 'string') return
    this.roster.receive(body.engine, body.data ?? null)
  }

  #dataChanged(medium: string): void {
    const media = this.#options.media()
    const engine = media[medium]?.engine
    if (engine === undefined) return
    const newMedia = this.roster.withData(media)
    const none = { media: {}, engine: {} }
    this.#options.delivery.emit('mediachange', { newMedia, diff: { added: none, removed: none, changed: { media: { [medium]: engine }, engine: { [engine]: [medium] } } } })
  }
}
