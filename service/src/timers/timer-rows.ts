import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/**
 * `contact`: a limit of the contact's machine, by name. `absence`: a session's grace. `offer`: an agent's
 * time to answer. `agent`: an agent's grace. `match`: look for matches again. `retention`: remove what is
 * old.
 */
export type TimerKind = 'contact' | 'absence' | 'offer' | 'agent' | 'match' | 'retention'

/**
 * A task for the time `due`. It survives a crash of the service, and is set and cleared in the transaction
 * that it belongs to.
 */
export interface TimerRow {
  /** The contact or agent that the timer belongs to. */
  readonly subject: string
  readonly kind: TimerKind
  /** Name of the limit, session or agent. */
  readonly key: string
  readonly due: number
}

/** A due timer, with the number of its failures. */
export type DueTimer = TimerRow & { readonly failures: number }

export async function setTimer(db: Kysely<Tables>, timer: TimerRow): Promise<void> {
  await db
    .insertInto('timers')
    .values(timer)
    .onConflict((conflict) =>
      conflict.columns(['subject', 'kind', 'key']).doUpdateSet({ due: timer.due, failures: 0, owner: null }),
    )
    .execute()
}

/** Sets a timer unless one is set already. */
export async function setTimerOnce(db: Kysely<Tables>, timer: TimerRow): Promise<void> {
  await db
    .insertInto('timers')
    .values(timer)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function clearTimer(
  db: Kysely<Tables>,
  { subject, kind, key }: Omit<TimerRow, 'due'>,
): Promise<void> {
  await db
    .deleteFrom('timers')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .execute()
}

/**
 * Deletes a due timer. Returns false where another process has taken it, or it was cleared or postponed
 * meanwhile.
 */
export async function takeTimer(
  db: Kysely<Tables>,
  { subject, kind, key }: TimerRow,
  now: number,
): Promise<boolean> {
  const taken = await db
    .deleteFrom('timers')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('due', '<=', now)
    .returning('key')
    .execute()
  return taken.length > 0
}

/** Deletes a timer, unless it was set again. */
export async function dropTimer(db: Kysely<Tables>, { subject, kind, key, due }: TimerRow): Promise<void> {
  await db
    .deleteFrom('timers')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('due', '=', due)
    .execute()
}

/** Postpones a timer that has failed, unless it was set again. */
export async function postpone(
  db: Kysely<Tables>,
  { subject, kind, key, due, failures }: DueTimer,
  until: number,
): Promise<void> {
  await db
    .updateTable('timers')
    .set({ due: until, failures: failures + 1, owner: null })
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('due', '=', due)
    .execute()
}

/** What a node carries out now. */
interface Claim {
  readonly node: string
  readonly kinds: readonly TimerKind[]
  readonly now: number
  /** At most so many of each kind. */
  readonly limit: number
}

/**
 * Claims the due timers of these kinds that no other node alive has, and gives them with those that the node has
 * already, the earliest first. A claim only shares the work: the effect takes the timer. It waits for no lock.
 */
export async function claimTimers(
  db: Kysely<Tables>,
  { node, kinds, now, limit }: Claim,
): Promise<DueTimer[]> {
  const { rows } = await sql<DueTimer>`
    with due as materialized (
      select t.* from unnest(${kinds}::text[]) k(kind)
        cross join lateral (select subject, kind, key, due, failures, owner from timers t
          where t.kind = k.kind and t.due <= ${now} and (t.owner is null or t.owner = ${node}
            or not exists (select from nodes n where n.node = t.owner and n.state <> 'dead'))
          order by t.due limit ${limit} for update skip locked) t
    ), claimed as (
      update timers t set owner = ${node} from due d where t.subject = d.subject and t.kind = d.kind
        and t.key = d.key and d.owner is distinct from ${node}
    ) select subject, kind, key, due, failures from due order by due`.execute(db)
  return rows
}

/** Leaves a timer to others. */
export const releaseTimer = (
  db: Kysely<Tables>,
  { subject, kind, key }: TimerRow,
  node: string,
): Promise<unknown> =>
  db
    .updateTable('timers')
    .set({ owner: null })
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('owner', '=', node)
    .execute()

/** The time of the next timer of these kinds. */
export async function nextDue(
  db: Kysely<Tables>,
  kinds: readonly TimerKind[],
  after: number,
): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    select min(t.due) as due from unnest(${kinds}::text[]) k(kind)
      cross join lateral (select due from timers where kind = k.kind and due > ${after} order by due
        limit 1) t`.execute(db)
  return rows[0]?.due ?? null
}

/** Whether a timer is set and due. */
export async function isTimerDue(
  db: Kysely<Tables>,
  { subject, kind, key }: TimerRow,
  now: number,
): Promise<boolean> {
  const stored = await db
    .selectFrom('timers')
    .select('due')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  return stored !== undefined && stored.due <= now
}
