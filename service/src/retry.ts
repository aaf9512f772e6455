import { ContactError } from '../../protocol/index.ts'

const FIRST_MS = 100
const LAST_MS = 2_000
/** What is kept until it has been done: more than there are connections and their contacts. */
export const HELD_LIMIT = 50_000
/** What is tried at the same time. */
export const AT_ONCE = 256

/** Something that is to be done, whatever it takes. */
type Work = () => Promise<unknown>

interface Held {
  /** What was asked for last. */
  work: Work
  pauseMs: number
}

type Schedule = (run: () => void, delayMs: number) => void

/**
 * Does what must not be forgotten while the store is out, until it has been done, it turns out to be about
 * nothing any more (`not_found`), or the service stops. Work of the same key replaces what has not been done
 * yet. What is kept is bounded:
 * beyond that it is refused and told as a fault.
 */
export class Retry {
  readonly #onFault: (thrown: unknown) => void
  readonly #schedule: Schedule
  readonly #held = new Map<string, Held>()
  /** Keys whose turn has come. */
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
