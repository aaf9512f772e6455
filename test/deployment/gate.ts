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

interface Line {
  readonly near: Socket
  readonly far: Socket
}

/** On its way, and when it arrives. */
interface Waiting {
  readonly bytes: Buffer
  readonly at: number
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
    else for (const line of this.#lines) this.#flow(line)
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
    for (const { near, far } of this.#lines) {
      near.destroy()
      far.destroy()
    }
  }

  #carry(near: Socket): void {
    if (this.#way === 'refused') return void near.destroy()
    const far = connect(this.#target, '127.0.0.1')
    const line = { near, far }
    this.#lines.add(line)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      from.on('error', () => {})
      const waiting: Waiting[] = []
      from.on('data', (bytes) => {
        if (waiting.length === 0 && this.#delayMs === 0) return this.#pass(from, to, bytes)
        waiting.push({ bytes, at: performance.now() + this.#delayMs })
        if (waiting.length === 1) this.#passLater(from, to, waiting)
      })
      from.on('close', () => {
        this.#lines.delete(line)
        to.destroy()
      })
    }
    this.#flow(line)
  }

  #passLater(from: Socket, to: Socket, waiting: Waiting[]): void {
    const [first] = waiting
    if (!first) return
    setTimeout(() => {
      this.#pass(from, to, first.bytes)
      waiting.shift()
      this.#passLater(from, to, waiting)
    }, first.at - performance.now())
  }

  #pass(from: Socket, to: Socket, bytes: Buffer): void {
    const write = (): void => {
      if (to.destroyed || to.write(bytes)) return
      from.pause()
      to.once('drain', () => this.#flowAll())
    }
    if (this.#loss === 0 || this.#random() >= this.#loss) return write()
    from.pause()
    setTimeout(() => {
      write()
      this.#flowAll()
    }, RESENT_MS)
  }

  #flowAll(): void {
    for (const line of this.#lines) this.#flow(line)
  }

  #flow({ near, far }: Line): void {
    const isDeaf = this.#way === 'deaf' || this.#way === 'silent'
    const isMute = this.#way === 'mute' || this.#way === 'silent'
    if (isDeaf) near.pause()
    else if (!far.writableNeedDrain) near.resume()
    if (isMute) far.pause()
    else if (!near.writableNeedDrain) far.resume()
  }
}
