/**
 * What the distribution reads and writes. Each statement has a bound: rows, or pairs of a contact and an
 * agent.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { UNTOLD_MS } from '../cluster/work-rules.ts'
import type { StandingOffer } from '../cluster/work-rules.ts'
import { DISTRIBUTION_OF_DETAILS } from '../store/migrations.ts'
import type { AgentRow, ContactRow, Tables } from '../store/tables.ts'
import type { Candidate } from './strategy.ts'

type Db = Kysely<Tables>

/** Offers of one statement. */
export const SWEEP_BATCH = 1_000
/** Agents that a round looks at, those whose last contact is longest ago first. */
export const AGENTS_LIMIT = 5_000
/** Contacts of an older version that are prepared at a time. */
export const PREPARED_BATCH = 50
/** Contacts that are given up by one round. */
const NAMED_BATCH = 100

export interface OfferPair {
  readonly contact: string
  readonly agent: string
}

/** A waiting contact, as much of it as matching needs. */
export type WaitingRow = Pick<
  ContactRow,
  'id' | 'nick' | 'tags' | 'visitor_away' | 'only_agent' | 'handed_by' | 'handed_at'
> & { readonly queued_at: number; readonly distribution: string }

/** A place in the queue. */
export type Place = Pick<WaitingRow, 'visitor_away' | 'queued_at' | 'id'>

/**
 * Takes back one offer. False where it is over already. Rows are always locked in the order contacts, agents,
 * offers, timers.
 */
export const withdrawOffer = async (db: Db, contact: string, agent: string): Promise<boolean> =>
  (await takeOffer(db, contact, agent)) !== null

/** The same. Gives what the offer had come to; null where it is over already. */
export async function takeOffer(db: Db, contact: string, agent: string): Promise<StandingOffer | null> {
  const offer = await db
    .deleteFrom('offers')
    .where('contact', '=', contact)
    .where('agent', '=', agent)
    .returning(['due', 'made', 'told', 'seen'])
    .executeTakeFirst()
  await db
    .deleteFrom('timers')
    .where('subject', '=', contact)
    .where('kind', '=', 'offer')
    .where('key', '=', agent)
    .execute()
  if (!offer) return null
  const { due, made, told, seen } = offer
  // One of which nothing is noted counts as seen.
  return made === null ? { madeAt: due, due, told: true, seen: true } : { madeAt: made, due, told, seen }
}

/** Offers of these agents that stand. */
export const offersTo = (db: Db, agents: readonly string[]): Promise<OfferPair[]> =>
  db.selectFrom('offers').select(['contact', 'agent']).where('agent', 'in', agents).execute()

/**
 * Agents who are ready and may be asked, those without room included: one of their connections is at a node
 * that takes new work, and they are not passed over.
 */
export async function readCandidates(db: Db, now: number): Promise<Candidate[]> {
  const { rows } = await sql<
    Pick<AgentRow, 'id' | 'tags' | 'media' | 'capacity' | 'last_assigned'> & { load: number }
  >`
    select a.id, a.tags, a.media, a.capacity, a.last_assigned,
      (select count(*) from contacts c where c.agent = a.id
        and c.life in ('assigned', 'joined')) + (select count(*) from offers o where o.agent = a.id) as load
    from agents a where a.state = 'ready' and a.connected and a.passed_until <= ${now}
      and exists (select from agent_connections l join nodes n on n.node = l.node and n.state = 'up'
        where l.agent = a.id)
      order by a.last_assigned, a.id
      limit ${AGENTS_LIMIT}`.execute(db)
  return rows.map(({ id, tags, media, capacity, load, last_assigned: lastAssigned }) => ({
    id,
    tags,
    capacity,
    load,
    lastAssigned,
    media: JSON.parse(media) as Record<string, boolean>,
  }))
}

/** What an older version has put in the queue gets its `distribution`: some of it. Gives how many. */
export async function prepareWaiting(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    update contacts set distribution = ${sql.raw(DISTRIBUTION_OF_DETAILS)} where id = any(array(
      select id from contacts where waiting and distribution is null order by queued_at, id
        limit ${PREPARED_BATCH} for update skip locked))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Contacts that wait, after one of them, and have fewer offers than they may. Who was to have one alone and
 * is gone stands in nobody's way.
 */
export async function readWaiting(
  db: Db,
  { after, parallel, limit }: { readonly after: Place; readonly parallel: number; readonly limit: number },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select id, nick, tags, visitor_away, queued_at, handed_by, handed_at,
      coalesce(distribution, ${sql.raw(DISTRIBUTION_OF_DETAILS)}) as distribution,
      (select a.id from agents a where a.id = c.only_agent
        and (a.connected or a.state = 'ready')) as only_agent
    from contacts c
    where waiting and (visitor_away, queued_at, id) > (${after.visitor_away}, ${after.queued_at}, ${after.id})
      and (select count(*) from offers o where o.contact = c.id) < ${parallel}
    order by visitor_away, queued_at, id limit ${limit}`.execute(db)
  return rows
}

/** Offers of these contacts that stand. */
export async function readOffers(db: Db, contacts: readonly string[]): Promise<OfferPair[]> {
  return (
    await sql<OfferPair>`select contact, agent from offers where contact = any(${contacts})`.execute(db)
  ).rows
}

/** Who does not want to be asked for these contacts, and until when. */
export async function readRefusals(
  db: Db,
  contacts: readonly string[],
  now: number,
): Promise<(OfferPair & { readonly until: number })[]> {
  return (
    await sql<
      OfferPair & { until: number }
    >`select contact, agent, until from refusals where contact = any(${contacts}) and until > ${now}`.execute(
      db,
    )
  ).rows
}

/**
 * Writes offers with their timers, of contacts that still wait. Gives those that were made. `made`: null where
 * nobody asks what an offer comes to.
 */
export async function insertOffers(
  db: Db,
  planned: readonly OfferPair[],
  { due, made }: { readonly due: number; readonly made: number | null },
): Promise<OfferPair[]> {
  if (planned.length === 0) return []
  const { rows } = await sql<OfferPair>`
    with made as (
      insert into offers (contact, agent, due, made)
      select p.contact, p.agent, ${due}::bigint, ${made}::bigint
        from unnest(${planned.map(({ contact }) => contact)}::text[],
          ${planned.map(({ agent }) => agent)}::text[]) p(contact, agent)
        where exists (select 1 from contacts c where c.id = p.contact and c.waiting)
      on conflict do nothing returning contact, agent
    ), timed as (
      insert into timers (subject, kind, key, due) select contact, 'offer', agent, ${due}::bigint from made
      on conflict (subject, kind, key) do update set due = excluded.due, failures = 0, owner = null
    ) select contact, agent from made`.execute(db)
  return rows
}

/** An offer that is taken back, and whether that is since its agent was not told of it. */
export type StaleOffer = OfferPair & { readonly untold: boolean }

/**
 * Looks at some offers, from one on, and takes back those that have lost their contact or their agent, and
 * those that nobody was told of in time. Those that somebody is about to answer are left to them. `next`: where
 * to go on; null at the end.
 */
export async function sweepOffers(
  db: Db,
  after: OfferPair,
  now: number,
): Promise<{ readonly stale: StaleOffer[]; readonly next: OfferPair | null }> {
  const { rows } = await sql<StaleOffer & { stale: boolean }>`
    with page as materialized (
      select contact, agent, not told and made <= ${now - UNTOLD_MS}::bigint and due > ${now}::bigint as untold
        from offers where (contact, agent) > (${after.contact}, ${after.agent})
        order by contact, agent limit ${SWEEP_BATCH}
    ), judged as materialized (
      select p.contact, p.agent, coalesce(p.untold, false) as untold,
        not coalesce((select c.waiting from contacts c where c.id = p.contact), false)
          or (select a.state from agents a where a.id = p.agent) is distinct from 'ready' as lost
      from page p
    ), locked as materialized (
      select j.contact, j.agent, j.untold and not j.lost as untold, l.place from judged j
        cross join lateral (select o.ctid as place from offers o
          where o.contact = j.contact and o.agent = j.agent and (j.lost or not o.told)
          for update skip locked) l
      where j.lost or j.untold
    ), gone as (
      delete from offers where ctid = any(array(select place from locked)) returning contact, agent
    ), untimed as (
      delete from timers t using gone g where t.subject = g.contact and t.kind = 'offer' and t.key = g.agent
    )
    select contact, agent, l.untold, true as stale from gone join locked l using (contact, agent)
    union all (select contact, agent, false, false from page order by contact desc, agent desc limit 1)
    union all select '', '', false, false where (select count(*) from page) < ${SWEEP_BATCH}`.execute(db)
  const ends = rows.some(({ contact }) => contact === '')
  return {
    stale: rows.filter(({ stale }) => stale),
    next: ends ? null : (rows.find(({ stale }) => !stale) ?? null),
  }
}

/** Does not ask these agents before a time. */
export const passOver = (db: Db, agents: readonly string[], until: number): Promise<unknown> =>
  db.updateTable('agents').set({ passed_until: until }).where('id', 'in', agents).execute()

/**
 * Contacts that wait for one agent alone, who has not been offered them, and since when: the longest wait
 * first.
 */
export async function readNamed(db: Db): Promise<{ readonly id: string; readonly since: number }[]> {
  const { rows } = await sql<{ id: string; since: number }>`
    select id, greatest(queued_at, handed_at) as since from contacts c where waiting
      and only_agent is not null
      and not exists (select 1 from offers o where o.contact = c.id and o.agent = c.only_agent)
    order by queued_at, id limit ${NAMED_BATCH}`.execute(db)
  return rows
}
