import { within } from '../../protocol/index.ts'
import { leftError } from './errors.ts'

interface Operation {
  readonly abort: AbortController
  readonly settled: Promise<unknown>
}

/** Runs operations one after the other: a new one aborts the one before. */
export class Operations {
  #running: Operation | undefined

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /**
   * Runs one after the one before. The first steps are done before this returns: a user gesture may depend on
   * it.
   * @throws `left` when it is aborted
   */
  run(outer: AbortSignal | undefined, work: (stop: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController()
    const before = this.#running
    before?.abort.abort(leftError())
    const forward = (): void => abort.abort(leftError())
    outer?.addEventListener('abort', forward)
    const start = async (): Promise<void> => {
      if (before) await before.settled
      if (outer?.aborted) forward()
      abort.signal.throwIfAborted()
      await work(abort.signal)
    }
    const done = start()
    const operation: Operation = { abort, settled: done.catch(() => {}) }
    this.#running = operation
    return done.finally(() => {
      outer?.removeEventListener('abort', forward)
      abort.abort()
      if (this.#running === operation) this.#running = undefined
    })
  }

  /** Aborts what runs; `before` is done meanwhile. Resolves when it has settled. */
  async abort(before: () => void): Promise<void> {
    const running = this.#running
    running?.abort.abort(leftError())
    before()
    await running?.settled
  }
}

/** Waits for `work`. @throws what it rejects with; the reason of `stop` as soon as that is aborted */
export async function unlessAborted(work: Promise<unknown>, stop: AbortSignal): Promise<void> {
  work.catch(() => {})
  stop.throwIfAborted()
  await within(work, { over: stop })
}
