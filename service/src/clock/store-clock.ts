import type { Pool } from 'pg'
import type { ServiceClock } from './clock.ts'

/** How often it asks the store for the time. */
const ASK_MS = 10_000

/**
 * The time of the store, for all that stands in it: what one process writes as due, another carries out, so
 * they go by one clock.
 * Between two answers of the store it goes on as the machine's clock does.
 */
export class StoreClock implements ServiceClock {
  readonly #machine: ServiceClock
  readonly #pool: Pick<Pool, 'query'>
  readonly #onFault: (thrown: unknown) => void
  /** By how much the store is ahead of this machine. */
  #aheadMs = 0
  #handle: unknown = null
  #stopped = false

  constructor(machine: ServiceClock, pool: Pick<Pool, 'query'>, onFault: (thrown: unknown) => void) {
    this.#machine = machine
    this.#pool = pool
    this.#onFault = onFault
  }

  async start(): Promise<void> {
    await this.ask().catch(this.#onFault)
    if (!this.#stopped) this.#handle = this.#machine.setTimeout(() => void this.start(), ASK_MS)
  }

  stop(): void {
    this.#stopped = true
    if (this.#handle !== null) this.#machine.clearTimeout(this.#handle)
  }

  now(): number {
    return this.#machine.now() + this.#aheadMs
  }

  setTimeout(run: () => void, delayMs: number): unknown {
    return this.#machine.setTimeout(run, delayMs)
  }

  clearTimeout(handle: unknown): void {
    this.#machine.clearTimeout(handle)
  }

  /** The answer is of some moment between question and arrival: a difference within that is none. */
  async ask(): Promise<void> {
    const asked = this.#machine.now()
    const { rows } = await this.#pool.query<{ now: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now',
    )
    const heard = this.#machine.now()
    const store = Number(rows[0]?.now)
    const [least, most] = [store - heard, store - asked]
    if (heard < asked || (this.#aheadMs >= least && this.#aheadMs <= most)) return
    this.#aheadMs = Math.round((least + most) / 2)
  }
}
