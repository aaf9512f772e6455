import { setImmediate as turn } from 'node:timers/promises'
import { ContactError } from '../../../protocol/index.ts'
import { whenWritable } from './packet-sink.ts'
import type { PacketSink } from './packet-sink.ts'

/** Large answers that are computed at the same time for one connection. */
const AT_ONCE = 4
/**
 * Calls that may wait. A party with more than that does not read the answers, and its connection is closed.
 */
const WAITING = 256

/**
 * The large answers for one connection. A few are computed at a time, and each is written when the connection
 * has taken the one before, so the memory that they need is bounded.
 */
export class AnswerQueue {
  readonly #sink: PacketSink
  readonly #waiting: (() => void)[] = []
  #running = 0
  #draining = false
  /** Resolves when the previous answer has been written. */
  #written: Promise<unknown> = Promise.resolve()

  constructor(sink: PacketSink) {
    this.#sink = sink
  }

  /**
   * Runs the work at once where that is possible. Resolves when the connection has room for the answer. The
   * caller writes the answer in the same turn of the event loop.
   *
   * @throws {@link ContactError} `offline`: the connection is gone
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#mustWait()) await this.#wait()
    else this.#running += 1
    try {
      if (!this.#sink.isOpen())
        throw new ContactError('offline', 'unable to carry out the call; the connection is gone')
      const answer = await work()
      await this.#whenWritable()
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

  /** Resolves for one answer after the other, each when the connection has taken those before. */
  #whenWritable(): Promise<void> {
    const room = this.#written.then(() => whenWritable(this.#sink))
    this.#written = room.then(() => turn())
    return room
  }

  #wait(): Promise<void> {
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
