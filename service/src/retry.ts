import { setTimeout as delay } from 'node:timers/promises'
import { ContactError } from '../../protocol/index.ts'

const FIRST_MS = 100
const LAST_MS = 2_000

/** Does what must not be forgotten while the store is out, until it has been done, it turns out to be about nothing any more (`not_found`), or the service stops. */
export class Retry {
  readonly #onFault: (thrown: unknown) => void
  #stopped = false

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault
  }

  run(work: () => Promise<unknown>): void {
    void this.#until(work)
  }

  stop(): void {
    this.#stopped = true
  }

  async #until(work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = FIRST_MS; !this.#stopped; pauseMs = Math.min(LAST_MS, pauseMs * 2)) {
      try {
        await work()
        return
      } catch (thrown) {
        if (thrown instanceof ContactError && thrown.code === 'not_found') return
        if (!this.#stopped) this.#onFault(thrown)
        await delay(pauseMs, undefined, { ref: false })
      }
    }
  }
}
