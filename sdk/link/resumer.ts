import type { Clock } from '../../protocol/index.ts'

/** What fails is tried again after this, while the connection and all else on it go on, milliseconds. */
const AGAIN_MS = 2_000
export interface ResumerOptions {
  readonly clock: Clock
  readonly isConnected: () => boolean
  /** Whether the connection has failed, rather than what was asked on it. */
  readonly isLost: (thrown: unknown) => boolean
  readonly resume: () => Promise<void>
  /** Told once, until it has succeeded. */
  readonly onFailed: (thrown: unknown) => void
}

/** One thing that goes on with every connection. What is wrong with it takes the connection from nobody else. */
export class Resumer {
  readonly #options: ResumerOptions
  #again: unknown
  #running: Promise<void> | null = null
  #hasFailed = false
  #isOver = false

  constructor(options: ResumerOptions) {
    this.#options = options
  }

  /** Runs it at once; one that is under way is joined. @throws {@link ContactError} the connection is lost */
  run = (): Promise<void> => {
    if (this.#running) return this.#running
    this.#stopWaiting()
    const running = this.#resume().finally(() => {
      if (this.#running === running) this.#running = null
    })
    this.#running = running
    return running
  }

  /**
   * Runs it, unless it is under way, or will be tried again anyway. `isInVain`: what is under way waits for
   * what is lost, and is run anew in a moment.
   */
  ask = (isInVain = false): void => {
    if (this.#again !== undefined || this.#isOver) return
    if (this.#running) return isInVain ? this.#tryAgain() : undefined
    this.run().catch(() => this.#tryAgain())
  }

  /** The connection is gone: the next one tries again. */
  rest(): void {
    this.#running = null
    this.#stopWaiting()
  }

  stop(): void {
    this.#isOver = true
    this.rest()
  }

  async #resume(): Promise<void> {
    const { resume, isLost, onFailed } = this.#options
    try {
      await resume()
      this.#hasFailed = false
    } catch (thrown) {
      if (isLost(thrown)) throw thrown
      if (!this.#hasFailed) onFailed(thrown)
      this.#hasFailed = true
      this.#tryAgain()
    }
  }

  #stopWaiting(): void {
    this.#options.clock.clearTimeout(this.#again)
    this.#again = undefined
  }

  #tryAgain(): void {
    const { clock, isConnected } = this.#options
    if (this.#isOver || this.#again !== undefined || !isConnected()) return
    this.#again = clock.setTimeout(() => {
      this.rest()
      this.ask()
    }, AGAIN_MS)
  }
}
