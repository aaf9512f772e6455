/**
 * Openings and losses of sessions among several nodes, by the rules of `session-rules.ts`. Opening and losing
 * run in a transaction that holds the contact's row, so that no epoch changes meanwhile.
 */
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Slot } from '../../../protocol/index.ts'
import { keptAs } from '../store/kept-statement.ts'
import type { Statement } from '../store/transaction-batch.ts'
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
 * Gives sessions of different contacts to their nodes. Null: refused, since a later opening of the page
 * counts, or the node is not alive.
 */
export const openSessions: Statement<Opening, OpenedAt | null> = async ({ trx }, openings) => {
  const column = <K extends keyof Opening>(key: K) => openings.map((opening) => opening[key])
  const { rows } = await sql<OpenedAt & { contact: string }>`
    ${keptAs('open_sessions')} with wanted as materialized (
      select w.*, s.node as former, coalesce(s.epoch, 0) as epoch from unnest(
        ${column('contact')}::text[], ${column('session')}::text[], ${column('slot')}::text[],
        ${column('principal')}::text[], ${column('node')}::text[], ${column('opening')}::bigint[]
      ) as w(contact, session, slot, principal, node, opening)
        join nodes n on n.node = w.node and n.state <> 'dead'
        left join sessions s on s.contact = w.contact and s.session = w.session
    ), opened as (
      insert into sessions (contact, session, slot, principal, connected, node, epoch)
      select w.contact, w.session, w.slot, w.principal, true, w.node, coalesce(w.opening, w.epoch + 1)
        from wanted w where w.opening is null or w.opening > w.epoch
      on conflict (contact, session) do update
        set connected = true, node = excluded.node, epoch = excluded.epoch
      returning contact, counter, epoch
    ) select o.contact, o.counter, o.epoch, w.former from opened o join wanted w on w.contact = o.contact`.execute(
    trx,
  )
  const opened = new Map(rows.map(({ contact, ...rest }) => [contact, rest]))
  return openings.map(({ contact }) => opened.get(contact) ?? null)
}

/** An opening of a session. */
export interface OpenSession {
  readonly contact: string
  readonly session: string
  readonly epoch: number
}

/** Notes the loss of a session, unless it was opened anew or has ended. Gives its slot where it did. */
export async function loseAt(
  trx: Kysely<Tables>,
  { contact, session, epoch }: OpenSession,
): Promise<Slot | null> {
  const lost = await trx
    .updateTable('sessions')
    .set({ node: null, connected: false })
    .where('contact', '=', contact)
    .where('session', '=', session)
    .where('epoch', '=', epoch)
    .where('node', 'is not', null)
    .where('ended', '=', false)
    .returning('slot')
    .executeTakeFirst()
  return lost?.slot ?? null
}

/** Where a session is connected, and by which opening; null where it is not, or its node is dead. */
export async function placeOf(
  db: Kysely<Tables>,
  contact: string,
  session: string,
): Promise<{ readonly node: string; readonly epoch: number } | null> {
  const { rows } = await sql<{ node: string; epoch: number }>`
    select s.node, s.epoch from sessions s join nodes n on n.node = s.node and n.state <> 'dead'
      where s.contact = ${contact} and s.session = ${session}`.execute(db)
  return rows[0] ?? null
}

/** Sessions of one statement. It waits for no lock. */
export const SWEPT_AT_ONCE = 200

/**
 * Notes the loss of sessions whose node is dead, and sets the timers of their absence. Any node may do it at
 * any time. Gives how many there were: with 200, there may be more.
 */
export const sweepSessions = (db: Kysely<Tables>, due: number): Promise<number> =>
  loseFound(
    db,
    due,
    sql`select s.contact, s.session from sessions s join nodes n on n.node = s.node and n.state = 'dead'
      limit ${SWEPT_AT_ONCE} for update of s skip locked`,
  )

/**
 * The same for sessions that a version of before noted as connected, without a node: only while no process of
 * that version runs.
 */
export const sweepUnplaced = (db: Kysely<Tables>, due: number): Promise<number> =>
  loseFound(
    db,
    due,
    sql`select contact, session from sessions where connected and node is null
      order by contact limit ${SWEPT_AT_ONCE} for update skip locked`,
  )

async function loseFound(db: Kysely<Tables>, due: number, found: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ swept: number }>`
    with found as (${found}), lost as (
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
