import { createActor } from 'xstate'
import { channelMachine } from '../../machines/channel/index.ts'
import type { ChannelActor, ChannelEmitted, ChannelEvent } from '../../machines/channel/index.ts'
import { ContactError, deferred, isName, isOwnEvent } from '../../protocol/index.ts'
import type {
  ChannelData,
  Clock,
  DataChannel,
  DataChannelType,
  DataMessage,
  Deferred,
  ListenOptions,
  Unsubscribe,
} from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { Emitter } from '../contact/emitter.ts'
import type { Handler } from '../contact/emitter.ts'
import { actorOptions } from '../client/clock.ts'
import { runOperation } from '../async/run-operation.ts'
import type { InStream } from './in-stream.ts'
import { OutStream } from './out-stream.ts'
import { decodeMessage, encodeMessage, encodeOpening, encodeRecord } from './records.ts'
import type { ChannelRecord } from './records.ts'

/** Bytes that wait for the other side above which `send` waits, and below which it goes on. */
const WATERMARKS = { high: 4_194_304, low: 1_048_576 } as const
/** Bytes that may wait at all. */
const QUEUE_BYTES = 67_108_864
/** What has been read is told after so many bytes, by path, or after this time. */
const ACK_BYTES = { direct: 262_144, relay: 32_768 } as const
const ACK_AFTER_MS = 50

/** What a channel needs of the contact's channels. */
export interface ChannelHost {
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
  readonly delivery: Delivery
  readonly onThrow: (event: string) => void
  /** Something is to be sent. */
  wake(): void
  /** Tells the other side how far its stream has been read. */
  acknowledge(channel: DataChannelImpl): void
  /** The channel had no direct connection in time. */
  late(): void
  /** Nothing of it is left. */
  ended(channel: DataChannelImpl): void
}

/** The other party's stream of a channel, with its number. */
export interface Incoming {
  readonly stream: number
  readonly bytes: InStream
}

const closedError = (): ContactError =>
  new ContactError('channel_closed', 'unable to send the data; the channel is closed')

/** One channel: its machine, its two streams, and its documented face. */
export class DataChannelImpl implements DataChannel {
  readonly id: string
  /** Number of this party's stream. */
  readonly stream: number
  readonly out = new OutStream()
  /** Null until the other side has opened the channel, too. */
  incoming: Incoming | null = null
  readonly opened: Deferred = deferred()
  readonly #host: ChannelHost
  readonly #actor: ChannelActor
  readonly #handlers: Emitter
  #waiting: Deferred[] = []
  /** What is told before the task after the opening. */
  #early: (() => void)[] | null = []
  #acked = 0
  #openingBytes = 0
  #ackTimer: unknown = null
  #error: ContactError | null = null

  constructor(name: string, stream: number, host: ChannelHost) {
    this.id = name
    this.stream = stream
    this.#host = host
    this.#handlers = new Emitter(host.onThrow)
    this.#actor = createActor(channelMachine, {
      id: `channel ${name}`,
      input: { name },
      ...actorOptions(host),
    })
    this.#actor.on('*', (emitted) => this.#emitted(emitted))
    this.#actor.subscribe({ complete: () => this.#ended() })
    this.#actor.start()
  }

  /** The way that its data takes; none while it opens, and when it is over. */
  get path(): 'direct' | 'relay' | null {
    const snapshot = this.#actor.getSnapshot()
    if (snapshot.matches({ open: 'direct' }) || snapshot.matches({ closing: 'direct' })) return 'direct'
    return snapshot.matches('opening') || snapshot.matches('closed') ? null : 'relay'
  }

  get type(): DataChannelType {
    return this.path === 'direct' ? 'webrtc' : 'sio'
  }

  isOpening = (): boolean => this.#actor.getSnapshot().matches('opening')

  /** Neither closed nor closing. */
  isLive = (): boolean => this.isOpening() || this.#actor.getSnapshot().matches('open')

  tell(event: ChannelEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event)
  }

  send(data: ChannelData, topic?: string): Promise<void> {
    return runOperation('send the data', () => this.#send(data, topic))
  }

  close(): void {
    this.tell({ type: 'channel.close' })
  }

  on(name: string, handler: (event: never) => void, options?: ListenOptions): Unsubscribe {
    return this.#handlers.on(name, handler as Handler, options)
  }

  off(name: string, handler?: (event: never) => void): void {
    this.#handlers.off(name, handler as Handler | undefined)
  }

  once(name: string, handler: (event: never) => void, options?: ListenOptions): Unsubscribe {
    return this.#handlers.once(name, handler as Handler, options)
  }

  /** Ends it at once: the other party's page or this party's part is gone. */
  end(error: ContactError): void {
    this.#error ??= error
    this.tell({ type: 'session.ended' })
    this.#rejectWaiting(error)
    this.#stopAcking()
  }

  /** Records that the other side wrote. */
  read(record: ChannelRecord): void {
    if (record.type === 'close') return this.endRemote()
    if (record.type === 'open' || !this.isLive()) return
    const data = decodeMessage(record)
    if (data === undefined || (record.topic !== '' && !isName(record.topic))) return
    this.#deliver({ channel: this.id, ...(record.topic !== '' && { topic: record.topic }), data })
  }

  /** The other side's stream is over. */
  endRemote(): void {
    this.incoming?.bytes.end()
    this.acknowledge()
    this.tell({ type: 'remote.closed' })
    this.#checkEnd()
  }

  /** The other side has read so far. */
  acknowledged(read: number): void {
    this.out.acknowledge(read)
    if (this.out.pending <= WATERMARKS.low) for (const { resolve } of this.#waiting.splice(0)) resolve()
    this.#checkEnd()
  }

  /** Tells how far the other side's stream has been read: at once after much, else after a moment. */
  acknowledgeSoon(): void {
    const { incoming, path } = this
    if (!incoming || path === null || incoming.bytes.received === this.#acked) return
    if (incoming.bytes.received - this.#acked >= ACK_BYTES[path]) return this.acknowledge()
    this.#ackTimer ??= this.#host.clock.setTimeout(() => this.acknowledge(), ACK_AFTER_MS)
  }

  /** Tells it now. */
  acknowledge(): void {
    this.#stopAcking()
    if (!this.incoming || this.path === null) return
    this.#acked = this.incoming.bytes.received
    this.#host.acknowledge(this)
  }

  async #send(data: ChannelData, topic: string | undefined): Promise<void> {
    if (!this.isLive()) throw this.#error ?? closedError()
    const record = encodeMessage(data, topic)
    if (this.out.pending + record.length > QUEUE_BYTES)
      throw new ContactError('too_large', `unable to send the data; too much waits already`)
    this.out.push(record)
    this.#host.wake()
    if (this.out.pending <= WATERMARKS.high) return
    const room = deferred()
    this.#waiting.push(room)
    await room.promise
  }

  #emitted(emitted: ChannelEmitted): void {
    if (emitted.type === 'opened') this.#open(emitted.late)
    else if (emitted.type === 'moved') this.#move()
    else this.#close(emitted)
  }

  #open(late: boolean): void {
    this.out.push(encodeOpening({ name: this.id, ...(this.incoming && { re: this.incoming.stream }) }))
    this.#openingBytes = this.out.size
    this.#host.delivery.emit('datachannel', this)
    this.opened.resolve()
    setTimeout(() => {
      const early = this.#early ?? []
      this.#early = null
      for (const tell of early) tell()
    })
    if (late) this.#host.late()
    this.#host.wake()
  }

  /** What is acknowledged over the relay tells the other side to use it as well. */
  #move(): void {
    this.out.rewind()
    this.acknowledge()
    this.#host.wake()
  }

  #close({ by, flushes }: Extract<ChannelEmitted, { readonly type: 'closed' }>): void {
    const { out, incoming } = this
    const unread = out.pending > 0 && out.size > this.#openingBytes
    const lost = by !== 'local' && (unread || (by === 'session' && incoming?.bytes.isInside === true))
    this.#error ??= closedError()
    this.opened.reject(this.#error)
    if (by === 'remote') this.#rejectWaiting(this.#error)
    if (flushes) {
      if (by === 'local') this.acknowledge()
      out.push(encodeRecord('close'))
      this.#host.wake()
    }
    this.#later(() => this.#handlers.emit('close', () => ({ lost })))
  }

  #deliver(message: DataMessage): void {
    const { delivery } = this.#host
    const { topic } = message
    this.#later(() => {
      if (topic === undefined || isOwnEvent(topic))
        delivery.emit('data', message, { after: () => void this.#handlers.emit('data', () => message) })
      else
        delivery.emitNamed(topic, message, {
          reply: () => {},
          after: () => void this.#handlers.emit(topic, () => message),
        })
    })
  }

  #later(tell: () => void): void {
    if (this.#early) this.#early.push(tell)
    else tell()
  }

  #checkEnd(): void {
    if (this.incoming?.bytes.isEnded && this.out.pending === 0) this.tell({ type: 'streams.ended' })
  }

  #ended(): void {
    this.#stopAcking()
    this.incoming?.bytes.end()
    this.#host.ended(this)
  }

  #stopAcking(): void {
    this.#host.clock.clearTimeout(this.#ackTimer)
    this.#ackTimer = null
  }

  #rejectWaiting(error: ContactError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
