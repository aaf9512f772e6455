import { ContactError, isName } from '../../protocol/index.ts'
import type { Clock, ErrorCode, JsonValue } from '../../protocol/index.ts'
import type { Inspect, Log } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { Membership } from '../contact/membership.ts'
import type { Relay } from '../relay/relay.ts'
import { decodeFrame, encodeFrame, fromBase64 } from './frames.ts'
import type { Frame } from './frames.ts'
import { Budget, InStream } from './in-stream.ts'
import { DataChannelImpl } from './data-channel.ts'
import type { ChannelHost, Incoming } from './data-channel.ts'
import { decodeOpening } from './records.ts'
import type { ChannelRecord } from './records.ts'
import { DirectPath } from './direct-path.ts'
import type { DirectPathOptions } from './direct-path.ts'
import { Replies } from './replies.ts'
import { Sender } from './sender.ts'

/** Channels of one contact at a time, of both sides together. */
const MOST_CHANNELS = 128
/** Messages that have begun and not ended, all channels together. */
const UNFINISHED_BYTES = 134_217_728
/** Streams of the other side that are over: what still comes of them is acknowledged and passed over. */
const REMEMBERED = 1_024
const TYPES: ReadonlySet<unknown> = new Set([undefined, null, '', 'webrtc', 'sio'])

const refused = (code: ErrorCode, reason: string): ContactError =>
  new ContactError(code, `unable to open the channel; ${reason}`)

/** What data channels need of their contact. */
export interface ChannelsOptions extends DirectPathOptions {
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect | undefined
  readonly relay: Pick<Relay, 'isBound' | 'send' | 'trySend'>
  readonly delivery: Delivery
  readonly membership: Pick<Membership, 'requireInside'>
}

/** The data channels of a contact with one page of the other party. */
export class Channels {
  readonly #options: ChannelsOptions
  readonly #own = new Map<number, DataChannelImpl>()
  readonly #remote = new Map<number, { readonly incoming: Incoming; channel: DataChannelImpl | null }>()
  readonly #over = new Set<number>()
  readonly #host: ChannelHost
  readonly #direct: DirectPath
  readonly #sender: Sender
  readonly #replies: Replies
  #budget = new Budget(UNFINISHED_BYTES)
  #streams = 0

  constructor(options: ChannelsOptions) {
    this.#options = options
    const { clock, inspect, delivery, log } = options
    this.#replies = new Replies(clock)
    const events = {
      message: (bytes: Uint8Array) => this.#take(bytes, 'direct'),
      drained: () => this.#sender.run(),
      opened: () => this.#tellAll('pipe.opened'),
      closed: () => this.#tellAll('pipe.closed'),
    }
    this.#direct = new DirectPath(options, events, this.#replies)
    this.#sender = new Sender({
      channels: () => this.#own.values(),
      direct: this.#direct,
      clock,
      relay: (text) => options.relay.send('data', text),
    })
    this.#host = {
      clock,
      inspect,
      delivery,
      onThrow: (event) => log.warn('a handler threw', { event }),
      wake: () => this.#sender.run(),
      acknowledge: (channel) =>
        channel.incoming &&
        this.#acknowledge(channel.incoming.stream, channel.incoming.bytes.received, channel.path),
      late: () => ![...this.#own.values()].some((channel) => channel.isOpening()) && this.#direct.giveUp(),
      ended: (channel) => this.#forget(channel),
    }
  }

  /** The live channel of that name, new where there is none. */
  async get(name: string, type: string | undefined): Promise<DataChannelImpl> {
    if (!isName(name)) throw refused('invalid_argument', 'its id must be 1 to 128 letters, digits or ._:-')
    if (!TYPES.has(type)) throw refused('invalid_argument', 'its type must be sio, or empty')
    this.#options.membership.requireInside('open the channel')
    if (!this.#options.relay.isBound) throw refused('peer_left', 'the other party is not there')
    return this.#open(name, type === 'sio')
  }

  async #open(name: string, relayed: boolean): Promise<DataChannelImpl> {
    const known = [...this.#own.values()].find((channel) => channel.id === name && channel.isLive())
    if (!known && this.#own.size >= MOST_CHANNELS)
      throw refused('too_large', `there are ${MOST_CHANNELS} already`)
    const channel = known ?? this.#make(name)
    if (relayed) channel.tell({ type: 'channel.relay' })
    else if (channel.isOpening()) this.#direct.want()
    if (channel.isOpening() && this.#direct.state !== 'connecting')
      channel.tell({ type: this.#direct.state === 'open' ? 'pipe.opened' : 'pipe.closed' })
    await channel.opened.promise
    return channel
  }

  /** A frame that came over the relay. */
  receive(body: JsonValue | undefined): void {
    const bytes = fromBase64(body)
    if (bytes) this.#take(bytes, 'relay')
  }

  /** A signal of the other party's pipe. */
  signalled = (body: JsonValue | undefined): void => this.#direct.receive(body ?? null)

  /** The service did not hand over frames, for good: what they carried is sent again. */
  relayLost = (): void => this.#sender.repeat()

  /** Ends everything; channels that are opened later are those with another page. */
  end(error: ContactError): void {
    this.#direct.close()
    this.#sender.stop()
    this.#replies.stop()
    const channels = [...this.#own.values()]
    this.#own.clear()
    for (const channel of channels) channel.end(error)
    this.#remote.clear()
    this.#over.clear()
    this.#streams = 0
    this.#budget = new Budget(UNFINISHED_BYTES)
  }

  #make(name: string): DataChannelImpl {
    const channel = new DataChannelImpl(name, ++this.#streams, this.#host)
    this.#own.set(channel.stream, channel)
    return channel
  }

  #tellAll(type: 'pipe.opened' | 'pipe.closed'): void {
    for (const channel of [...this.#own.values()]) channel.tell({ type })
    this.#sender.run()
  }

  #take(bytes: Uint8Array, path: 'direct' | 'relay'): void {
    const frame = decodeFrame(bytes)
    if (!frame) return
    if (frame.kind === 'ack') this.#acknowledged(frame, path)
    else if (this.#over.has(frame.stream)) this.#passOver(frame, path)
    else this.#read(frame, path)
  }

  #passOver({ stream, offset, bytes }: Frame, path: 'direct' | 'relay'): void {
    const end = offset + bytes.length
    this.#replies.answer(stream, () => this.#acknowledge(stream, end, path))
  }

  #acknowledged({ stream, offset }: Frame, path: 'direct' | 'relay'): void {
    const channel = this.#own.get(stream)
    if (!channel) return
    if (path === 'relay') channel.tell({ type: 'remote.relayed' })
    channel.acknowledged(offset)
    this.#sender.run()
  }

  #read(frame: Frame, path: 'direct' | 'relay'): void {
    const known = this.#remote.get(frame.stream)
    if (!known && (frame.offset !== 0 || this.#remote.size >= 2 * MOST_CHANNELS)) return
    const stream = known ?? {
      incoming: { stream: frame.stream, bytes: new InStream(this.#budget) },
      channel: null,
    }
    this.#remote.set(frame.stream, stream)
    if (path === 'relay') stream.channel?.tell({ type: 'remote.relayed' })
    const records = stream.incoming.bytes.receive(frame.offset, frame.bytes)
    for (const record of records ?? []) {
      if (stream.channel) stream.channel.read(record)
      else stream.channel = this.#bind(stream.incoming, record, path)
      if (!stream.channel) break
    }
    if (records === null || (!stream.channel && records.length > 0))
      this.#refuse(stream.incoming, stream.channel)
    else stream.channel?.acknowledgeSoon()
    this.#sender.run()
  }

  /** The first record of a stream: finds the channel to which it belongs, or makes it. */
  #bind(incoming: Incoming, record: ChannelRecord, path: 'direct' | 'relay'): DataChannelImpl | null {
    const opening = record.type === 'open' ? decodeOpening(record.data) : undefined
    if (!opening) return null
    const { name, re } = opening
    const waiting = [...this.#own.values()].find(
      (channel) =>
        channel.incoming === null && channel.id === name && (re === undefined || re === channel.stream),
    )
    if (!waiting && (re !== undefined || this.#own.size >= 2 * MOST_CHANNELS)) return null
    const channel = waiting ?? this.#make(name)
    channel.incoming = incoming
    channel.tell({ type: path === 'relay' ? 'remote.relayed' : 'pipe.opened' })
    return channel
  }

  /** What is no stream of ours, or too much, is not looked at again. */
  #refuse(incoming: Incoming, channel: DataChannelImpl | null): void {
    this.#remote.delete(incoming.stream)
    this.#remember(incoming.stream)
    incoming.bytes.end()
    channel?.endRemote()
  }

  #forget(channel: DataChannelImpl): void {
    this.#own.delete(channel.stream)
    if (!channel.incoming) return
    this.#remote.delete(channel.incoming.stream)
    this.#remember(channel.incoming.stream)
  }

  #remember(stream: number): void {
    this.#over.add(stream)
    const [oldest] = this.#over
    if (this.#over.size > REMEMBERED && oldest !== undefined) this.#over.delete(oldest)
  }

  #acknowledge(stream: number, offset: number, path: 'direct' | 'relay' | null): void {
    if (path) this.#sender.put(encodeFrame({ kind: 'ack', stream, offset }), path)
  }
}
