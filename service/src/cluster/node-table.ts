/**
 * The table of the nodes. A process enters it under an identity of its own; who was declared dead is dead for
 * good, and takes a new one. Each statement is one transaction.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
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

export async function enterNode(db: Kysely<Tables>, node: NewNode): Promise<void> {
  await db
    .insertInto('nodes')
    .values({ ...node, died: null })
    .execute()
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
