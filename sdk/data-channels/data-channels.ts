import { ContactError, deferred } from '../../protocol/index.ts'
import type { ChannelData, DataChannel } from '../../protocol/index.ts'
import type { Channels, ChannelsOptions } from './channels.ts'
import type { Relay } from '../relay/relay.ts'
import { later } from '../contact/lazy-modules.ts'
import { LazyModule } from '../async/lazy-module.ts'

/** What {@link Channels} need, and the relay whose frames they take. */
export interface DataChannelsOptions extends ChannelsOptions {
  readonly relay: Relay
}

/**
 * The data channels of a contact. What carries them is loaded when the first one is opened, by either side.
 */
export class DataChannels {
  readonly #code: LazyModule<Channels>
  /** Rejects with the next end. */
  #over = deferred()

  constructor(options: DataChannelsOptions) {
    const { relay } = options
    const load = async (): Promise<Channels> => new (await later.channels()).Channels(options)
    this.#code = new LazyModule({ ...options, load, operation: 'open the channel' })
    relay.on('data', (body) => this.#code.with((channels) => channels.receive(body)))
    relay.on('channel', (body) => this.#code.with((channels) => channels.signalled(body)))
    relay.onPeer((_peer, before) => {
      if (before !== null) this.end(peerLeft())
    })
  }

  /**
   * @throws {@link ContactError} `invalid_argument`, `left`, `not_joined`, `peer_left`, `offline`,
   *   `too_large`
   */
  async get(id: string, type?: string): Promise<DataChannel> {
    const channels = this.#code.get()
    await Promise.race([channels, this.#over.promise])
    return (await channels).get(id, type)
  }

  /** @throws {@link ContactError} as `get`, and as `send` of a channel */
  async send(
    channel: string,
    data: ChannelData,
    options: { readonly topic?: string | undefined; readonly type?: string | undefined },
  ): Promise<void> {
    await (await this.get(channel, options.type)).send(data, options.topic)
  }

  /** Some frames were refused by the service for good. */
  relayLost = (): void => this.#code.now?.relayLost()

  /** All channels are over: the other party has another page, or this one no part in the contact. */
  end(error: ContactError): void {
    this.#code.forgetWaiting()
    this.#over.reject(error)
    this.#over = deferred()
    this.#code.now?.end(error)
  }
}

const peerLeft = (): ContactError =>
  new ContactError('peer_left', 'unable to go on with the channel; the other party is not there')
