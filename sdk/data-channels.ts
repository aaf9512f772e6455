import type { MakeDataPipe } from '../engines/light.ts'
import { ContactError } from '../protocol/index.ts'
import type { ChannelData, Clock, DataChannel, Slot } from '../protocol/index.ts'
import type { Attendance } from './attendance.ts'
import type { Channels } from './channels/index.ts'
import type { Inspect, Log } from './client.ts'
import type { Delivery } from './delivery.ts'
import type { Lane } from './lane.ts'
import type { ServiceLink } from './link/service-link.ts'
import { deferred } from './settle.ts'

export interface DataChannelsOptions {
  readonly slot: Slot
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect | undefined
  readonly link: ServiceLink
  readonly lane: Lane
  readonly delivery: Delivery
  readonly attendance: () => Attendance
  /** How to connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
}

/** The data channels of a contact. What carries them is loaded when the first one is opened, by either side. */
export class DataChannels {
  readonly #options: DataChannelsOptions
  #loading: Promise<Channels> | null = null
  #channels: Channels | null = null
  /** Frames that came before the code. */
  #waiting: ((channels: Channels) => void)[] = []

  /** Rejects with the next end. */
  #over = deferred()

  constructor(options: DataChannelsOptions) {
    this.#options = options
    options.lane.on('data', (body) => this.#with((channels) => channels.receive(body)))
    options.lane.on('channel', (body) => this.#with((channels) => channels.signalled(body)))
  }

  /** @throws {@link ContactError} `invalid_argument`, `left`, `not_joined`, `peer_left`, `offline`, `too_large` */
  async get(id: string, type?: string): Promise<DataChannel> {
    const channels = this.#load()
    await Promise.race([channels, this.#over.promise])
    return (await channels).get(id, type)
  }

  /** @throws {@link ContactError} as `get`, and as `send` of a channel */
  async send(channel: string, data: ChannelData, options: { readonly topic?: string | undefined; readonly type?: string | undefined }): Promise<void> {
    await (await this.get(channel, options.type)).send(data, options.topic)
  }

  /** Some frames were refused by the service for good. */
  relayLost = (): void => this.#channels?.relayLost()

  /** All channels are over: the other party has another page, or this one no part in the contact. */
  end(error: ContactError): void {
    this.#waiting = []
    this.#over.reject(error)
    this.#over = deferred()
    this.#channels?.end(error)
  }

  /** Runs at once, or in order when the code is there. */
  #with(run: (channels: Channels) => void): void {
    if (this.#channels) return run(this.#channels)
    this.#waiting.push(run)
    this.#load().catch(() => this.#options.log.warn('the code for data channels could not be loaded'))
  }

  async #load(): Promise<Channels> {
    try {
      return await (this.#loading ??= this.#import())
    } catch (cause) {
      this.#loading = null
      throw new ContactError('offline', 'unable to open the channel; its code could not be loaded', { cause })
    }
  }

  async #import(): Promise<Channels> {
    const loaded = await import('./channels/index.ts')
    this.#channels = new loaded.Channels(this.#options)
    for (const run of this.#waiting.splice(0)) run(this.#channels)
    return this.#channels
  }
}
