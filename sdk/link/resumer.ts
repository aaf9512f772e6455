import { ContactError } from '../../protocol/index.ts'
import type { Clock, ErrorCode } from '../../protocol/index.ts'

/** What fails is tried again after this, while the connection and all else on it go on, milliseconds. */
const AGAIN_MS = 2_000
/** The connection is gone, or hangs: it is made anew. */
const LOST: ReadonlySet<ErrorCode> = new Set(['offline', 'timeout', 'unauthorized'])

/** Whether what failed says something of the connection, rather than of what was asked. */
export const isLost = (thrown: unknown): boolean => thrown instanceof ContactError && LOST.has(thrown.code)

export interface ResumerOptions {
  readonly clock: Clock
  readonly isConnected: () => boolean
  readonly resume: () => Promise<void>
  /** Told once, until it has succeeded. */
  readonly onFailed: (thrown: unknown) => void
}

/** One thing that goes on with every connection. What is wrong with it takes the connection from nobody else. */
export class Resumer {
  readonly #options: ResumerOptions
  #again: unknown
  #hasFailed = false
  #isOver = false

  constructor(options: ResumerOptions) {
    this.#options = options
  }

  /** @throws {@link ContactError} `offline`, `timeout`, `unauthorized`: the connection is lost */
  run = async (): Promise<void> => {
    this.rest()
    try {
      await this.#options.resume()
      this.#hasFailed = false
    } catch (thrown) {
      if (isLost(thrown)) throw thrown
      if (!this.#hasFailed) this.#options.onFailed(thrown)
      this.#hasFailed = true
      this.#tryAgain()
    }
  }

  /** The connection is gone: the next one tries again. */
  rest(): void {
    this.#options.clock.clearTimeout(this.#again)
  }

  stop(): void {
    this.#isOver = true
    this.rest()
  }

  #tryAgain(): void {
    const { clock, isConnected } = this.#options
    if (this.#isOver || !isConnected()) return
    this.#again = clock.setTimeout(() => void this.run().catch(() => this.#tryAgain()), AGAIN_MS)
  }
}
