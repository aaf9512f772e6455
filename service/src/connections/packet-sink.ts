import type { Socket } from 'socket.io'
import type { PushName, Pushes } from '../../../protocol/index.ts'
import { LinePace } from './line-pace.ts'

/** The way to one connection. */
export interface PacketSink {
  push<P extends PushName>(name: P, body: Pushes[P]): void
  /**
   * Notes bytes that are kept for the connection until they can be pushed. False where too much waits
   * already.
   */
  hold(bytes: number): boolean
  release(bytes: number): void
  /** Whether more should wait until what is on its way has arrived. */
  isFull(): boolean
  /** Bytes that a page of a log or list should have. */
  readonly pageBytes: number
  /** Resolves when there is room again, or the connection is gone. */
  drained(): Promise<void>
  /**
   * Does work that reads what it pushes then: one after the other, each when there is room. So what has been
   * read and not been sent is one page for each connection, whatever it follows.
   */
  inTurn(work: () => Promise<void>): Promise<void>
  isOpen(): boolean
  /** Ends the connection, when what was written has gone. */
  close(): void
  /** Ends it at once. */
  cut(): void
}

/** What may wait for a connection before what comes next is left in the log. */
const FULL = { packets: 16, bytes: 131_072 }
/** A connection for which more waits when something is added does not read: it ends. */
export const WAITING_LIMIT = 1_048_576

/**
 * Counts what waits for a connection, from the moment it is written to the moment the kernel has taken it,
 * and what is held for it. What the kernel has taken is on its way until the page has answered a ping behind
 * it.
 */
export class SocketSink implements PacketSink {
  readonly #socket: Socket
  readonly #pace: LinePace
  readonly #waiting = new Set<() => void>()
  /** Not handed to the transport yet. */
  #packets = 0
  #written = 0
  /** Handed to it, and not taken by the kernel. */
  #sending = 0
  #held = 0
  /** The work before has ended. */
  #turn: Promise<void> = Promise.resolve()

  constructor(socket: Socket, pace = new LinePace()) {
    this.#socket = socket
    this.#pace = pace
    const { conn } = socket
    conn.on('packetCreate', ({ type, data }: { type: string; data?: string | Buffer }) => {
      if (type === 'ping') this.#pace.asked()
      this.#add(data === undefined ? 0 : Buffer.byteLength(data))
    })
    conn.on('flush', () => this.#flushed())
    conn.on('heartbeat', () => this.#answered())
    conn.on('close', () => this.#tell())
  }

  /** Bytes that wait here for the other side to take them. */
  get waiting(): number {
    return this.#written + this.#sending + this.#held
  }

  push<P extends PushName>(name: P, body: Pushes[P]): void {
    this.#socket.emit(name, body)
  }

  hold(bytes: number): boolean {
    if (this.waiting + bytes > WAITING_LIMIT) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
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
    const done = this.#turn.then(() => whenWritable(this)).then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  isOpen(): boolean {
    return this.#socket.connected
  }

  close(): void {
    this.#socket.disconnect(true)
  }

  /** What waits is dropped, and the other side's goodbye is not waited for. */
  cut(): void {
    const { conn } = this.#socket
    const { socket } = conn.transport as { socket?: { terminate?: () => void } }
    conn.close(true)
    socket?.terminate?.()
  }

  #add(bytes: number): void {
    if (this.waiting > WAITING_LIMIT) return this.cut()
    this.#packets += 1
    this.#written += bytes
    this.#pace.wrote(bytes)
  }

  #answered(): void {
    this.#pace.answered()
    this.#tell()
  }

  /** The ping goes in the same write. */
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

/** Resolves when the connection takes more, or is gone. */
export async function whenWritable(sink: Pick<PacketSink, 'isFull' | 'isOpen' | 'drained'>): Promise<void> {
  while (sink.isFull() && sink.isOpen()) await sink.drained()
}
