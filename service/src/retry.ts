import { ContactError } from '../../protocol/index.ts'

const FIRST_MS = 100
const LAST_MS = 2_000
/** Maximum number of pending tasks, more than there are connections and their contacts. */
export const HELD_LIMIT = 50_000
/** Maximum number of tasks in parallel. */
export const AT_ONCE = 256

/** A task that must be done. */
type Work = () => Promise<unknown>

interface Held {
  /** The latest task of the key. */
  work: Work
  pauseMs: number
}

type Schedule = (run: () => void, delayMs: number) => void

/**
 * Repeats tasks that must not be lost while the store is down, until they are done, turn out to be obsolete
 * (`not_found`), or the service stops. A new task replaces a pending one with the same key. Tasks beyond the
 * limit are refused and reported as faults.
 */
export class Retry {
  readonly #onFault: (thrown: unknown) => void
  readonly #schedule: Schedule
  readonly #held = new Map<string, Held>()
  /** Keys whose next attempt is due. */
  readonly #due = new Set<string>()
  #running = 0
  #stopped = false

  constructor(
    onFault: (thrown: unknown) => void,
    schedule: Schedule = (run, delayMs) => void setTimeout(run, delayMs).unref(),
  ) {
    this.#onFault = onFault
    this.#schedule = schedule
  }

  run(key: string, work: Work): void {
    if (this.#stopped) return
    const held = this.#held.get(key)
    if (held) held.work = work
    else if (this.#held.size >= HELD_LIMIT)
      this.#onFault(
        new ContactError('offline', 'unable to keep what is to be done; too much waits for the store'),
      )
    else {
      this.#held.set(key, { work, pauseMs: FIRST_MS })
      this.#queue(key)
    }
  }

  stop(): void {
    this.#stopped = true
    this.#held.clear()
    this.#due.clear()
  }

  #queue(key: string): void {
    this.#due.add(key)
    this.#next()
  }

  #next(): void {
    for (const key of this.#due) {
      if (this.#running >= AT_ONCE) return
      this.#due.delete(key)
      const held = this.#held.get(key)
      if (held) void this.#try(key, held)
    }
  }

  async #try(key: string, held: Held): Promise<void> {
    const { work } = held
    this.#running += 1
    const isDone = await this.#isDone(work)
    this.#running -= 1
    if (!isDone) this.#later(key, held)
    else if (held.work !== work) this.#due.add(key)
    else this.#held.delete(key)
    this.#next()
  }

  #later(key: string, held: Held): void {
    this.#schedule(() => {
      if (!this.#stopped) this.#queue(key)
    }, held.pauseMs)
    held.pauseMs = Math.min(LAST_MS, held.pauseMs * 2)
  }

  async #isDone(work: Work): Promise<boolean> {
    try {
      await work()
      return true
    } catch (thrown) {
      if (thrown instanceof ContactError && thrown.code === 'not_found') return true
      if (!this.#stopped) this.#onFault(thrown)
      return false
    }
  }
}
