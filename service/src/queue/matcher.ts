import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { ContactRequest, Distribution } from '../../../protocol/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { AgentRow, ContactRow, Tables } from '../store/tables.ts'
import { setTimer } from '../timers/timer-rows.ts'
import { hasRoom, planOffers } from './plan.ts'
import type { PairSet, PlannedOffer } from './plan.ts'
import { momentsOf, mostParallel } from './strategy.ts'
import type { Candidate, Strategy, Waiting } from './strategy.ts'

const LOCK = 20_260_903
const PAGE = 500
/** More offers than any contact has at a time. */
const ALL = 1_000_000
const PAUSE_FACTOR = 3
const PAUSE_LIMIT_MS = 200

/** Time limits of the distribution, milliseconds. */
export interface QueueLimits {
  /** To accept or decline an offer. */
  readonly offerMs: number
  /** Before an agent who did not accept is asked again for the same contact. */
  readonly refusalMs: number
  /** From the loss of an agent's last connection to the end of their presence. */
  readonly agentGraceMs: number
}

export const QUEUE_LIMITS: QueueLimits = { offerMs: 30_000, refusalMs: 60_000, agentGraceMs: 60_000 }

interface MatcherParts {
  readonly db: Kysely<Tables>
  readonly bus: Bus
  readonly clock: ServiceClock
  readonly strategy: Strategy
  readonly limits: QueueLimits
  /** Done after each round. */
  readonly onRound: () => void
  readonly onFault: (thrown: unknown) => void
}

type WaitingRow = Pick<ContactRow, 'id' | 'nick' | 'tags' | 'details' | 'queued_at' | 'only_agent'>

/** Offers waiting contacts to agents. One process at a time does so; what an offer promises is decided when it is accepted. */
export class Matcher {
  readonly #parts: MatcherParts
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  constructor(parts: MatcherParts) {
    this.#parts = parts
  }

  /** Looks for matches, now or after the round that runs. */
  request(): void {
    this.#again = true
    if (this.#running || this.#stopped) return
    this.#running = this.#rounds()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#running = null
        if (this.#again) this.request()
      })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  /** Between two rounds it leaves the store and the process to others: each serves all that came meanwhile. */
  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      const start = performance.now()
      await this.#round()
      if (this.#again) await delay(Math.min((performance.now() - start) * PAUSE_FACTOR, PAUSE_LIMIT_MS))
    }
  }

  async #round(): Promise<void> {
    const { db, bus, limits, clock } = this.#parts
    const { stale, made } = await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
      return { stale: await sweep(trx), made: await this.#offer(trx) }
    })
    for (const { contact, agent } of stale) bus.publish('agent', { agent, push: { name: 'agent.withdrawn', body: { id: contact, reason: 'cleared' } } })
    for (const { agent, distribution } of made) bus.publish('agent', { agent, push: { name: 'agent.distribution', body: distribution } })
    this.#parts.onRound()
    if (made.length > 0) bus.publish('timer', { due: clock.now() + limits.offerMs })
  }

  /** Goes through the queue, the longest wait first, as long as an agent has room. */
  async #offer(trx: Transaction<Tables>): Promise<{ agent: string; distribution: Distribution }[]> {
    const { clock, limits } = this.#parts
    const [due, made, times] = [clock.now() + limits.offerMs, [] as { agent: string; distribution: Distribution }[], [] as number[]]
    let agents = await candidates(trx)
    for (let from: WaitingRow | undefined | null = null; from !== undefined && agents.some(hasRoom);) {
      const rows = await this.#page(trx, from)
      const { planned, refusals } = await this.#plan(trx, rows, agents)
      await insertOffers(trx, planned, due)
      times.push(...refusals.map((refusal) => refusal.until), ...this.#stepsOf(rows))
      const distributions = new Map(rows.map((row) => [row.id, distributionOf(row, limits.offerMs)]))
      made.push(...planned.flatMap(({ contact, agent }) => [distributions.get(contact)].flatMap((distribution) => (distribution ? [{ agent, distribution }] : []))))
      agents = withOffers(agents, planned)
      from = rows.length < PAGE ? undefined : rows.at(-1)
    }
    await this.#lookAgain(trx, times)
    return made
  }

  /** Contacts that wait, after one of them, and have fewer offers than they may. Who was to have one alone and is gone stands in nobody's way. */
  async #page(trx: Transaction<Tables>, after: WaitingRow | null): Promise<WaitingRow[]> {
    const { rows } = await sql<WaitingRow>`
      select id, nick, tags, details, queued_at,
        (select a.id from agents a where a.id = c.only_agent and (a.connected or a.state = 'ready')) as only_agent
      from contacts c
      where waiting and (queued_at, id) > (${after?.queued_at ?? -1}, ${after?.id ?? ''})
        and (select count(*) from offers o where o.contact = c.id) < ${Math.min(mostParallel(this.#parts.strategy), ALL)}
      order by queued_at, id limit ${PAGE}`.execute(trx)
    return rows
  }

  async #plan(trx: Transaction<Tables>, rows: readonly WaitingRow[], agents: readonly Candidate[]) {
    const { clock, strategy } = this.#parts
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return { planned: [], refusals: [] }
    const now = clock.now()
    const offered = pairs(await trx.selectFrom('offers').select(['contact', 'agent']).where('contact', 'in', ids).execute())
    const refusals = await trx.selectFrom('refusals').selectAll().where('contact', 'in', ids).where('until', '>', now).execute()
    return { planned: planOffers({ strategy, now, waiting: rows.map(waitingOf), agents, offered, refused: pairs(refusals) }), refusals }
  }

  #stepsOf(rows: readonly WaitingRow[]): number[] {
    const moments = momentsOf(this.#parts.strategy)
    return rows.flatMap((row) => moments.map((afterMs) => (row.queued_at ?? 0) + afterMs))
  }

  /** Sets a timer for the moment when time alone can make a match. */
  async #lookAgain(trx: Transaction<Tables>, times: readonly number[]): Promise<void> {
    const { clock, bus } = this.#parts
    const now = clock.now()
    const due = times.reduce((next, time) => (time > now && time < next ? time : next), Number.POSITIVE_INFINITY)
    if (!Number.isFinite(due)) return
    await setTimer(trx, { subject: 'queue', kind: 'match', key: '', due })
    bus.publish('timer', { due })
  }
}

function withOffers(agents: readonly Candidate[], planned: readonly PlannedOffer[]): Candidate[] {
  const more = new Map<string, number>()
  for (const { agent } of planned) more.set(agent, (more.get(agent) ?? 0) + 1)
  return agents.map((each) => ({ ...each, load: each.load + (more.get(each.id) ?? 0) }))
}

/** Offers that have lost their contact or their agent. Those that somebody is about to answer are left to them. */
async function sweep(trx: Transaction<Tables>): Promise<PlannedOffer[]> {
  const { rows } = await sql<PlannedOffer>`
    with stale as (
      select o.contact, o.agent from offers o
      where not exists (select 1 from contacts c where c.id = o.contact and c.waiting)
        or not exists (select 1 from agents a where a.id = o.agent and a.state = 'ready')
      for update of o skip locked
    )
    delete from offers o using stale s where o.contact = s.contact and o.agent = s.agent
    returning o.contact, o.agent`.execute(trx)
  return rows
}

async function candidates(trx: Transaction<Tables>): Promise<Candidate[]> {
  const { rows } = await sql<AgentRow & { load: number }>`
    select * from (
      select a.*, (select count(*) from contacts c where c.agent = a.id and c.life in ('assigned', 'joined')) + (select count(*) from offers o where o.agent = a.id) as load
      from agents a where a.state = 'ready' and a.connected
    ) free where load < capacity`.execute(trx)
  return rows.map(({ id, tags, media, capacity, load, last_assigned: lastAssigned }) => ({
    id,
    tags,
    capacity,
    load,
    lastAssigned,
    media: JSON.parse(media) as Record<string, boolean>,
  }))
}

async function insertOffers(trx: Transaction<Tables>, planned: readonly PlannedOffer[], due: number): Promise<void> {
  if (planned.length === 0) return
  await trx
    .insertInto('offers')
    .values(planned.map((offer) => ({ ...offer, due })))
    .execute()
  await trx
    .insertInto('timers')
    .values(planned.map(({ contact, agent }) => ({ subject: contact, kind: 'offer', key: agent, due })))
    .onConflict((conflict) => conflict.columns(['subject', 'kind', 'key']).doUpdateSet({ due }))
    .execute()
}

function pairs(rows: readonly PlannedOffer[]): PairSet {
  const map = new Map<string, Set<string>>()
  for (const { contact, agent } of rows) map.set(contact, (map.get(contact) ?? new Set()).add(agent))
  return map
}

function waitingOf({ id, tags, details, queued_at: queuedAt, only_agent: onlyAgent }: WaitingRow): Waiting {
  const offer = (JSON.parse(details) as ContactRequest).initialOffer ?? {}
  const media = Object.entries(offer).flatMap(([medium, asked]) => (asked?.tx === 'required' || asked?.rx === 'required' ? [medium] : []))
  return { id, tags, media, queuedAt: queuedAt ?? 0, onlyAgent }
}

/** What an agent is shown of a contact before accepting it. */
export function distributionOf({ id, nick, tags, details }: Pick<ContactRow, 'id' | 'nick' | 'tags' | 'details'>, expiresInMs: number): Distribution {
  const { lang, initialOffer, secure } = JSON.parse(details) as ContactRequest
  return {
    id,
    ...(nick === null ? {} : { nick }),
    ...(lang === undefined ? {} : { lang }),
    tags,
    ...(initialOffer === undefined ? {} : { initialOffer }),
    secure: secure ?? false,
    expiresInMs,
  }
}
