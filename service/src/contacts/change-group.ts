import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { Metrics } from '../http/metrics.ts'
import { isBlocked, isCollision, isDeadlock, storeError } from '../store/database.ts'
import { keptAs } from '../store/kept-statement.ts'
import { CONTACT_COLUMNS } from '../store/tables.ts'
import type { ContactRow, Tables } from '../store/tables.ts'
import type { ContactChange } from './contact-change.ts'
import { saveChanges } from './save-changes.ts'
import { TransactionBatch } from '../store/transaction-batch.ts'

/** What a change begins with. */
export interface ChangeInput {
  readonly batch: TransactionBatch
  /** The contact's row, locked; undefined where there is none. */
  readonly row: ContactRow | undefined
}

/** A change of one contact that waits for its transaction. */
export interface ChangeJob {
  readonly contact: string
  /** The agent or other party that the change looks at or locks besides the contact; null: none. */
  readonly lockKey: string | null
  /** It makes the contact: there is no row yet. */
  readonly isNew: boolean
  /**
   * Gives what is to be stored. Where it fails with a {@link ContactError}, it has not written anything: the
   * changes of others are stored without it.
   */
  readonly run: (opening: ChangeInput) => Promise<readonly ContactChange[]>
  readonly done: () => void
  readonly failed: (cause: unknown) => void
}

interface GroupParts {
  readonly db: Kysely<Tables>
  /** Whether contacts that somebody else has locked are waited for. */
  readonly waits: boolean
  readonly now: () => number
  readonly metrics: Pick<Metrics, 'add'>
  /** Tells the others of what has been stored. */
  readonly publish: (change: ContactChange) => void
}

const ATTEMPTS = 3

/**
 * Carries out changes of different contacts in one transaction. One that the store refuses is tried alone, so
 * that it spoils nobody else's. Gives those that are left, because they wait for a lock that somebody else
 * has. Never rejects.
 */
export async function carryOut(parts: GroupParts, jobs: readonly ChangeJob[]): Promise<readonly ChangeJob[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { endings, blocked } = await runGroup(parts, jobs)
      for (const finish of endings) finish()
      return blocked
    } catch (thrown) {
      if (isDeadlock(thrown)) parts.metrics.add('duolog_deadlocks_total')
      if (isCollision(thrown) && attempt < ATTEMPTS) continue
      if (jobs.length > 1 && isBlocked(thrown)) return jobs
      if (jobs.length > 1 && storeError(thrown).code !== 'offline') return await separately(parts, jobs)
      for (const job of jobs) job.failed(thrown)
      return []
    }
  }
}

async function separately(parts: GroupParts, jobs: readonly ChangeJob[]): Promise<readonly ChangeJob[]> {
  const left: ChangeJob[] = []
  for (const job of jobs) left.push(...(await carryOut(parts, [job])))
  return left
}

interface Ended {
  /** To be told now that all is stored. */
  readonly endings: readonly (() => void)[]
  readonly blocked: readonly ChangeJob[]
}

async function runGroup({ db, waits, now, publish }: GroupParts, jobs: readonly ChangeJob[]): Promise<Ended> {
  const { changes, endings, blocked } = await db.transaction().execute(async (trx) => {
    const batch = new TransactionBatch(trx, now())
    const rows = await lockRows(trx, jobs, waits)
    await lockMet(trx, jobs)
    const missing = jobs.filter((job) => !job.isNew && !rows.has(job.contact))
    const left = waits ? [] : await lockedOf(trx, missing)
    const outcomes = await allOf(
      jobs
        .filter((job) => !left.includes(job))
        .map((job) => outcomeOf(job, { batch, row: rows.get(job.contact) })),
    )
    const made = outcomes.flatMap((outcome) => outcome.changes)
    await saveChanges(batch, made)
    return { changes: made, endings: outcomes.map(({ end }) => end), blocked: left }
  })
  for (const change of changes) publish(change)
  return { endings, blocked }
}

/** Where one fails, the others are waited for all the same: none may use the transaction after its end. */
async function allOf<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

async function outcomeOf(
  job: ChangeJob,
  opening: ChangeInput,
): Promise<{ readonly changes: readonly ContactChange[]; readonly end: () => void }> {
  try {
    return { changes: await job.run(opening), end: job.done }
  } catch (thrown) {
    if (!(thrown instanceof ContactError)) throw thrown
    return { changes: [], end: () => job.failed(thrown) }
  }
}

/** Without waiting, a row that somebody else has locked is missing in the answer. */
async function lockRows(
  trx: Transaction<Tables>,
  jobs: readonly ChangeJob[],
  waits: boolean,
): Promise<ReadonlyMap<string, ContactRow>> {
  const ids = jobs.map((job) => job.contact)
  const [name, how] = waits ? ['lock_contacts', ''] : ['lock_free_contacts', 'skip locked']
  const { rows } = await sql<ContactRow>`${keptAs(name)} select ${sql.raw(CONTACT_COLUMNS.join(', '))}
    from contacts where id = any(${ids}::text[]) order by id for update ${sql.raw(how)}`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * What several changes meet at besides their contacts is locked right after these, in the same order by every
 * group of every node: agents, then visitors. One alone is locked where it is looked at.
 */
async function lockMet(trx: Transaction<Tables>, jobs: readonly ChangeJob[]): Promise<void> {
  const keys = [...new Set(jobs.flatMap(({ lockKey }) => lockKey ?? []))]
  if (keys.length < 2) return
  await sql`
    with met_agents as materialized (
      select id from agents where id = any(${keys}) order by id for update
    ), met_visitors as materialized (
      select id from visitors where id = any(${keys}) and (select count(*) from met_agents) >= 0
        order by id for no key update
    ) select count(*) from met_visitors`.execute(trx)
}

/** Of those whose row is missing: the ones that there are. */
async function lockedOf(
  trx: Transaction<Tables>,
  missing: readonly ChangeJob[],
): Promise<readonly ChangeJob[]> {
  if (missing.length === 0) return []
  const ids = missing.map((job) => job.contact)
  const rows = await trx.selectFrom('contacts').select('id').where('id', 'in', ids).execute()
  const locked = new Set(rows.map(({ id }) => id))
  return missing.filter((job) => locked.has(job.contact))
}
