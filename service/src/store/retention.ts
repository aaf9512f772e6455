import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import type { Say } from '../report.ts'
import {
  CONTACT_BATCH,
  REMOVAL_BATCH,
  removeAgents,
  removeContacts,
  removeEntries,
  removeFileRows,
  removeNotes,
  removeRefreshTokens,
  removeRevocations,
  removeStaleUploads,
} from './removal.ts'
import type { Tables } from './tables.ts'

/** How long data of ended contacts is kept, in milliseconds. */
export interface Retention {
  /** Texts, links, actions and everything else that parties wrote. */
  readonly messagesMs: number
  readonly filesMs: number
  /** The contact itself, with its details of the visit. */
  readonly contactsMs: number
}

/** An upload without progress for this time is removed. */
const STALE_UPLOAD_MS = 86_400_000

/** Time between two rounds. */
export const RETENTION_ROUND_MS = 3_600_000
/** Time until the next attempt after a fault. */
export const RETENTION_RETRY_MS = 60_000

/** The pause after a statement, as a multiple of its duration, leaves the store to others. */
const PAUSE_FACTOR = 2
const PAUSE_LIMIT_MS = 200

interface CleanerParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  readonly keep: Retention
  readonly files: {
    /** Removes files whose rows were deleted. */
    readonly unlink: (ids: readonly string[]) => Promise<void>
    /** Removes files without a row. */
    readonly sweep: () => Promise<void>
  }
  readonly debug: Say
  readonly onFault: (thrown: unknown) => void
  /** Called when a round was not finished. */
  readonly onUnfinished: () => void
}

/** Returns whether there may be more to do. */
type Step = () => Promise<boolean>

/**
 * Removes data that are older than their retention, in small statements that are each committed, while the
 * service runs.
 */
export class Cleaner {
  readonly #parts: CleanerParts
  #running: Promise<void> | null = null
  /** A round was requested while one runs. */
  #requested = false
  #stopped = false
  /** The last visitor that was checked. */
  #walked = { created: -1, id: '' }

  constructor(parts: CleanerParts) {
    this.#parts = parts
  }

  /** Begins a round. While one runs, the next one begins when it ends. */
  request(): void {
    if (this.#stopped) return
    if (this.#running) {
      this.#requested = true
      return
    }
    const { onFault, onUnfinished } = this.#parts
    this.#running = this.#round()
      .catch((thrown: unknown) => {
        onFault(thrown)
        onUnfinished()
      })
      .finally(() => {
        this.#running = null
        if (!this.#requested) return
        this.#requested = false
        this.request()
      })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #round(): Promise<void> {
    const { db, clock, keep, files, debug } = this.#parts
    const now = clock.now()
    const began = performance.now()
    this.#walked = { created: -1, id: '' }
    const steps: readonly Step[] = [
      () => this.#messages(now - keep.messagesMs),
      () => this.#files(now - keep.filesMs),
      async () => (await this.#unlink(await removeStaleUploads(db, now - STALE_UPLOAD_MS))) === REMOVAL_BATCH,
      () => this.#contacts(now - keep.contactsMs),
      async () => (await removeRevocations(db, now)) === REMOVAL_BATCH,
      async () => (await removeRefreshTokens(db, now)) === REMOVAL_BATCH,
      () => this.#visitors(now - keep.contactsMs),
      async () => (await removeAgents(db, now - keep.contactsMs)) === REMOVAL_BATCH,
    ]
    for (const step of steps) await this.#repeat(step)
    if (this.#stopped) return
    await files.sweep()
    debug('old data are removed', { ms: Math.round(performance.now() - began) })
  }

  async #repeat(step: Step): Promise<void> {
    for (let more = true; more && !this.#stopped;) {
      const start = performance.now()
      more = await step()
      if (more) await delay(Math.min((performance.now() - start) * PAUSE_FACTOR, PAUSE_LIMIT_MS))
    }
  }

  /** Marks each finished contact, so that the next round skips it. */
  async #messages(before: number): Promise<boolean> {
    const { db } = this.#parts
    const ids = await idsOf(
      db,
      sql`select id from contacts where ended < ${before} and ended is not null and legal_hold is null
        and not messages_removed order by ended, id limit ${CONTACT_BATCH}`,
    )
    if (ids.length === 0) return false
    if ((await removeEntries(db, ids)) < REMOVAL_BATCH && (await removeNotes(db, ids)) < REMOVAL_BATCH)
      await sql`update contacts set messages_removed = true where id = any(${ids})
        and legal_hold is null
        and not exists (select from entries e where e.contact = contacts.id)`.execute(db)
    return true
  }

  async #files(before: number): Promise<boolean> {
    const { db } = this.#parts
    const ids = await idsOf(
      db,
      sql`select id from contacts where ended < ${before} and ended is not null and legal_hold is null
        and not files_removed order by ended, id limit ${CONTACT_BATCH}`,
    )
    if (ids.length === 0) return false
    const gone = await this.#unlink(await removeFileRows(db, ids))
    if (gone < REMOVAL_BATCH)
      await sql`update contacts set files_removed = true where id = any(${ids})
        and legal_hold is null`.execute(db)
    return true
  }

  async #contacts(before: number): Promise<boolean> {
    const { db } = this.#parts
    const ids = await idsOf(
      db,
      sql`select id from contacts where ended < ${before} and ended is not null and legal_hold is null
        order by ended, id limit ${CONTACT_BATCH}`,
    )
    if (ids.length === 0) return false
    if ((await removeEntries(db, ids)) < REMOVAL_BATCH)
      await removeContacts(db, ids, async (files) => void (await this.#unlink(files)))
    return true
  }

  /** Removes visitors without contacts and sign-ins. The others are skipped. */
  async #visitors(before: number): Promise<boolean> {
    const { db } = this.#parts
    const { created, id } = this.#walked
    const { rows } = await sql<{ id: string; created: number }>`
      select id, created from visitors where created < ${before} and (created, id) > (${created}, ${id})
        order by created, id limit ${REMOVAL_BATCH}`.execute(db)
    const last = rows.at(-1)
    if (!last) return false
    await sql`delete from visitors v where v.id = any(${rows.map((row) => row.id)})
      and not exists (select 1 from contacts c where c.visitor = v.id)
        and not exists (select 1 from refresh_tokens r where r.visitor = v.id)`.execute(db)
    this.#walked = last
    return true
  }

  async #unlink(ids: readonly string[]): Promise<number> {
    if (ids.length > 0) await this.#parts.files.unlink(ids)
    return ids.length
  }
}

const idsOf = async (db: Kysely<Tables>, query: ReturnType<typeof sql>): Promise<string[]> =>
  ((await query.execute(db)).rows as { id: string }[]).map(({ id }) => id)
