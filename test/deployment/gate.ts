/** A way between two programs that can be cut, in one direction or both, lose packets, or take long. */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/**
 * `open`; `refused`: connections end, and no others are made; `silent`: nothing gets through in either direction,
 * and nobody is told; `deaf`: what is sent does not arrive, answers do; `mute`: what is sent arrives, answers do not.
 */
export type Way = 'open' | 'refused' | 'silent' | 'deaf' | 'mute'

/** A lost packet of TCP is sent again, which holds back all that comes after it. */
const RESENT_MS = 250

/** So much is kept on its way; then it is not read until some of it has arrived. */
const WINDOW_BYTES = 1_048_576

/** The two directions of a connection. */
interface Line {
  readonly there: Direction
  readonly back: Direction
}

/** On its way, and when it may arrive. Null: the end of the connection, which comes after all bytes. */
interface Waiting {
  readonly bytes: Buffer | null
  readonly at: number
}

/** One direction of a connection: a queue, of which only the first one can be passed on, whatever holds it back. */
class Direction {
  readonly #from: Socket
  readonly #to: Socket
  /** How much later than usual what comes now arrives. */
  readonly #latenessMs: () => number
  readonly #queue: Waiting[] = []
  #bytes = 0
  #isCut = false
  #isWaiting = false

  constructor(from: Socket, to: Socket, latenessMs: () => number) {
    this.#from = from
    this.#to = to
    this.#latenessMs = latenessMs
    from.setNoDelay(true)
    from.on('error', () => {})
    from.on('data', (bytes) => this.#add(bytes))
    from.on('close', () => this.#add(null))
  }

  /** What TCP has kept goes on when the way is open again. */
  cut(isCut: boolean): void {
    this.#isCut = isCut
    this.#next()
  }

  end(): void {
    this.#from.destroy()
    this.#to.destroy()
  }

  #add(bytes: Buffer | null): void {
    this.#queue.push({ bytes, at: performance.now() + this.#latenessMs() })
    this.#bytes += bytes?.length ?? 0
    this.#next()
  }

  #next(): void {
    while (this.#passFirst());
    if (this.#isCut || this.#bytes > WINDOW_BYTES) this.#from.pause()
    else this.#from.resume()
  }

  /** Whether the next one may follow at once. */
  #passFirst(): boolean {
    const [first] = this.#queue
    if (!first || this.#isCut || this.#isWaiting) return false
    const leftMs = first.at - performance.now()
    if (leftMs > 0) return this.#wait((goOn) => setTimeout(goOn, leftMs))
    this.#queue.shift()
    this.#bytes -= first.bytes?.length ?? 0
    if (this.#to.destroyed) return true
    if (!first.bytes) this.#to.destroySoon()
    else if (!this.#to.write(first.bytes)) return this.#wait((goOn) => this.#to.once('drain', goOn))
    return true
  }

  #wait(until: (goOn: () => void) => void): false {
    this.#isWaiting = true
    until(() => {
      this.#isWaiting = false
      this.#next()
    })
    return false
  }
}

export interface GateOptions {
  /** The address to listen on; by default of this machine alone. */
  readonly host?: string
  readonly random?: () => number
}

export class Gate {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  readonly #random: () => number
  #target: number
  #way: Way = 'open'
  #loss = 0
  #delayMs = 0

  private constructor(server: Server, target: number, random: () => number) {
    this.#server = server
    this.#target = target
    this.#random = random
  }

  /** A port that leads to another one of this machine. */
  static async open(target: number, options: GateOptions = {}): Promise<Gate> {
    const { host = '127.0.0.1', random = Math.random } = options
    const server = createServer()
    const gate = new Gate(server, target, random)
    server.on('connection', (near) => gate.#carry(near))
    await new Promise<void>((settle) => server.listen(0, host, settle))
    return gate
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Leads elsewhere from now on: the connections that there are end. */
  lead(target: number): void {
    this.#target = target
    this.#end()
  }

  /** What TCP has kept goes on when the way is open again. */
  set(way: Way): void {
    this.#way = way
    if (way === 'refused') this.#end()
    else for (const line of this.#lines) this.#cut(line)
  }

  /** This part of the packets is lost, and sent again by TCP. */
  lose(part: number): void {
    this.#loss = part
  }

  /** What is sent arrives so much later, in its order. */
  delay(ms: number): void {
    this.#delayMs = ms
  }

  async close(): Promise<void> {
    this.#end()
    await new Promise((settle) => this.#server.close(settle))
  }

  #end(): void {
    for (const { there } of this.#lines) there.end()
  }

  #carry(near: Socket): void {
    if (this.#way === 'refused') return void near.destroy()
    const far = connect(this.#target, '127.0.0.1')
    const latenessMs = (): number => this.#delayMs + (this.#random() < this.#loss ? RESENT_MS : 0)
    const line = {
      there: new Direction(near, far, latenessMs),
      back: new Direction(far, near, latenessMs),
    }
    this.#lines.add(line)
    for (const socket of [near, far]) socket.once('close', () => this.#forget(line, near, far))
    this.#cut(line)
  }

  #forget(line: Line, near: Socket, far: Socket): void {
    if (near.destroyed && far.destroyed) this.#lines.delete(line)
  }

  #cut({ there, back }: Line): void {
    there.cut(this.#way === 'deaf' || this.#way === 'silent')
    back.cut(this.#way === 'mute' || this.#way === 'silent')
  }
}
