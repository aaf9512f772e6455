import type { JsonValue } from './json.ts'
import type { ListenOptions, Unsubscribe } from './listening.ts'

/** What a data channel carries: a JSON value, or bytes, which arrive as an ArrayBuffer. */
export type ChannelData = JsonValue | ArrayBuffer | ArrayBufferView

/** Data that arrived. */
export interface DataMessage {
  /** Name of the channel. */
  readonly channel: string
  readonly topic?: string
  readonly data: JsonValue | ArrayBuffer
}

/** How a channel goes: `webrtc`, directly from browser to browser, or `sio`, relayed by the service. */
export type DataChannelType = 'webrtc' | 'sio'

/** Events of a data channel. */
export interface DataChannelEvents {
  /** Data without a topic arrived, or with one that is the name of an event of the SDK. */
  data: DataMessage
  /**
   * The channel is over. `lost`: data of this party, or a message of the other that was under way, may not
   * have arrived.
   */
  close: { readonly lost: boolean }
}

/**
 * A named channel for data of the application's own, the same for both parties: what is sent arrives in
 * order, once and whole, also while the channel moves from WebRTC to the relay. It lives as long as both
 * parties' pages; nothing is stored.
 */
export interface DataChannel {
  /** Its name. */
  readonly id: string
  /** How it goes now. It may change from `webrtc` to `sio`, on both sides, and never back. */
  readonly type: DataChannelType
  /**
   * Sends data. Resolves when there is room for more: at once while less than 4 MiB wait for the other side,
   * else when less than 1 MiB do.
   *
   * @param data - what `JSON.stringify` can write, or bytes; at most 16 MiB.
   * @param topic - name of the event that the data becomes; 1 to 128 letters, digits and `._:-`.
   * @throws {@link ContactError} `invalid_argument` — not JSON, a key `__proto__`, `constructor` or
   *   `prototype`, no topic; `too_large` — over 16 MiB,
   * or more than 64 MiB wait already; `channel_closed`; `peer_left` — the other page is gone; `left`.
   * @example
   * ```ts
   * const channel = await contact.getDataChannel('pointer')
   * await channel.send({ x: 3, y: 4 }, 'moved')
   * ```
   */
  send(data: ChannelData, topic?: string): Promise<void>
  /**
   * Closes the channel for both parties, after what was sent. Idempotent.
   *
   * @example
   * ```ts
   * channel.close()
   * ```
   */
  close(): void
  /**
   * Calls `handler` with each event of that name until `off`, or until `signal` is aborted.
   *
   * @returns a function that takes the handler off.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * channel.on('data', ({ data, topic }) => console.log(data, topic))
   * channel.on('moved', ({ data }) => console.log(data))
   * ```
   */
  on<E extends keyof DataChannelEvents>(
    event: E,
    handler: (event: DataChannelEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe
  /** Under any other name: with each data of that topic. */
  on(topic: string, handler: (event: DataMessage) => void, options?: ListenOptions): Unsubscribe
  /**
   * Stops calling `handler`; without one, every handler of the event or topic.
   *
   * @example
   * ```ts
   * channel.off('moved')
   * ```
   */
  off(event: string, handler?: (event: never) => void): void
  /**
   * Calls `handler` with the next event of that name only.
   *
   * @returns as `on`.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * channel.once('close', ({ lost }) => console.log(lost ? 'something may be missing' : 'all has arrived'))
   * ```
   */
  once<E extends keyof DataChannelEvents>(
    event: E,
    handler: (event: DataChannelEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe
  /** The same for a topic. */
  once(topic: string, handler: (event: DataMessage) => void, options?: ListenOptions): Unsubscribe
}
