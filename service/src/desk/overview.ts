/** What a supervisor sees: as the store has it, each list with its first items. */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type {
  BusyAgent,
  ContactLife,
  ContactRequest,
  DeskOverview,
  LiveContact,
  WaitingContact,
} from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'

const HOUR_MS = 3_600_000
const QUEUE = 100
const AGENTS = 200
const CONTACTS = 200
/** Ended contacts whose times are looked at. */
const MEASURED = 500
/** Entries of a contact among which its assignment is looked for. */
const FIRST_ENTRIES = 1_000

/** `now`: of the store's clock. */
export async function overviewOf(db: Kysely<Tables>, now: number): Promise<DeskOverview> {
  const [totals, queue, agents, contacts, lastHour] = [
    await totalsOf(db, now),
    await queueOf(db, now),
    await agentsOf(db),
    await contactsOf(db, now),
    await lastHourOf(db, now),
  ]
  const { longestWaitMs, ...counts } = totals
  return { totals: counts, longestWaitMs, lastHour, queue, agents, contacts }
}

interface Totals {
  readonly waiting: number
  readonly ready: number
  readonly open: number
}

async function totalsOf(
  db: Kysely<Tables>,
  now: number,
): Promise<Totals & { readonly longestWaitMs: number }> {
  const { rows } = await sql<Totals & { since: number | null }>`
    select (select count(*) from contacts where waiting and not visitor_away) as waiting,
      (select min(queued_at) from contacts where waiting and not visitor_away) as since,
      (select count(*) from agents where state = 'ready' and connected) as ready,
      (select count(*) from contacts where life in ('assigned', 'joined') and agent is not null) as open`.execute(
    db,
  )
  const { since = null, waiting = 0, ready = 0, open = 0 } = rows[0] ?? {}
  return { waiting, ready, open, longestWaitMs: Math.max(0, now - (since ?? now)) }
}

async function queueOf(db: Kysely<Tables>, now: number): Promise<WaitingContact[]> {
  const { rows } = await sql<{ id: string; nick: string | null; tags: string[]; queued_at: number }>`
    select id, nick, tags, queued_at from contacts where waiting order by visitor_away, queued_at, id limit ${QUEUE}`.execute(
    db,
  )
  return rows.map(({ id, nick, tags, queued_at: since }) => ({
    ...{ id, tags, waitedMs: Math.max(0, now - since) },
    ...(nick !== null && { nick }),
  }))
}

async function agentsOf(db: Kysely<Tables>): Promise<BusyAgent[]> {
  const { rows } = await sql<BusyAgent>`
    select a.id as user, a.nick, a.tags, a.capacity, has.contacts, case when a.state <> 'ready' then 'paused'
        when has.contacts >= a.capacity then 'busy' else 'ready' end as state
    from agents a cross join lateral
      (select count(*) as contacts from contacts c where c.agent = a.id and c.life in ('assigned', 'joined')) has
    where a.connected order by a.state = 'ready' desc, lower(a.nick), a.id limit ${AGENTS}`.execute(db)
  return rows.map(({ user, nick, state, tags, contacts, capacity }) => ({
    ...{ user, nick, state, tags, contacts, capacity },
  }))
}

interface LiveRow {
  readonly id: string
  readonly nick: string | null
  readonly life: ContactLife
  readonly agent: string
  readonly name: string | null
  readonly created: number
  readonly taken: number | null
  readonly messages: number
  readonly distribution: string | null
}

async function contactsOf(db: Kysely<Tables>, now: number): Promise<LiveContact[]> {
  const { rows } = await sql<LiveRow>`
    select c.*, a.nick as name, e.time as taken from
      (select id, nick, life, agent, created, messages, distribution from contacts
        where life in ('assigned', 'joined') and agent is not null order by agent, id limit ${CONTACTS}) c
      left join agents a on a.id = c.agent
      left join lateral (select time from entries where contact = c.id and seq <= ${FIRST_ENTRIES}
        and type = 'assigned' order by seq desc limit 1) e on true`.execute(db)
  return rows
    .map((row) => ({
      ...{ id: row.id, state: row.life, user: row.agent, agent: row.name ?? '', messages: row.messages },
      lastsMs: Math.max(0, now - (row.taken ?? row.created)),
      secure: (JSON.parse(row.distribution ?? '{}') as ContactRequest).secure === true,
      ...(row.nick !== null && { nick: row.nick }),
    }))
    .toSorted((a, b) => b.lastsMs - a.lastsMs)
}

/** From the queue to the agent, and from the agent to the end. */
async function lastHourOf(db: Kysely<Tables>, now: number): Promise<DeskOverview['lastHour']> {
  const { rows } = await sql<{ ended: number; wait: number | null; handling: number | null }>`
    select count(*) as ended, avg(e.time - c.queued_at)::float8 as wait,
      avg(c.ended - e.time)::float8 as handling from
      (select id, ended, queued_at from contacts where ended > ${now - HOUR_MS} order by ended desc, id desc
        limit ${MEASURED}) c
      left join lateral (select time from entries where contact = c.id and seq <= ${FIRST_ENTRIES}
        and type = 'assigned' order by seq limit 1) e on true`.execute(db)
  const { ended = 0, wait = null, handling = null } = rows[0] ?? {}
  return {
    ended,
    ...(wait !== null && { waitMs: Math.max(0, Math.round(wait)) }),
    ...(handling !== null && { handlingMs: Math.max(0, Math.round(handling)) }),
  }
}
