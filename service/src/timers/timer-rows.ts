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
      conflict.columns(['subject', 'kind', 'key']).doUpdateSet({ due: timer.due, failures: 0 }),
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
    .set({ due: until, failures: failures + 1 })
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('due', '=', due)
    .execute()
}

/** The due timers of these kinds, the earliest first, at most `limit` of each kind. */
export async function dueTimers(
  db: Kysely<Tables>,
  {
    kinds,
    now,
    limit,
  }: { readonly kinds: readonly TimerKind[]; readonly now: number; readonly limit: number },
): Promise<DueTimer[]> {
  const { rows } = await sql<DueTimer>`
    select t.* from unnest(${kinds}::text[]) k(kind)
      cross join lateral (select * from timers where kind = k.kind and due <= ${now} order by due
        limit ${limit}) t
    order by t.due`.execute(db)
  return rows
}

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
