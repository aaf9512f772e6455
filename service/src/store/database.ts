import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { ContactError } from '../../../protocol/index.ts'
import { StartError, codeOf, messageOf } from '../start-error.ts'
import { awaitNodesGone, keepNodesOut } from './alone-or-shared.ts'
import { EmbeddedCluster } from './embedded-cluster.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations.ts'
import { OwnedPool } from './owned-pool.ts'
import { SoleOwner } from './sole-owner.ts'
import { StoreClient } from './store-client.ts'
import type { StoreClientConfig } from './store-client.ts'
import { StoreOutError } from './store-out-error.ts'
import type { Tables } from './tables.ts'

/** An open store. */
export interface Database {
  readonly db: Kysely<Tables>
  /** For statements where every microsecond counts. */
  readonly pool: pg.Pool
  /** Resolves when another process has taken the database: this one is to stop. */
  readonly lost: Promise<void>
  /** Process id of the embedded PostgreSQL; 0 for an external one. */
  postgresPid(): number
  close(): Promise<void>
}

export interface StoreLocation {
  readonly data: string
  /** An external PostgreSQL instead of the embedded one. */
  readonly databaseUrl: string | null
  /** Other nodes use the external PostgreSQL, too. */
  readonly isShared?: boolean
  /** Connections of the pool; the embedded one takes 60. */
  readonly poolSize?: number
  /** Hears of failures while the database is away, and of answers that are malformed. */
  readonly onFault?: (thrown: unknown) => void
}

const DATABASE = 'duolog'
const LOCK = 20_260_904
const REFUSAL =
  'unable to use the database; another service is running on it: stop that one first, or give this one a database of its own'
/** Where nothing else is said. */
const POOL_SIZE = 16
const INT8_OID = 20
/** A row that somebody else has locked is waited for so long. */
const LOCK_LIMIT_MS = 2_000
/**
 * A node that stands still within a transaction loses it, and what it has locked, after so long; the others
 * wait for that.
 */
const IDLE_LIMIT_MS = 5_000
const SHARED_LOCK_LIMIT_MS = 5_000

/**
 * Opens the store and brings its tables up to date. `migrations`: others than those of this version, for
 * tests.
 */
export async function openDatabase(
  place: StoreLocation,
  migrations?: readonly Migration[],
): Promise<Database> {
  const { onFault = () => {}, poolSize = POOL_SIZE } = place
  const cluster = place.databaseUrl === null ? await EmbeddedCluster.start(place.data, onFault) : null
  let owner: SoleOwner | null = null
  try {
    if (cluster) await createDatabase(cluster)
    const server = cluster ? cluster.connection(DATABASE) : { connectionString: place.databaseUrl ?? '' }
    const config: StoreClientConfig = { ...server, onFault }
    // The embedded one belongs to the process that has its folder.
    if (cluster) owner = cluster.owner
    else if (!place.isShared) owner = await claimAlone(config, onFault)
    await migrate(config, migrations)
    return open(config, { cluster, owner, poolSize })
  } catch (cause) {
    await owner?.release()
    await cluster?.stop()
    if (cause instanceof StartError) throw cause
    throw new StartError(`unable to open the database; ${messageOf(cause) || codeOf(cause)}`, {
      cause,
    })
  }
}

/** @throws StartError nodes share it, or another process has it for itself */
async function claimAlone(config: pg.ClientConfig, onFault: (thrown: unknown) => void): Promise<SoleOwner> {
  await awaitNodesGone(config)
  return SoleOwner.claim({ config, lock: LOCK, refusal: REFUSAL, confirm: keepNodesOut, onFault })
}

/** What the store is opened with, and let go when it closes. */
interface Held {
  readonly cluster: EmbeddedCluster | null
  /** Null: several nodes share the database. */
  readonly owner: SoleOwner | null
  readonly poolSize: number
}

function open(config: StoreClientConfig, { cluster, owner, poolSize }: Held): Database {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8_OID, Number)
  const settings: pg.PoolConfig & StoreClientConfig = {
    ...config,
    types,
    max: poolSize,
    connectionTimeoutMillis: 8_000,
    query_timeout: 10_000,
    statement_timeout: 10_000,
    lock_timeout: owner ? LOCK_LIMIT_MS : SHARED_LOCK_LIMIT_MS,
    idle_in_transaction_session_timeout: IDLE_LIMIT_MS,
  }
  const pool = new OwnedPool(settings, owner)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = queriesOver(pool)
  return {
    db,
    pool,
    lost: owner?.lost ?? new Promise(() => {}),
    postgresPid: () => cluster?.pid ?? 0,
    close: async () => {
      await db.destroy()
      await owner?.release()
      await cluster?.stop()
    },
  }
}

/** Queries of the tables over a pool. */
export const queriesOver = (pool: pg.Pool): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

async function createDatabase(cluster: EmbeddedCluster): Promise<void> {
  const client = new StoreClient(cluster.connection('postgres'))
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/** 25006: the server has become a standby, and takes no writes. */
const UNREACHABLE = /^(08|57P|53|25006|ECONN|ENOENT|EPIPE|ENOTFOUND|ETIMEDOUT|EPROTO|57014|55P03)/
const UNREACHABLE_MESSAGE =
  /connection terminated|timeout exceeded|query read timeout|client has encountered a connection error|not queryable|cannot use a pool after|received invalid response/i

const isOut = (thrown: unknown): boolean =>
  UNREACHABLE.test(codeOf(thrown)) || UNREACHABLE_MESSAGE.test(messageOf(thrown))

/** What a failed statement means to the caller: `offline` where the store is out, else `internal`. */
export function storeError(thrown: unknown): ContactError {
  if (thrown instanceof ContactError) return thrown
  return isOut(thrown)
    ? new StoreOutError('try again', { cause: thrown })
    : new ContactError('internal', 'unable to carry out the call; the service failed', { cause: thrown })
}

/**
 * Whether something failed because the store is out: by itself, or by what caused it. A file that is not there and
 * a store of files that is away have the same codes.
 */
export function isStoreOut(thrown: unknown): boolean {
  if (thrown instanceof StoreOutError) return true
  if (!(thrown instanceof Error) || '$metadata' in thrown) return false
  const isOfFile = codeOf(thrown) === 'ENOENT' && !('syscall' in thrown && thrown.syscall === 'connect')
  return (!(thrown instanceof ContactError) && !isOfFile && isOut(thrown)) || isStoreOut(thrown.cause)
}

/** Statements that met another transaction may simply be made again. */
export const isCollision = (thrown: unknown): boolean => ['40P01', '40001'].includes(codeOf(thrown))

/** Two transactions have waited for each other's locks. */
export const isDeadlock = (thrown: unknown): boolean => codeOf(thrown) === '40P01'

/** Somebody else has a lock that the statement waited for. */
export const isBlocked = (thrown: unknown): boolean => codeOf(thrown) === '55P03'
