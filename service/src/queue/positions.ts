import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Pushes } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'

interface PositionParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  /** Contacts that somebody here waits for. */
  readonly open: () => readonly string[]
  readonly tell: (push: Pushes['contact.queue']) => void
  readonly onFault: (thrown: unknown) => void
}

/** Contacts taken in this time tell how long the others will wait. */
const WINDOW_MS = 600_000
/** In a long queue every contact that is taken moves all others: then they are told so often at most. */
const PAUSE_MS = 1_000
const LONG = 100

/** Tells waiting visitors where they stand. */
export class Positions {
  readonly #parts: PositionParts
  readonly #told = new Map<string, number>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #handle: unknown = null
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(parts: PositionParts) {
    this.#parts = parts
  }

  /** The queue has moved: looks again, now or after the pause. */
  moved(): void {
    if (this.#stopped || this.#handle !== null) return
    const { clock, onFault } = this.#parts
    const run = (): void => {
      this.#handle = null
      this.#lookedAt = clock.now()
      this.#running = this.#running.then(() => this.#refresh()).catch(onFault)
    }
    const waitMs = this.#told.size < LONG ? 0 : this.#lookedAt + PAUSE_MS - clock.now()
    if (waitMs <= 0) run()
    else this.#handle = clock.setTimeout(run, waitMs)
  }

  /** A page has opened the contact and knows nothing yet. */
  opened(contact: string): void {
    if (this.#told.delete(contact)) this.moved()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#handle !== null) this.#parts.clock.clearTimeout(this.#handle)
    await this.#running
  }

  /** Only what has changed is told. */
  async #refresh(): Promise<void> {
    const { db, clock, open, tell } = this.#parts
    const ids = open()
    if (ids.length === 0) return
    const since = clock.now() - WINDOW_MS
    const { rows } = await sql<{ id: string; position: number; taken: number }>`
      select id, position, (select count(*) from entries where type = 'assigned' and time > ${since}) as taken
      from (select id, row_number() over (order by queued_at, id) as position from contacts where waiting) waiting
      where id = any(${ids})`.execute(db)
    for (const { id, position, taken } of rows) {
      if (this.#told.get(id) === position) continue
      tell({ contact: id, position, ...(taken > 0 ? { expectedWaitMs: Math.round((position * WINDOW_MS) / taken) } : {}) })
      this.#told.set(id, position)
    }
    const waiting = new Set(rows.map((row) => row.id))
    for (const id of this.#told.keys()) if (!waiting.has(id)) this.#told.delete(id)
  }
}
