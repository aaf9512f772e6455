/**
 * Openings and losses of sessions among several nodes, by the rules of `session-rules.ts`. Opening and losing
 * run in a transaction that holds the contact's row.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Slot } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'

/** A session that a page opens at a node. */
export interface Opening {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly node: string
  /** The page's count of its openings of this session, from 1; null: it does not count. */
  readonly opening: number | null
}

export interface OpenedAt {
  readonly counter: number
  readonly epoch: number
  /** The node that had the session: its connection is superseded. */
  readonly former: string | null
}

/**
 * Gives the session to the node, and takes the timer of its absence away. Null: refused, since a later opening
 * of the page counts, or the node is not alive.
 */
export async function openAt(
  trx: Kysely<Tables>,
  { contact, session, slot, principal, node, opening }: Opening,
): Promise<OpenedAt | null> {
  const { rows } = await sql<OpenedAt>`
    with former as (
      select node from sessions where contact = ${contact} and session = ${session}
    ), opened as (
      insert into sessions (contact, session, slot, principal, connected, node, epoch)
      select ${contact}, ${session}, ${slot}, ${principal}, true, n.node, coalesce(${opening}::bigint, 1)
        from nodes n where n.node = ${node} and n.state <> 'dead' and coalesce(${opening}::bigint, 1) > 0
      on conflict (contact, session) do update set connected = true, node = excluded.node,
        epoch = coalesce(${opening}::bigint, sessions.epoch + 1)
        where ${opening}::bigint is null or ${opening}::bigint > sessions.epoch
      returning counter, epoch
    ), unset as (
      delete from timers where subject = ${contact} and kind = 'absence' and key = ${session}
        and exists (select from opened)
    ) select o.counter, o.epoch, (select node from former) as former from opened o`.execute(trx)
  return rows[0] ?? null
}

/** Notes the loss of a session, unless it was opened anew or has ended. Gives whether it did. */
export async function loseAt(
  trx: Kysely<Tables>,
  { contact, session, epoch }: { readonly contact: string; readonly session: string; readonly epoch: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('sessions')
    .set({ node: null, connected: false })
    .where('contact', '=', contact)
    .where('session', '=', session)
    .where('epoch', '=', epoch)
    .where('node', 'is not', null)
    .where('ended', '=', false)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Sessions of one statement. It waits for no lock. */
const SWEPT_AT_ONCE = 200

/**
 * Notes the loss of sessions whose node is dead, and sets the timers of their absence. Any node may do it at
 * any time. Gives how many there were: with 200, there may be more.
 */
export async function sweepSessions(db: Kysely<Tables>, due: number): Promise<number> {
  const { rows } = await sql<{ swept: number }>`
    with found as (
      select s.contact, s.session from sessions s join nodes n on n.node = s.node and n.state = 'dead'
      limit ${SWEPT_AT_ONCE} for update of s skip locked
    ), lost as (
      update sessions s set node = null, connected = false from found f
      where s.contact = f.contact and s.session = f.session
      returning s.contact, s.session, s.ended
    ), timed as (
      insert into timers (subject, kind, key, due)
      select l.contact, 'absence', l.session, ${due}::bigint from lost l join contacts c on c.id = l.contact
      where not l.ended and c.life not in ('cleared', 'transferred')
      on conflict (subject, kind, key) do nothing
    ) select count(*) as swept from lost`.execute(db)
  return rows[0]?.swept ?? 0
}
