/**
 * Either one process has a database for itself, or nodes share it: never both. A process without `--bus` would
 * declare nodes dead that live, and would hear nothing of what they write.
 *
 * Who has it for itself holds a lock for as long as it runs. A node enters the table of nodes by one statement
 * that needs a share of that lock, so of two that start at the same time one sees the other.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type pg from 'pg'
import { CLUSTER_TIMES } from '../cluster/node-rules.ts'
import { StartError } from '../start-error.ts'
import { StoreClient } from './store-client.ts'

/**
 * A lock of its own: a process of a version from before nodes does not hold it, so that nodes may start beside
 * it and take its pages over.
 */
const ALONE_LOCK = 20_260_905
/** Begins the identities of processes that have the database for themselves. */
const ALONE = 'alone-'
/** From one look at the beats of nodes to the next. */
const LOOK_MS = 250
/** After a longer pause all beats are watched anew: they may have stood still because of the store. */
const GAP_MS = 2 * CLUSTER_TIMES.beatMs

/** The message for a node, while a process has the database for itself. */
export const NODE_REFUSAL =
  'unable to join the nodes of the database; a service without --bus is running on it: stop that one first, or give this one a database of its own'

/** Begins the identity of a process. */
export const prefixOf = (isAlone: boolean): string => (isAlone ? ALONE : 'n-')

/**
 * For the statement by which a node enters: whether no process has the database for itself. None can take it
 * before the transaction has ended.
 */
export const isShared: RawBuilder<boolean> = sql`pg_try_advisory_xact_lock_shared(${ALONE_LOCK})`

/**
 * Keeps nodes out for as long as the connection lives. `free`: one is entering at this moment; `foreign`: some
 * are there.
 */
export async function keepNodesOut(client: pg.ClientBase): Promise<'taken' | 'free' | 'foreign'> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    ALONE_LOCK,
  ])
  if (!rows[0]?.locked) return 'free'
  return (await liveNodes(client)).length === 0 ? 'taken' : 'foreign'
}

/**
 * Resolves when no node is alive: at once where none is in the table, and after a lease (15 s) where those that
 * are do not beat any more; they are declared dead then.
 *
 * @throws {@link StartError} one beats, or enters.
 */
export async function awaitNodesGone(
  config: pg.ClientConfig,
  leaseMs: number = CLUSTER_TIMES.leaseMs,
): Promise<void> {
  const client = new StoreClient({ ...config, connectionTimeoutMillis: 8_000, query_timeout: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const silent = await silentNodes(client, leaseMs)
    for (const { node, beat } of silent)
      await client.query(
        `update nodes set state = 'dead', died = (extract(epoch from clock_timestamp()) * 1000)::bigint
          where node = $1 and beat = $2 and state <> 'dead'`,
        [node, beat],
      )
  } finally {
    await client.end().catch(() => {})
  }
}

interface LiveNode {
  readonly node: string
  readonly name: string
  readonly beat: string
}

async function liveNodes(client: pg.ClientBase): Promise<readonly LiveNode[]> {
  const { rows: found } = await client.query<{ known: boolean }>(
    "select to_regclass('nodes') is not null as known",
  )
  if (!found[0]?.known) return []
  const { rows } = await client.query<LiveNode>(
    "select node, name, beat::text as beat from nodes where state <> 'dead' and not starts_with(node, $1) order by name",
    [ALONE],
  )
  return rows
}

/** Nodes whose beat has not changed for a lease, while the store has answered all the time. */
async function silentNodes(client: pg.ClientBase, leaseMs: number): Promise<readonly LiveNode[]> {
  let first = await liveNodes(client)
  let [since, asked] = [performance.now(), performance.now()]
  while (first.length > 0 && performance.now() - since < leaseMs) {
    await delay(LOOK_MS)
    const seen = await liveNodes(client)
    const known = new Map(first.map(({ node, beat }) => [node, beat]))
    if (seen.some(({ node, beat }) => known.get(node) !== beat))
      throw new StartError(refusalOf(seen), { isPassing: true })
    if (performance.now() - asked > GAP_MS) since = performance.now()
    asked = performance.now()
    first = seen
  }
  return first
}

const refusalOf = (nodes: readonly LiveNode[]): string =>
  `unable to use the database; it is shared by nodes that are running (${nodes.map(({ name }) => name).join(', ')}): start this one with --bus, too, or stop them first`
