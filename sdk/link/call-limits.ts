import { ContactError } from '../../protocol/index.ts'
import type { CallName } from '../../protocol/index.ts'
import type { EntryLine } from '../log/replay-limit.ts'

/**
 * A call has no answer once the connection has been silent for so long. Something that arrives shows that it
 * is only slow; then the call may take the longer time.
 */
const CALL_LIMIT_MS = 10_000
const SLOW_CALL_LIMIT_MS = 120_000

/** The limits of calls that wait for their answers. */
export class CallLimits {
  readonly #line: EntryLine
  readonly #calls = new Set<(error: ContactError) => void>()
  /** Why calls failed that were not answered in time. */
  readonly #silent = new WeakSet<ContactError>()
  /** Fail what was held back on the connection. */
  #late: ((error: ContactError) => void)[] = []
  readonly #onIdle: () => void

  /** `onIdle`: the last call that waited has its answer. */
  constructor(line: EntryLine, onIdle: () => void) {
    this.#line = line
    this.#onIdle = onIdle
  }

  /** No call waits for its answer. */
  get isIdle(): boolean {
    return this.#calls.size === 0
  }

  /** Whether it says that a call was not answered in time. */
  wasSilent = (thrown: ContactError): boolean => this.#silent.has(thrown)

  /** All calls that wait fail. */
  end(error: ContactError): void {
    for (const fail of [...this.#calls, ...this.#late]) fail(error)
    this.#late = []
  }

  /** A call that is not made on this connection any more: it fails when that ends. */
  held = (): Promise<never> => new Promise((_resolve, reject) => this.#late.push(reject))

  /** The answer, as long as it may come. @throws {@link ContactError} `timeout` */
  within<T>(name: CallName, answer: Promise<T>): Promise<T> {
    const { clock } = this.#line
    const begun = clock.now()
    return new Promise((resolve, reject) => {
      let timer: unknown
      const settle = (run: () => void): void => {
        this.#calls.delete(reject)
        clock.clearTimeout(timer)
        run()
        if (this.isIdle) this.#onIdle()
      }
      const wait = (ms: number): void => {
        timer = clock.setTimeout(() => {
          const waited = clock.now() - begun
          const left = Math.min(CALL_LIMIT_MS - this.#line.silentMs, SLOW_CALL_LIMIT_MS - waited)
          if (left > 0) return wait(left)
          const error = new ContactError('timeout', `unable to call ${name}; the service did not answer`)
          this.#silent.add(error)
          settle(() => reject(error))
        }, ms)
      }
      this.#calls.add(reject)
      wait(CALL_LIMIT_MS)
      const settled = (): void => settle(() => resolve(answer))
      answer.then(settled, settled)
    })
  }
}
