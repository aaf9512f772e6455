import { PIPE_WATERMARKS } from '../engines/index.ts'
import type { DataPipe, DataPipeEvents, DataPipeHost, MakeDataPipe } from '../engines/index.ts'
import { otherSlot } from '../protocol/index.ts'
import type { JsonValue, Slot } from '../protocol/index.ts'

const FRAME_BYTES = 16_384

/** The direct connections of two parties' data channels in memory, and what a test does to them. */
export class FakePipes {
  /** How a party's browser is: `missing` has no WebRTC, `blocked` a network that lets nothing through. */
  readonly state: Record<Slot, 'working' | 'missing' | 'blocked'> = { visitor: 'working', agent: 'working' }
  /** Called for each message; `cut` breaks the connection before it arrives. */
  onMessage: (from: Slot, bytes: Uint8Array) => 'pass' | 'cut' = () => 'pass'
  /** Connections made so far. */
  made = 0
  readonly #ends: Partial<Record<Slot, FakePipe>> = {}
  #isHeld = false
  #held: (() => void)[] = []

  /** What a party's environment gives to its data channels. */
  for = (slot: Slot) => async (): Promise<MakeDataPipe | null> =>
    this.state[slot] === 'missing'
      ? null
      : (host, events) => (this.#ends[slot] = new FakePipe(this, host, events))

  /** Whether the parties are connected. */
  get isOpen(): boolean {
    return this.#ends.visitor?.isOpen === true && this.#ends.agent?.isOpen === true
  }

  /** Breaks the connection: what is under way is lost. */
  cut(): void {
    this.#held = []
    for (const end of Object.values(this.#ends)) end.fail()
  }

  /** What is sent waits, as with a slow network, until `release`. */
  hold(): void {
    this.#isHeld = true
  }

  /** Lets go what waits. */
  release(): void {
    this.#isHeld = false
    for (const pass of this.#held.splice(0)) pass()
  }

  /** The pipe of the other party. */
  otherOf = (slot: Slot): FakePipe | undefined => this.#ends[otherSlot(slot)]

  /** Runs later, in order. */
  pass(run: () => void): void {
    if (this.#isHeld) this.#held.push(run)
    else queueMicrotask(run)
  }
}

/** One end of a connection in memory. */
class FakePipe implements DataPipe {
  isOpen = false
  bufferedBytes = 0
  readonly frameBytes = FRAME_BYTES
  readonly #pipes: FakePipes
  readonly #host: DataPipeHost
  readonly #events: DataPipeEvents

  constructor(pipes: FakePipes, host: DataPipeHost, events: DataPipeEvents) {
    this.#pipes = pipes
    this.#host = host
    this.#events = events
  }

  connect(): void {
    this.#host.signal({ fake: 'want' })
  }

  receive(signal: JsonValue): void {
    const word = typeof signal === 'object' && signal !== null && 'fake' in signal ? signal.fake : undefined
    if (word === 'bye') this.fail()
    if (this.isOpen || (word !== 'want' && word !== 'yes')) return
    if (Object.values(this.#pipes.state).includes('blocked')) return
    this.isOpen = true
    if (word === 'want') this.#host.signal({ fake: 'yes' })
    else this.#pipes.made++
    this.#events.opened()
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    if (!this.isOpen) throw new Error('there is no connection')
    if (bytes.length > FRAME_BYTES) throw new Error(`a frame has at most ${FRAME_BYTES} bytes`)
    const sent = bytes.slice()
    this.bufferedBytes += sent.length
    this.#pipes.pass(() => this.#arrive(sent))
  }

  close(): void {
    if (this.isOpen) this.#host.signal({ fake: 'bye' })
    this.isOpen = false
    this.bufferedBytes = 0
  }

  fail(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.bufferedBytes = 0
    this.#events.closed()
  }

  #arrive(bytes: Uint8Array): void {
    if (!this.isOpen) return
    if (this.#pipes.onMessage(this.#host.slot, bytes) === 'cut') return this.#pipes.cut()
    const wasFull = this.bufferedBytes > PIPE_WATERMARKS.low
    this.bufferedBytes -= bytes.length
    const other = this.#pipes.otherOf(this.#host.slot)
    if (other?.isOpen) other.#events.message(bytes)
    if (wasFull && this.bufferedBytes <= PIPE_WATERMARKS.low) this.#events.drained()
  }
}
