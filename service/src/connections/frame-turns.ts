import { setImmediate as turn } from 'node:timers/promises'

export interface FrameTurnsParts {
  readonly isOpen: () => boolean
  readonly hasRoom: () => boolean
  /** Whether pages, answers or offers wait for the connection. */
  readonly othersWait: () => boolean
  readonly whenRoom: () => Promise<void>
  /** Resolves when the pages that wait at the time of the call have been sent. */
  readonly whenOthersWent: () => Promise<void>
}

/**
 * The channels of one connection with relay frames to send. They take turns, one frame each. Pages of the log,
 * answers and offers that wait are sent first; while more of them follow, one frame is sent after each round.
 */
export class FrameTurns {
  readonly #parts: FrameTurnsParts
  /** The channel that has waited longest comes first. */
  readonly #channels = new Set<() => boolean>()
  #isRunning = false

  constructor(parts: FrameTurnsParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#channels.size === 0
  }

  /** `sendNext` sends one frame and returns whether another one can be sent. */
  add(sendNext: () => boolean): void {
    this.#channels.add(sendNext)
    if (this.#isRunning) return
    this.#sendWhileIdle()
    if (!this.isEmpty) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (!this.isEmpty && this.#parts.isOpen()) {
      await this.#othersFirst()
      if (!this.#parts.isOpen()) break
      this.#sendOne()
      this.#sendWhileIdle()
    }
    this.#channels.clear()
    this.#isRunning = false
  }

  async #othersFirst(): Promise<void> {
    await this.#room()
    if (!this.#parts.othersWait()) return
    await this.#parts.whenOthersWent()
    await this.#room()
  }

  /** Resolves when there is room that no answer or offer has taken, or the connection is closed. */
  async #room(): Promise<void> {
    do {
      await this.#parts.whenRoom()
      // Answers and offers that have waited for the same room are written in this turn of the event loop.
      await turn()
    } while (!this.#parts.hasRoom() && this.#parts.isOpen())
  }

  #sendWhileIdle(): void {
    while (!this.isEmpty && this.#parts.hasRoom() && !this.#parts.othersWait()) this.#sendOne()
  }

  #sendOne(): void {
    const [sendNext] = this.#channels
    if (!sendNext) return
    this.#channels.delete(sendNext)
    if (sendNext()) this.#channels.add(sendNext)
  }
}
