import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { AgentPresence } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { lifeName } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import type { Tables } from '../store/tables.ts'
import { clearTimer, isTimerDue, setTimer, takeTimer } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import type { QueueLimits } from './queue-limits.ts'
import { standingOffers } from './standing-offers.ts'

const DEFAULT_CAPACITY = 3

interface PresenceParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly limits: QueueLimits
}

/** Whether agents are connected, and which contacts they want. */
export class AgentPresenceService {
  readonly #parts: PresenceParts

  constructor(parts: PresenceParts) {
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
      if (!(await isTimerDue(trx, timer, clock.now()))) return false
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
    await sql`insert into timers (subject, kind, key, due)
      select id, 'agent', '', ${clock.now() + limits.agentGraceMs}::bigint from agents where connected
        on conflict do nothing`.execute(db)
    await db.updateTable('agents').set({ connected: false }).where('connected', '=', true).execute()
  }

  /** Offers that stand, for a connection that may not have heard of them. */
  async #offerAgain(agent: string): Promise<void> {
    const { db, bus, clock } = this.#parts
    for (const body of await standingOffers(db, { agent, now: clock.now() }))
      bus.publish('agent', { agent, push: { name: 'agent.distribution', body } })
  }
}

/** An agent's row is locked before anything else of the agent: the same order for all. */
export const lockAgent = (trx: Kysely<Tables>, agent: string): Promise<unknown> =>
  trx.selectFrom('agents').select('id').where('id', '=', agent).forUpdate().execute()

export const unlessNotFound = (thrown: unknown): void => {
  if (!(thrown instanceof ContactError) || thrown.code !== 'not_found') throw thrown
}
