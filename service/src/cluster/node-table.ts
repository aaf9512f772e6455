/**
 * The table of the nodes. A process enters it under an identity of its own; who was declared dead is dead for
 * good, and takes a new one. Each statement is one transaction.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { StartError } from '../start-error.ts'
import { NODE_REFUSAL, isShared } from '../store/alone-or-shared.ts'
import type { Tables } from '../store/tables.ts'
import type { NodeRow } from './node-rules.ts'

/** A process as it enters. */
export interface NewNode {
  readonly node: string
  readonly name: string
  /** Where other nodes and people find it; empty: nowhere. */
  readonly address: string
  readonly level: number
}

/** Dead nodes of one statement. */
const FORGOTTEN_AT_ONCE = 200
/** A process that was killed has let the store go by then. */
const GONE_LIMIT_MS = 5_000
const AGAIN_MS = 100

/**
 * Enters the table. Who has the store for itself keeps the others out by its lock.
 *
 * @throws StartError another process has the store for itself
 */
export async function enterNode(db: Kysely<Tables>, node: NewNode, isAlone = false): Promise<void> {
  for (let leftMs = GONE_LIMIT_MS; !(await enterOnce(db, node, isAlone)); leftMs -= AGAIN_MS) {
    if (leftMs <= 0) throw new StartError(NODE_REFUSAL, { isPassing: true })
    await delay(AGAIN_MS)
  }
}

async function enterOnce(
  db: Kysely<Tables>,
  { node, name, address, level }: NewNode,
  isAlone: boolean,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into nodes (node, name, address, level)
    select ${node}::text, ${name}::text, ${address}::text, ${level}::integer
      where ${isAlone ? sql`true` : isShared}`.execute(db)
  return numAffectedRows === 1n
}

/**
 * Counts an own beat, and gives all rows. Where the own row is dead or gone nothing is counted, and it is not
 * among them or is dead.
 */
export async function beatOnce(db: Kysely<Tables>, node: string): Promise<readonly NodeRow[]> {
  const { rows } = await sql<NodeRow>`
    with own as (
      update nodes set beat = beat + 1 where node = ${node} and state <> 'dead' returning node, state, beat
    ) select node, state, beat from own
      union all select n.node, n.state, n.beat from nodes n where not exists (select from own where own.node = n.node)`.execute(
    db,
  )
  return rows
}

/** Takes no new work any more. */
export async function drainNode(db: Kysely<Tables>, node: string): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ state: 'draining' })
    .where('node', '=', node)
    .where('state', '=', 'up')
    .execute()
}

/**
 * Declares a node dead that still has the beat which was seen; a node may declare itself, whatever its beat.
 * Gives whether it did.
 */
export async function declareDead(
  db: Kysely<Tables>,
  { node, beat }: { readonly node: string; readonly beat: number | null },
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('nodes')
    .set({ state: 'dead', died: at })
    .where('node', '=', node)
    .where('state', '<>', 'dead')
    .$if(beat !== null, (query) => query.where('beat', '=', beat))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** By a process that has the store for itself. */
export async function declareOthersDead(db: Kysely<Tables>, own: string, at: number): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ state: 'dead', died: at })
    .where('node', '<>', own)
    .where('state', '<>', 'dead')
    .execute()
}

/** Forgets nodes that died before a time and that no session names. */
export async function forgetDead(db: Kysely<Tables>, before: number): Promise<void> {
  await sql`delete from nodes where node in (
    select n.node from nodes n where n.state = 'dead' and n.died < ${before}
      and not exists (select from sessions s where s.node = n.node) limit ${FORGOTTEN_AT_ONCE})`.execute(db)
}

/** The identities of the others that are alive. */
export async function otherNodes(db: Kysely<Tables>, own: string): Promise<string[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('node')
    .where('state', '<>', 'dead')
    .where('node', '<>', own)
    .execute()
  return rows.map(({ node }) => node)
}
