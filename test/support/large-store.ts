/** Fills the store of a test with what piles up in years. */
import type { Pool } from 'pg'

export interface Pile {
  /** Contacts that have ended, each with as many entries, a session and a file. */
  readonly contacts: number
  readonly entriesEach: number
  /** When they ended. */
  readonly ended: number
  readonly revocations: number
  readonly visitors: number
  /** Agents who are not at work. */
  readonly agents: number
  /** Timers that are due years from now, and as many offers and refusals. */
  readonly timers: number
}

const DETAILS = JSON.stringify({
  nick: 'Old',
  tags: ['sales'],
  data: [{ name: 'f', data: [{ name: 'x', type: 'text', value: 'x'.repeat(200) }] }],
})
/** Rows of one statement: the service's pool ends what takes longer than ten seconds. */
const PIECE = 50_000

/** What is stored, and what the planner knows about it, stays as it is made here. */
async function keepStill(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
  )
  for (const { name } of rows) await pool.query(`alter table ${name} set (autovacuum_enabled = false)`)
}

/** Everything, and what the planner needs to know about it. */
export async function pileUp(
  pool: Pool,
  { contacts, entriesEach, ended, revocations, visitors, agents, timers }: Pile,
): Promise<void> {
  const inPieces = async (count: number, text: string, ...values: readonly unknown[]): Promise<void> => {
    for (let from = 1; from <= count; from += PIECE)
      await pool.query(text, [from, Math.min(count, from + PIECE - 1), ...values])
  }
  await keepStill(pool)
  await inPieces(
    visitors,
    "insert into visitors (id, origin, created) select 'old-v' || n, '', $3::bigint - n from generate_series($1::int, $2::int) n",
    ended,
  )
  await inPieces(
    visitors,
    "insert into refresh_tokens (hash, family, visitor, origin, expires, used) select 'old-' || n, 'old-f' || n % 5000, 'old-v' || n, '', $3::bigint + n * 1000, 1 from generate_series($1::int, $2::int) n",
    ended,
  )
  await inPieces(
    contacts,
    `insert into contacts (id, visitor, request, created, life, machine, details, state, ended, agent, queued_at)
     select 'old-' || n, 'old-v' || n % $5::int + 1, n::text, $3::bigint - n, 'cleared', '{}', $4, '{}', $3::bigint - n, 'old-a' || n % 200, $3::bigint - n from generate_series($1::int, $2::int) n`,
    ended,
    DETAILS,
    visitors,
  )
  await inPieces(
    contacts,
    "insert into sessions (contact, session, slot, principal, connected, ended) select 'old-' || n, 's', 'visitor', '', false, true from generate_series($1::int, $2::int) n",
  )
  await inPieces(
    contacts,
    `insert into attachments (id, contact, request, slot, principal, name, mimetype, size, created, touched, seq)
     select 'old-f' || n, 'old-' || n, '', 'visitor', 'old-v' || n, 'a.txt', 'text/plain', 1, $3::bigint, $3::bigint, case when n % 100 = 0 then null else 1 end from generate_series($1::int, $2::int) n`,
    ended,
  )
  await inPieces(
    contacts * entriesEach,
    `insert into entries (contact, seq, id, type, slot, session, counter, from_id, body, time)
     select 'old-' || (n - 1) / $4::int + 1, (n - 1) % $4::int + 1, n::text, case when n % $4::int = 1 then 'assigned' else 'text' end, 'visitor', 's', n, 'old-v', '{"text":"an old message of about this many characters"}', $3::bigint - n
     from generate_series($1::int, $2::int) n`,
    ended,
    entriesEach,
  )
  await inPieces(
    revocations,
    "insert into revocations (subject, at, expires) select 'old-' || n, $3::bigint, $3::bigint + 86400000::bigint * 365 from generate_series($1::int, $2::int) n",
    ended,
  )
  await inPieces(
    agents,
    "insert into agents (id, nick) select 'old-a' || n, 'Old' from generate_series($1::int, $2::int) n",
  )
  await inPieces(
    timers,
    "insert into timers (subject, kind, key, due) select 'old-' || n, (array['contact', 'absence', 'agent'])[n % 3 + 1], '', $3::bigint + 86400000::bigint * 3650 + n from generate_series($1::int, $2::int) n",
    ended,
  )
  await inPieces(
    timers,
    "insert into refusals (contact, agent, until) select 'old-' || n, 'old-a' || n % 500, $3::bigint from generate_series($1::int, $2::int) n",
    ended,
  )
  await inPieces(
    timers,
    "insert into offers (contact, agent, due) select 'old-' || n, 'old-a' || n % 500, $3::bigint from generate_series($1::int, $2::int) n",
    ended,
  )
  await pool.query('analyze')
}
