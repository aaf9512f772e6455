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
}

/** Contacts taken in this time tell how long the others will wait. */
const WINDOW_MS = 600_000

/** Tells waiting visitors where they stand. */
export class Positions {
  readonly #parts: PositionParts
  readonly #told = new Map<string, number>()

  constructor(parts: PositionParts) {
    this.#parts = parts
  }

  /** Looks again; only what has changed is told. */
  async refresh(): Promise<void> {
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
