/** A way between two programs that can be cut, in one direction or both, or lose packets. */
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

export class Gate {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  readonly #random: () => number
  #target: number
  #way: Way = 'open'
  #loss = 0

  private constructor(server: Server, target: number, random: () => number) {
    this.#server = server
    this.#target = target
    this.#random = random
  }

  /** A port that leads to another one of this machine. */
  static async open(target: number, random: () => number = Math.random): Promise<Gate> {
    const server = createServer()
    const gate = new Gate(server, target, random)
    server.on('connection', (near) => gate.#carry(near))
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
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
      from.on('data', (bytes) => this.#pass(from, to, bytes))
      from.on('close', () => {
        this.#lines.delete(line)
        to.destroy()
      })
    }
    this.#flow(line)
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
