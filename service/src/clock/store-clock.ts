import type { Pool } from 'pg'
import type { ServiceClock } from './clock.ts'

/** How often it asks the store for the time: as often as a node beats. */
const ASK_MS = 2_000
/** Where it is behind by more it jumps: the machine was suspended, or has the first answer. */
const JUMP_MS = 1_000
/** What it is off is made up for at this part of the time that passes. */
const SLEW = 0.5

/** The time at a moment of the machine's monotonic time, and how far it was off there. */
interface Reading {
  readonly at: number
  readonly time: number
  readonly offMs: number
}

/**
 * The time of the store, for all that stands in it: what one process writes as due, another carries out, so
 * they go by one clock.
 * Between two answers of the store it goes on by the machine's monotonic time, whatever the machine's clock is
 * set to. What an answer proves it to be off is made up for little by little, and it never goes back.
 */
export class StoreClock implements ServiceClock {
  readonly #machine: ServiceClock
  readonly #pool: Pick<Pool, 'query'>
  readonly #onFault: (thrown: unknown) => void
  readonly #monotonic: () => number
  #reading: Reading
  #isTold = false
  #handle: unknown = null
  #stopped = false

  constructor(
    { machine, monotonic }: { readonly machine: ServiceClock; readonly monotonic: () => number },
    pool: Pick<Pool, 'query'>,
    onFault: (thrown: unknown) => void,
  ) {
    this.#machine = machine
    this.#monotonic = monotonic
    this.#pool = pool
    this.#onFault = onFault
    this.#reading = { at: monotonic(), time: machine.now(), offMs: 0 }
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
    return Math.floor(this.#timeAt(this.#monotonic()))
  }

  setTimeout(run: () => void, delayMs: number): unknown {
    return this.#machine.setTimeout(run, delayMs)
  }

  clearTimeout(handle: unknown): void {
    this.#machine.clearTimeout(handle)
  }

  /** The answer is of some moment between question and arrival: a difference within that is none. */
  async ask(): Promise<void> {
    const asked = this.#monotonic()
    const { rows } = await this.#pool.query<{ now: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now',
    )
    const heard = this.#monotonic()
    const [time, uncertainMs] = [this.#timeAt(heard), (heard - asked) / 2]
    const offMs = Number(rows[0]?.now) + uncertainMs - time
    this.#note(heard, time, Math.abs(offMs) <= uncertainMs ? 0 : offMs)
  }

  /** The first answer is what it begins with: nobody has been told another time. */
  #note(at: number, time: number, offMs: number): void {
    const jumpMs = !this.#isTold || offMs > JUMP_MS ? offMs : 0
    this.#isTold = true
    this.#reading = { at, time: time + jumpMs, offMs: offMs - jumpMs }
  }

  #timeAt(now: number): number {
    const { at, time, offMs } = this.#reading
    const passed = now - at
    const slewed = Math.min(Math.abs(offMs), passed * SLEW)
    return time + passed + Math.sign(offMs) * slewed
  }
}
