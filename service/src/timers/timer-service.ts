import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'
import type { TimerKind, TimerRow } from './timer-rows.ts'

const BATCH = 200
/** Timers that another process has set are seen at the latest after this. */
const POLL_MS = 1_000

/** Carries out a timer. It takes the row ({@link takeTimer}) in the transaction of what it does, so that nothing is done twice or lost. */
export type TimerRun = (timer: TimerRow) => Promise<void>

interface TimerWorld {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  readonly onFault: (thrown: unknown) => void
}

/** Wakes at the next due row and hands it to the part of the service that set it. */
export class TimerService {
  readonly #world: TimerWorld
  readonly #runs = new Map<TimerKind, TimerRun>()
  #handle: unknown = null
  #wakeAt = Number.POSITIVE_INFINITY
  #round: Promise<void> = Promise.resolve()
  #running = false
  #again = false
  #stopped = false

  constructor(world: TimerWorld) {
    this.#world = world
  }

  handle(kind: TimerKind, run: TimerRun): void {
    this.#runs.set(kind, run)
  }

  start(): void {
    this.wake(this.#world.clock.now())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#handle !== null) this.#world.clock.clearTimeout(this.#handle)
    await this.#round
  }

  /** A row was set for `due`. */
  wake(due: number): void {
    if (this.#stopped || due >= this.#wakeAt) return
    if (this.#handle !== null) this.#world.clock.clearTimeout(this.#handle)
    this.#wakeAt = due
    this.#handle = this.#world.clock.setTimeout(() => this.#ring(), Math.max(0, due - this.#world.clock.now()))
  }

  #ring(): void {
    this.#handle = null
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#again = true
    if (this.#running) return
    this.#running = true
    this.#round = this.#rounds()
      .catch(this.#world.onFault)
      .finally(() => {
        this.#running = false
        this.wake(this.#world.clock.now() + POLL_MS)
      })
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      await this.#runDue()
    }
  }

  async #runDue(): Promise<void> {
    const { db, clock } = this.#world
    for (;;) {
      const now = clock.now()
      const due = await db.selectFrom('timers').selectAll().where('due', '<=', now).orderBy('due').limit(BATCH).execute()
      const outcomes = await Promise.allSettled(due.map((timer) => this.#run(timer as TimerRow)))
      for (const outcome of outcomes) if (outcome.status === 'rejected') this.#world.onFault(outcome.reason)
      const progressed = outcomes.some((outcome) => outcome.status === 'fulfilled')
      if (due.length === BATCH && progressed && !this.#stopped) continue
      const next = await db.selectFrom('timers').select('due').where('due', '>', now).orderBy('due').limit(1).executeTakeFirst()
      if (next) this.wake(next.due)
      return
    }
  }

  async #run(timer: TimerRow): Promise<void> {
    await this.#runs.get(timer.kind)?.(timer)
  }
}
