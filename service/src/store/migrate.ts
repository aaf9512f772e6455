import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { StartError, codeOf } from '../start-error.ts'
import { INDEXES } from './indexes.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migration } from './migrations.ts'
import { StoreClient } from './store-client.ts'

const MIGRATION_LOCK = 20_260_902
/** While another process migrates. */
const LOCK_PAUSE_MS = 200
/**
 * A table that others use is waited for so long, so often: who waits longer for it holds up everyone behind.
 */
const LOCK_TIMEOUT_MS = 3_000
const ATTEMPTS = 20
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the tables up to date, on a connection of its own: what is done to a large table takes as long as it
 * takes, and waits for others only briefly.
 */
export async function migrate(
  config: pg.ClientConfig,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const client = new StoreClient({ ...config, connectionTimeoutMillis: 8_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set statement_timeout = 0; set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await lock(client)
    await bringUpToDate(client, migrations)
  } finally {
    await client.end()
  }
}

/**
 * It asks again and again: a statement that waited for the lock would be one that an index being built has to
 * wait for.
 */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.locked) return
    await delay(LOCK_PAUSE_MS)
  }
}

async function bringUpToDate(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const applied = await appliedTo(client)
  checkNewer(applied, migrations)
  const missing = migrations.filter(({ id }) => !applied.has(id))
  const isNew = applied.size === 0
  if (missing.length > 0)
    await withinLocks(() =>
      applyAll(
        client,
        missing,
        isNew ? Object.entries(INDEXES).map(([name, on]) => `create index ${name} on ${on}`) : [],
      ),
    )
  if (!isNew) await makeIndexes(client)
}

/**
 * What stands in the store, and the migration that a process must know to work with it: null in what was
 * written before that was noted.
 */
async function appliedTo(client: pg.Client): Promise<ReadonlyMap<number, number | null>> {
  await client.query(
    'create table if not exists migrations (id integer primary key, applied timestamptz not null default now())',
  )
  await client.query('alter table migrations add column if not exists needs integer')
  const { rows } = await client.query<{ id: number; needs: number | null }>(
    'select id, needs from migrations',
  )
  return new Map(rows.map(({ id, needs }) => [id, needs]))
}

/** A newer process has been here: fine where it has only added to the store. */
function checkNewer(applied: ReadonlyMap<number, number | null>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ id }) => id))
  const unknown = [...applied].find(([id, needs]) => !known.has(id) && !known.has(needs ?? id) && needs !== 0)
  if (unknown)
    throw new StartError(
      `unable to open the database; it was written by a newer version of the service (migration ${unknown[0]}), which has changed what this version rests on: start that version, or restore a backup from before it`,
    )
}

/** All or nothing. */
async function applyAll(
  client: pg.Client,
  migrations: readonly Migration[],
  indexes: readonly string[],
): Promise<void> {
  await client.query('begin')
  try {
    for (const { id, sql, breaks, level } of migrations) {
      if (level !== undefined && !(await reserveFor(client, level))) continue
      await client.query(sql)
      const isNeeded = breaks === true || level !== undefined
      await client.query('insert into migrations (id, needs) values ($1, $2)', [id, isNeeded ? id : 0])
    }
    for (const index of indexes) await client.query(index)
    await client.query('commit')
  } catch (thrown) {
    await client.query('rollback').catch(() => {})
    throw thrown
  }
}

/** False while a node of a lower level is alive. None enters from the end of the transaction on. */
async function reserveFor(client: pg.Client, level: number): Promise<boolean> {
  await client.query('lock table nodes')
  const { rowCount } = await client.query(
    "select 1 from nodes where state <> 'dead' and level < $1 limit 1",
    [level],
  )
  if (rowCount !== 0) return false
  await client.query(
    `alter table nodes drop constraint if exists nodes_level,
      add constraint nodes_level check (state = 'dead' or level >= ${level}) not valid`,
  )
  return true
}

/**
 * Makes the indexes that are missing, or that a process which was killed has left half made, while others
 * write.
 */
async function makeIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; whole: boolean }>(
    'select c.relname as name, i.indisvalid as whole from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = current_schema()::regnamespace',
  )
  const found = new Map(rows.map(({ name, whole }) => [name, whole]))
  for (const [name, on] of Object.entries(INDEXES)) {
    if (found.get(name)) continue
    await withinLocks(async () => {
      await client.query(`drop index concurrently if exists ${name}`)
      await client.query(`create index concurrently ${name} on ${on}`)
    })
  }
}

/** Others go first, time and again, until there is a gap. */
async function withinLocks(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (cause) {
      if (codeOf(cause) !== LOCK_NOT_AVAILABLE) throw cause
      if (attempt === ATTEMPTS)
        throw new StartError(
          'unable to bring the tables up to date; another process holds one of them: end what works on the database for long',
          { cause },
        )
      await delay(LOCK_PAUSE_MS)
    }
  }
}
