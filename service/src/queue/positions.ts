import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Pushes } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'

interface PositionParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  /** Whether there may be other nodes. */
  readonly isOneOfMany: () => boolean
  /** Contacts that somebody here waits for. */
  readonly open: () => readonly string[]
  readonly tell: (push: Pushes['contact.queue']) => void
  readonly onFault: (thrown: unknown) => void
}

/** Contacts taken in this time tell how long the others will wait. */
const WINDOW_MS = 600_000
/** In a long queue, or among several nodes, they are told so often at most: one contact that is taken moves all. */
const PAUSE_MS = 1_000
const LONG = 100
/** Contacts of one statement, and so many are told at a time. */
const PAGE = 500
/** More than these are not counted. */
const TAKEN_LIMIT = 10_000

interface Place {
  readonly id: string
  readonly queued_at: number
  /** From 1 on. */
  readonly position: number
}

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
    const isQuick = this.#told.size < LONG && !this.#parts.isOneOfMany()
    const waitMs = isQuick ? 0 : Math.min(PAUSE_MS, this.#lookedAt + PAUSE_MS - clock.now())
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

  /** Only what has changed is told: some at a time, so that others have their turn. */
  async #refresh(): Promise<void> {
    const open = new Set(this.#parts.open())
    if (open.size === 0) return this.#told.clear()
    const perContactMs = await this.#pace()
    const waiting = new Set<string>()
    let from: Place | null = { id: '', queued_at: -1, position: 0 }
    while (from) {
      const places: readonly Place[] = await this.#page(from)
      for (const place of places) {
        if (!open.has(place.id)) continue
        waiting.add(place.id)
        this.#tell(place, perContactMs)
      }
      from = places.length === PAGE ? (places.at(-1) ?? null) : null
    }
    for (const id of this.#told.keys()) if (!waiting.has(id)) this.#told.delete(id)
  }

  #tell({ id, position }: Place, perContactMs: number | null): void {
    if (this.#told.get(id) === position) return
    this.#parts.tell({
      contact: id,
      position,
      ...(perContactMs === null ? {} : { expectedWaitMs: Math.round(position * perContactMs) }),
    })
    this.#told.set(id, position)
  }

  /** Time from one contact that is taken to the next; null where none was. */
  async #pace(): Promise<number | null> {
    const { db, clock } = this.#parts
    const { rows } = await sql<{ taken: number }>`
      select count(*) as taken from (select 1 from entries where type = 'assigned'
        and time > ${clock.now() - WINDOW_MS} limit ${TAKEN_LIMIT}) taken`.execute(db)
    const taken = rows[0]?.taken ?? 0
    return taken > 0 ? WINDOW_MS / taken : null
  }

  /** The queue behind a place. */
  async #page({ queued_at: queuedAt, id, position }: Place): Promise<Place[]> {
    const { rows } = await sql<Omit<Place, 'position'>>`
      select id, queued_at from contacts where waiting and not visitor_away and (queued_at, id) > (${queuedAt}, ${id})
        order by queued_at, id limit ${PAGE}`.execute(this.#parts.db)
    return rows.map((row, index) => ({ ...row, position: position + index + 1 }))
  }
}
