import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { AgentCard, Calls, Colleague, ContactData, ContactNote } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { offerOutcome } from '../cluster/work-rules.ts'
import { notesOf, writeNote } from '../contacts/index.ts'
import { hasLeft, isOver, isVisitorGone, isWaiting, lifeName, recordOf } from '../contacts/index.ts'
import type { ContactChange, ContactStore, Statement } from '../contacts/index.ts'
import type { AgentRow, Tables } from '../store/tables.ts'
import { isTimerDue } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import { contactsOf } from './agent-contacts.ts'
import type { ContactPage, ContactsQuery } from './agent-contacts.ts'
import { lockAgent, unlessNotFound } from './agent-presence.ts'
import { colleaguesOf } from './colleagues.ts'
import { takeOffer, withdrawOffer } from './offer-rows.ts'

const FORCE = 'join:force'

interface AgentParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly random: Random
  readonly pausesOnExpiry: boolean
}

export const cardOf = ({ id, nick, avatar }: AgentPrincipal): AgentCard => ({
  user: id,
  nick,
  ...(avatar === null ? {} : { avatar }),
})

/** What agents do with offers and contacts. */
export class AgentService {
  readonly #parts: AgentParts

  constructor(parts: AgentParts) {
    this.#parts = parts
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
      else if (await withdrawOffer(change.trx, contact, agent.id)) {
        change.happen({ type: 'offer.declined', user: agent.id, nick: agent.nick })
        change.tell(agent.id, { name: 'agent.withdrawn', body: { id: contact, reason: 'declined' } })
      } else throw notTheirs(change, agent.id)
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
      else change.routing.free()
    }
    const { store, bus } = this.#parts
    await store.change(contact, work).catch(unlessNotFound)
    bus.publish('match', { reason: contact })
  }

  /** Hands a contact on. Gives the id under which it goes on. */
  transfer(
    agent: AgentPrincipal,
    { contact, toAgent, toTags, note }: Calls['agent.transfer']['args'],
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
      if (life !== 'joined' && life !== 'assigned') throw hasLeft()
      if (note !== undefined) await writeNote(change, agent, { text: note, isForNext: true })
      if (life === 'joined') {
        const toId = randomId(this.#parts.random, 'c-')
        change.happen({ type: 'agent.transferred', to: { toId, ...target } })
        return toId
      }
      change.happen({ type: 'agent.declined' })
      change.routing.routeTo(agent.id, target, change.now)
      return contact
    })
  }

  /** Contacts that the agent has, a page at a time. @throws {@link ContactError} `invalid_argument` */
  contacts(asked: ContactsQuery): Promise<ContactPage> {
    return contactsOf(this.#parts, asked)
  }

  /** Agents to whom this one can hand a contact. */
  colleagues(agent: AgentPrincipal): Promise<Colleague[]> {
    return colleaguesOf(this.#parts.db, agent.id)
  }

  /** Writes a note: no visitor is told of it. */
  note(agent: AgentPrincipal, { contact, text }: Calls['agent.note']['args']): Promise<ContactNote> {
    return this.#parts.store.change(contact, async (change) => {
      const note = await writeNote(change, agent, { text })
      change.tell(agent.id, { name: 'agent.note', body: { contact, note } })
      return note
    })
  }

  /** Notes of a contact that the agent may read. */
  notes(contact: string): Promise<ContactNote[]> {
    return notesOf(this.#parts.db, contact)
  }

  /** An offer was not answered in time. */
  async endOffer(timer: TimerRow): Promise<void> {
    const { subject: contact, key: agent } = timer
    const { store, bus, pausesOnExpiry } = this.#parts
    const work = async (change: ContactChange): Promise<void> => {
      if (!(await isTimerDue(change.trx, timer, change.now))) return
      await lockAgent(change.trx, agent)
      const offer = await takeOffer(change.trx, contact, agent)
      if (!offer) return
      const pauses = pausesOnExpiry && offerOutcome(offer, change.now) === 'pause'
      if (pauses)
        await change.trx.updateTable('agents').set({ state: 'paused' }).where('id', '=', agent).execute()
      if (change.row.only_agent === agent)
        missed(change, (await namedAgent(change, agent)) ?? { id: agent, nick: '' })
      change.tell(agent, { name: 'agent.withdrawn', body: { id: contact, reason: 'expired' } })
      if (pauses) change.tell(agent, { name: 'agent.paused', body: { reason: 'expired' } })
    }
    await store.change(contact, work, { lockKey: agent })
    bus.publish('match', { reason: contact })
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
    // Other pages of the agent are told, too.
    change.tell(agent.id, { name: 'agent.withdrawn', body: { id, reason: 'taken', own: true } })
    for (const other of others ?? [])
      change.tell(other, { name: 'agent.withdrawn', body: { id, reason: 'taken' } })
    change.happen({ type: 'agent.accepted', agent: cardOf(agent) })
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
