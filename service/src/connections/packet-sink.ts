import type { Socket } from 'socket.io'
import type { PushName, Pushes } from '../../../protocol/index.ts'
import { entriesText } from './entries-text.ts'
import { FrameTurns } from './frame-turns.ts'
import { LinePace } from './line-pace.ts'

/** Sends packets to one connection. */
export interface PacketSink {
  push<P extends PushName>(name: P, body: Pushes[P]): void
  /**
   * Counts bytes of relay frames that wait for the connection. A channel may keep as many (`kept`, without
   * them) as the connection still has room for afterwards. Returns false where it would keep more.
   */
  hold(bytes: number, kept: number): boolean
  release(bytes: number): void
  /** Whether a relay frame may be sent at once: nothing else waits for the connection. */
  mayPass(): boolean
  /**
   * Calls `sendNext` for each of the channel's relay frames, in turn with other channels, when the connection
   * has room. `sendNext` sends one frame and returns whether another one can be sent.
   */
  passInTurn(sendNext: () => boolean): void
  /** Whether further packets should wait until those that were sent have arrived. */
  isFull(): boolean
  /** Bytes that a page of a log or of a list should have at most. */
  readonly pageBytes: number
  /** Resolves when the connection has room again, or is closed. */
  drained(): Promise<void>
  /**
   * Runs tasks that read data and then push them, one after the other, each when the connection has room. So
   * only one page for each connection is in memory.
   */
  inTurn(work: () => Promise<void>): Promise<void>
  isOpen(): boolean
  /** Closes the connection after its packets were sent. */
  close(): void
  /** Closes the connection at once. */
  cut(): void
}

/** Bytes that may wait for a connection before further entries stay in the log. */
const FULL = { packets: 16, bytes: 131_072 }
/** A connection with more waiting bytes does not read, and is closed. Relay frames are counted apart. */
export const WAITING_LIMIT = 1_048_576
/** Begins an event of the main namespace, in the protocol of Socket.IO. */
const EVENT = '2'
/** After this a ping has been answered, or the connection is gone. */
const ACKNOWLEDGED_MS = 20_000

/**
 * Counts the bytes that wait for a connection, from their write until the kernel has taken them, and those
 * that are kept for it. Bytes that the kernel has taken are in transit until the page has answered a later
 * ping.
 */
export class SocketSink implements PacketSink {
  readonly #socket: Socket
  readonly #pace: LinePace
  readonly #waiting = new Set<() => void>()
  readonly #frames = new FrameTurns({
    isOpen: () => this.isOpen(),
    hasRoom: () => !this.isFull(),
    othersWait: () => this.#turns > 0 || this.#waiting.size > 0,
    whenRoom: () => whenWritable(this),
    whenOthersWent: () => this.#turn,
  })
  /** Packets that the transport does not have yet. */
  #packets = 0
  #written = 0
  /** Packets that the transport has and the kernel has not taken. */
  #sending = 0
  #held = 0
  /** Pings that were sent, and answered. */
  #pings = 0
  #pongs = 0
  /** What the answer to a ping after this one tells. */
  #unheard: { readonly ping: number; readonly heard: () => void }[] = []
  /** Tasks of `inTurn` that have not ended. */
  #turns = 0
  /** Resolves when the previous task has ended. */
  #turn: Promise<void> = Promise.resolve()

  constructor(socket: Socket, pace = new LinePace()) {
    this.#socket = socket
    this.#pace = pace
    const { conn } = socket
    conn.on('packetCreate', ({ type, data }: { type: string; data?: string | Buffer }) => {
      if (type === 'ping') {
        this.#pings += 1
        this.#pace.asked()
      }
      this.#add(data === undefined ? 0 : Buffer.byteLength(data))
    })
    conn.on('flush', () => this.#flushed())
    conn.on('heartbeat', () => this.#answered())
    conn.on('close', () => this.#tell())
  }

  /** Bytes that wait for the connection to take them. */
  get waiting(): number {
    return this.#written + this.#sending + this.#held
  }

  /** Bytes that were written and have not arrived, as far as the page's answers to pings say. */
  get inTransit(): number {
    return this.#pace.inTransit
  }

  push<P extends PushName>(name: P, body: Pushes[P]): void {
    const { conn } = this.#socket
    if (conn.readyState !== 'open') return
    conn.write(`${EVENT}[${JSON.stringify(name)},${textOf(name, body)}]`)
  }

  /**
   * Pushes. `heard` is called once on evidence that the page has read it: the acknowledgement, or the answer to
   * a ping that was sent after it.
   */
  pushHeard<P extends PushName>(name: P, body: Pushes[P], heard: () => void): void {
    const entry = { ping: this.#pings, heard }
    this.#unheard.push(entry)
    this.#socket.timeout(ACKNOWLEDGED_MS).emit(name, body, (late: Error | null) => {
      if (late || !this.#unheard.includes(entry)) return
      this.#unheard = this.#unheard.filter((each) => each !== entry)
      heard()
    })
  }

  hold(bytes: number, kept: number): boolean {
    if (kept + bytes > WAITING_LIMIT - this.waiting) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }

  mayPass(): boolean {
    return this.#turns === 0 && this.#frames.isEmpty && !this.isFull()
  }

  passInTurn(sendNext: () => boolean): void {
    this.#frames.add(sendNext)
  }

  isFull(): boolean {
    return this.#pace.isFull || this.#packets >= FULL.packets || this.#written + this.#sending >= FULL.bytes
  }

  get pageBytes(): number {
    return this.#pace.window
  }

  drained(): Promise<void> {
    return this.isOpen() ? new Promise((settle) => this.#waiting.add(settle)) : Promise.resolve()
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turns += 1
    const done = this.#turn.then(() => whenWritable(this)).then(work)
    const ended = (): void => void (this.#turns -= 1)
    this.#turn = done.then(ended, ended)
    return done
  }

  isOpen(): boolean {
    return this.#socket.connected
  }

  close(): void {
    this.#socket.disconnect(true)
  }

  /** Drops the waiting packets, and does not wait for the other side to close. */
  cut(): void {
    const { conn } = this.#socket
    const { socket } = conn.transport as { socket?: { terminate?: () => void } }
    conn.close(true)
    socket?.terminate?.()
  }

  #add(bytes: number): void {
    if (this.#written + this.#sending > WAITING_LIMIT) return this.cut()
    this.#packets += 1
    this.#written += bytes
    this.#pace.wrote(bytes)
  }

  #answered(): void {
    this.#pongs += 1
    this.#pace.answered()
    const told = this.#unheard.filter(({ ping }) => ping < this.#pongs)
    if (told.length > 0) this.#unheard = this.#unheard.filter(({ ping }) => ping >= this.#pongs)
    for (const { heard } of told) heard()
    this.#tell()
  }

  /** Writes the ping together with the packets. */
  #flushed(): void {
    if (this.#pace.mustAsk) this.#socket.conn['sendPacket']('ping')
    const bytes = this.#written
    this.#sending += bytes
    this.#packets = this.#written = 0
    this.#socket.conn.transport.once('drain', () => {
      this.#sending -= bytes
      this.#tell()
    })
    this.#tell()
  }

  #tell(): void {
    const told = [...this.#waiting]
    this.#waiting.clear()
    for (const run of told) run()
  }
}

const textOf = <P extends PushName>(name: P, body: Pushes[P]): string =>
  name === 'log.entries' ? entriesText(body as Pushes['log.entries']) : JSON.stringify(body)

/** Resolves when the connection has room, or is closed. */
export async function whenWritable(sink: Pick<PacketSink, 'isFull' | 'isOpen' | 'drained'>): Promise<void> {
  while (sink.isFull() && sink.isOpen()) await sink.drained()
}
