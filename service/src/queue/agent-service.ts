import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { AgentCard, AgentPresence, ContactData } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { Bus } from '../bus/bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'

import { hasLeft, isOver, isVisitorGone, isWaiting, lifeName, recordOf } from '../contacts/index.ts'
import type { ContactChange, ContactStore, Statement } from '../contacts/index.ts'
import type { AgentRow, Tables } from '../store/tables.ts'
import { clearTimer, setTimer, takeTimer } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import { contactsOf } from './agent-contacts.ts'
import type { ContactPage, ContactsAsked } from './agent-contacts.ts'
import { distributionOf } from './matcher.ts'
import type { QueueLimits } from './matcher.ts'
import { withdrawOffer } from './offer-rows.ts'

const DEFAULT_CAPACITY = 3
const FORCE = 'join:force'

interface AgentParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: Bus
  readonly clock: ServiceClock
  readonly limits: QueueLimits
  readonly random: Random
  readonly pausesOnExpiry: boolean
}

export const cardOf = ({ id, nick, avatar }: AgentPrincipal): AgentCard => ({
  user: id,
  nick,
  ...(avatar === null ? {} : { avatar }),
})

/** Agents: their presence, and what they do with offers. */
export class AgentService {
  readonly #parts: AgentParts

  constructor(parts: AgentParts) {
    this.#parts = parts
  }

  /** The agent has a connection. */
  async connected({ id, nick, tags }: AgentPrincipal): Promise<void> {
    const { db, bus } = this.#parts
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('agents')
        .values({
          id,
          nick,
          state: 'paused',
          capacity: DEFAULT_CAPACITY,
          media: '{}',
          tags: [...tags],
          connected: true,
          last_assigned: 0,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ nick, connected: true }))
        .execute()
      await clearTimer(trx, { subject: id, kind: 'agent', key: '' })
    })
    await this.#offerAgain(id)
    bus.publish('match', { reason: id })
  }

  /** The agent's last connection is gone. */
  async disconnected(agent: string, isOpen: () => boolean): Promise<void> {
    const { db, clock, limits, bus } = this.#parts
    const due = clock.now() + limits.agentGraceMs
    await db.transaction().execute(async (trx) => {
      await lockAgent(trx, agent)
      // Who comes back from here on writes after this.
      if (isOpen()) return
      await trx.updateTable('agents').set({ connected: false }).where('id', '=', agent).execute()
      await setTimer(trx, { subject: agent, kind: 'agent', key: '', due })
    })
    bus.publish('timer', { due })
  }

  async setPresence(agent: AgentPrincipal, { state, media, capacity, tags }: AgentPresence): Promise<void> {
    const { db, bus } = this.#parts
    const wanted = {
      state,
      media: JSON.stringify(media ?? {}),
      capacity: capacity ?? DEFAULT_CAPACITY,
      tags: [...(tags ?? agent.tags)],
    }
    await db.updateTable('agents').set(wanted).where('id', '=', agent.id).execute()
    if (state === 'ready') await this.#offerAgain(agent.id)
    bus.publish('match', { reason: agent.id })
  }

  /**
   * Gives the contact to this agent and to no other. By force also one that waits and was not offered: where
   * a third party routes contacts.
   */
  accept(agent: AgentPrincipal, contact: string, force = false): Promise<ContactData> {
    const work = async (change: ContactChange): Promise<ContactData> => {
      if (force && !agent.rights.includes(FORCE))
        throw new ContactError(
          'forbidden',
          `unable to accept the contact by force; the agent does not have the right ${FORCE}`,
        )
      if (isWaiting(change.life)) await this.#assign(change, agent, force)
      else if (change.row.agent !== agent.id || isOver(change.life)) throw notTheirs(change, agent.id)
      return recordOf(change.row, change.state, 'agent')
    }
    return this.#parts.store.change(contact, work, { lockKey: agent.id })
  }

  async decline(agent: AgentPrincipal, contact: string): Promise<void> {
    const { store, bus } = this.#parts
    await store.change(contact, async (change) => {
      if (lifeName(change.life) === 'assigned' && change.row.agent === agent.id)
        change.happen({ type: 'agent.declined' })
      else if (await withdrawOffer(change.trx, contact, agent.id))
        change.happen({ type: 'offer.declined', user: agent.id, nick: agent.nick })
      else throw notTheirs(change, agent.id)
    })
    bus.publish('match', { reason: contact })
  }

  /** The agent to whom a contact was handed was not free for it in time. Of one who is gone nobody is told. */
  async notTaken(contact: string): Promise<void> {
    const work = async (change: ContactChange): Promise<void> => {
      const named = change.row.only_agent
      if (named === null || !isWaiting(change.life)) return
      const offer = await change.trx
        .selectFrom('offers')
        .select('agent')
        .where('contact', '=', contact)
        .where('agent', '=', named)
        .executeTakeFirst()
      if (offer) return
      const agent = await namedAgent(change, named)
      if (agent && (agent.connected || agent.state === 'ready')) missed(change, agent)
      else change.handing.free()
    }
    const { store, bus } = this.#parts
    await store.change(contact, work).catch(unlessNotFound)
    bus.publish('match', { reason: contact })
  }

  /** Hands a contact on. Gives the id under which it goes on. */
  transfer(
    agent: AgentPrincipal,
    { contact, toAgent, toTags }: { contact: string; toAgent?: string; toTags?: readonly string[] },
  ): Promise<string> {
    return this.#parts.store.change(contact, async (change) => {
      if (change.row.agent !== agent.id) throw notAssigned()
      if (toAgent !== undefined) await checkTarget(change, toAgent, agent.id)
      const life = lifeName(change.life)
      const target = {
        ...(toAgent === undefined ? {} : { toAgent }),
        ...(toTags === undefined ? {} : { toTags }),
      }
      if (isVisitorGone(change.life))
        throw new ContactError('invalid_state', 'unable to transfer the contact; its visitor has left')
      if (life === 'joined') {
        const toId = randomId(this.#parts.random, 'c-')
        change.happen({ type: 'agent.transferred', to: { toId, ...target } })
        return toId
      }
      if (life !== 'assigned') throw hasLeft()
      change.happen({ type: 'agent.declined' })
      change.handing.handOn(agent.id, target, change.now)
      return contact
    })
  }

  /** Contacts that the agent has, a page at a time. @throws {@link ContactError} `invalid_argument` */
  contacts(asked: ContactsAsked): Promise<ContactPage> {
    return contactsOf(this.#parts, asked)
  }

  /** An offer was not answered in time. */
  async endOffer(timer: TimerRow): Promise<void> {
    const { subject: contact, key: agent } = timer
    const { store, bus, pausesOnExpiry } = this.#parts
    const work = async (change: ContactChange): Promise<void> => {
      if (!(await isDue(change.trx, timer, change.now))) return
      await lockAgent(change.trx, agent)
      if (!(await withdrawOffer(change.trx, contact, agent))) return
      if (pausesOnExpiry)
        await change.trx.updateTable('agents').set({ state: 'paused' }).where('id', '=', agent).execute()
      if (change.row.only_agent === agent)
        missed(change, (await namedAgent(change, agent)) ?? { id: agent, nick: '' })
      change.tell(agent, { name: 'agent.withdrawn', body: { id: contact, reason: 'expired' } })
      if (pausesOnExpiry) change.tell(agent, { name: 'agent.paused', body: { reason: 'expired' } })
    }
    await store.change(contact, work, { lockKey: agent })
    bus.publish('match', { reason: contact })
  }

  /**
   * An agent did not come back: what was assigned to them is for others. The timer goes last, so that what
   * could not be given back is tried again.
   */
  async endGrace(timer: TimerRow): Promise<void> {
    const { db, bus, clock } = this.#parts
    const agent = timer.subject
    if (!(await this.#endPresence(timer))) return
    const assigned = await db
      .selectFrom('contacts')
      .select('id')
      .where('agent', '=', agent)
      .where('life', '=', 'assigned')
      .execute()
    const given = await Promise.allSettled(assigned.map(({ id }) => this.#giveBack(id, agent)))
    bus.publish('match', { reason: agent })
    for (const each of given) if (each.status === 'rejected') throw each.reason as unknown
    await takeTimer(db, timer, clock.now())
  }

  /** False where the agent is back. */
  #endPresence(timer: TimerRow): Promise<boolean> {
    const { db, clock } = this.#parts
    return db.transaction().execute(async (trx) => {
      await lockAgent(trx, timer.subject)
      if (!(await isDue(trx, timer, clock.now()))) return false
      const updated = await trx
        .updateTable('agents')
        .set({ state: 'paused' })
        .where('id', '=', timer.subject)
        .where('connected', '=', false)
        .returning('id')
        .execute()
      if (updated.length === 0) await takeTimer(trx, timer, clock.now())
      return updated.length > 0
    })
  }

  #giveBack(contact: string, agent: string): Promise<void> {
    const work = async (change: ContactChange): Promise<void> => {
      if (lifeName(change.life) === 'assigned' && change.row.agent === agent)
        change.happen({ type: 'agent.declined' })
    }
    return this.#parts.store.change(contact, work).catch(unlessNotFound)
  }

  /** After a start: no agent has a connection yet. */
  async loseAll(): Promise<void> {
    const { db, clock, limits } = this.#parts
    await sql`insert into timers (subject, kind, key, due) select id, 'agent', '', ${clock.now() + limits.agentGraceMs}::bigint from agents where connected on conflict do nothing`.execute(
      db,
    )
    await db.updateTable('agents').set({ connected: false }).where('connected', '=', true).execute()
  }

  async #assign(change: ContactChange, agent: AgentPrincipal, force: boolean): Promise<void> {
    const { id } = change.row
    const isForced = force && (await offerAtOnce(change, agent.id))
    const { why, others } = await change.load(acceptOffer, { contact: id, agent: agent.id })
    if (why !== null && isForced) await withdrawOffer(change.trx, id, agent.id)
    if (why === 'full')
      throw new ContactError(
        'invalid_state',
        'unable to accept the contact; the agent has as many contacts as their capacity',
      )
    if (why !== null) throw notOffered()
    for (const other of others ?? [])
      change.tell(other, { name: 'agent.withdrawn', body: { id, reason: 'taken' } })
    change.happen({ type: 'agent.accepted', agent: cardOf(agent) })
  }

  /** Offers that stand, for a connection that may not have heard of them. */
  async #offerAgain(agent: string): Promise<void> {
    const { db, bus, clock } = this.#parts
    const rows = await db
      .selectFrom('offers')
      .innerJoin('contacts', 'contacts.id', 'offers.contact')
      .select((row) => [
        'contacts.id',
        'contacts.nick',
        'contacts.tags',
        'offers.due',
        row.fn.coalesce('contacts.distribution', 'contacts.details').as('distribution'),
      ])
      .where('offers.agent', '=', agent)
      .where('contacts.waiting', '=', true)
      .execute()
    for (const row of rows)
      bus.publish('agent', {
        agent,
        push: { name: 'agent.distribution', body: distributionOf(row, Math.max(0, row.due - clock.now())) },
      })
  }
}

type NamedAgent = Pick<AgentRow, 'id' | 'nick'>

const namedAgent = ({ trx }: ContactChange, id: string) =>
  trx
    .selectFrom('agents')
    .select(['id', 'nick', 'connected', 'state'])
    .where('id', '=', id)
    .executeTakeFirst()

/**
 * An agent who was to have the contact alone has said nothing, or could not be asked: the visitor is told as
 * where they had declined.
 */
const missed = (change: ContactChange, { id: user, nick }: NamedAgent): void =>
  change.happen({ type: 'offer.missed', user, nick })

const unlessNotFound = (thrown: unknown): void => {
  if (!(thrown instanceof ContactError) || thrown.code !== 'not_found') throw thrown
}

/** Whether a timer's time is over. */
async function isDue(db: Kysely<Tables>, { subject, kind, key }: TimerRow, now: number): Promise<boolean> {
  const stored = await db
    .selectFrom('timers')
    .select('due')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  return stored !== undefined && stored.due <= now
}

/** Before anything of the agent's is locked: that is the order for all. */
const lockAgent = (trx: Kysely<Tables>, agent: string): Promise<unknown> =>
  trx.selectFrom('agents').select('id').where('id', '=', agent).forUpdate().execute()

interface Acceptance {
  readonly why: 'not_offered' | 'full' | null
  readonly others: string[] | null
}

const acceptOffer: Statement<{ readonly contact: string; readonly agent: string }, Acceptance> = async (
  { trx, now },
  pairs,
) => {
  const [contacts, agents] = [pairs.map(({ contact }) => contact), pairs.map(({ agent }) => agent)]
  const { rows } = await sql<
    Acceptance & { contact: string }
  >`select * from accept_offers(${contacts}, ${agents}, ${now})`.execute(trx)
  const answers = new Map(rows.map((row) => [row.contact, row]))
  return contacts.map((contact) => answers.get(contact) ?? { why: 'not_offered', others: null })
}

/** False where it was offered already. */
async function offerAtOnce({ trx, row, now }: ContactChange, agent: string): Promise<boolean> {
  const made = await trx
    .insertInto('offers')
    .values({ contact: row.id, agent, due: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('agent')
    .execute()
  return made.length > 0
}

async function checkTarget(change: ContactChange, toAgent: string, self: string): Promise<void> {
  if (toAgent === self)
    throw new ContactError('invalid_argument', 'unable to transfer the contact; this agent has it already')
  const known = await change.trx
    .selectFrom('agents')
    .select('id')
    .where('id', '=', toAgent)
    .executeTakeFirst()
  if (!known) throw new ContactError('not_found', 'unable to transfer the contact; there is no such agent')
}

const notAssigned = (): ContactError =>
  new ContactError('not_assigned', 'unable to transfer the contact; it is not assigned to this agent')
/** Who had the contact until it ended or was handed on is told so. */
const notTheirs = ({ row, life }: ContactChange, agent: string): ContactError =>
  row.agent === agent && isOver(life) ? hasLeft() : notOffered()
const notOffered = (): ContactError =>
  new ContactError('not_assigned', 'unable to answer the offer; it is over, or was never made to this agent')
