import { setImmediate as turn } from 'node:timers/promises'
import { ContactError } from '../../../protocol/index.ts'
import { roomIn } from './packet-sink.ts'
import type { PacketSink } from './packet-sink.ts'

/** Large answers that are made at a time for one connection. */
const AT_ONCE = 4
/**
 * So many calls may wait for their turn: who asks for more than that does not read the answers, and is cut
 * off.
 */
const WAITING = 256

/**
 * Large answers are made a few at a time for one connection, and handed out one by one, while it takes what
 * it is sent: so what waits for it is bounded, however much it asks for.
 */
export class Turns {
  readonly #sink: PacketSink
  readonly #waiting: (() => void)[] = []
  #running = 0
  #draining = false
  /** The answer before has been written. */
  #written: Promise<unknown> = Promise.resolve()

  constructor(sink: PacketSink) {
    this.#sink = sink
  }

  /**
   * Does the work at once where that is possible. What it gives is handed out when there is room for it, and
   * written in the same turn.
   *
   * @throws {@link ContactError} `offline`: the connection is gone
   */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#mustWait()) await this.#turn()
    else this.#running += 1
    try {
      if (!this.#sink.isOpen())
        throw new ContactError('offline', 'unable to carry out the call; the connection is gone')
      const answer = await work()
      await this.#handOut()
      return answer
    } finally {
      setImmediate(() => {
        this.#running -= 1
        this.#grant()
      })
    }
  }

  #mustWait(): boolean {
    return this.#sink.isOpen() && (this.#running >= AT_ONCE || this.#sink.isFull())
  }

  /** One answer after the other, each when the connection has taken those before. */
  #handOut(): Promise<void> {
    const room = this.#written.then(() => roomIn(this.#sink))
    this.#written = room.then(() => turn())
    return room
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= WAITING) this.#sink.cut()
    return new Promise((settle) => {
      this.#waiting.push(settle)
      this.#grant()
    })
  }

  #grant(): void {
    while (this.#waiting.length > 0 && !this.#mustWait()) {
      this.#running += 1
      this.#waiting.shift()?.()
    }
    if (this.#waiting.length > 0 && this.#sink.isFull()) this.#grantWhenDrained()
  }

  #grantWhenDrained(): void {
    if (this.#draining) return
    this.#draining = true
    void this.#sink.drained().then(() => {
      this.#draining = false
      this.#grant()
    })
  }
}
