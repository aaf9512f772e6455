import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { AgentPresence } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { OwnNode } from '../cluster/own-node.ts'
import { lifeName } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import type { AgentRow, Tables } from '../store/tables.ts'
import { clearTimer, isTimerDue, setTimer, takeTimer } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import {
  addConnection,
  loseUnnoted,
  removeConnection,
  stands,
  sweepConnections,
} from './agent-connections.ts'
import type { AgentConnection } from './agent-connections.ts'
import type { QueueLimits } from './queue-limits.ts'
import { standingOffers } from './standing-offers.ts'

const DEFAULT_CAPACITY = 3

interface PresenceParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly limits: QueueLimits
  readonly node: OwnNode
}

/** Whether agents are connected, and which contacts they want. */
export class AgentPresenceService {
  readonly #parts: PresenceParts

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** @throws {@link ContactError} `offline`: this node was declared dead */
  async connected({ id: agent, nick, tags }: AgentPrincipal, connection: string): Promise<void> {
    const { db, bus, node } = this.#parts
    const row = await db.transaction().execute(async (trx) => {
      const agentRow = await trx
        .insertInto('agents')
        .values({
          id: agent,
          nick,
          state: 'paused',
          capacity: DEFAULT_CAPACITY,
          media: '{}',
          tags: [...tags],
          connected: true,
          last_assigned: 0,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ nick, connected: true }))
        .returning(['state', 'media', 'capacity', 'tags'])
        .executeTakeFirstOrThrow()
      if (!(await addConnection(trx, { id: connection, agent, node: node.id }))) throw isElsewhere()
      await clearTimer(trx, { subject: agent, kind: 'agent', key: '' })
      return agentRow
    })
    // Another page of the agent is ready, or was a moment ago: this one is asked, too.
    if (row.state === 'ready') this.#tell(agent, presenceOf(row))
    await this.#offerAgain(agent)
    bus.publish('match', { reason: agent })
  }

  /** A connection is gone, maybe the agent's last one. */
  async disconnected(connection: AgentConnection): Promise<void> {
    const { db, clock, limits, bus } = this.#parts
    const { agent } = connection
    const due = clock.now() + limits.agentGraceMs
    await db.transaction().execute(async (trx) => {
      await lockAgent(trx, agent)
      if (!(await removeConnection(trx, connection))) return
      await trx.updateTable('agents').set({ connected: false }).where('id', '=', agent).execute()
      await setTimer(trx, { subject: agent, kind: 'agent', key: '', due })
    })
    bus.publish('timer', { due })
  }

  /**
   * What the agent wants, said over one of their connections.
   * @throws {@link ContactError} `offline`: the connection counts as gone
   */
  async setPresence(
    agent: AgentPrincipal,
    { state, media, capacity, tags }: AgentPresence,
    connection: string,
  ): Promise<void> {
    const { db, bus } = this.#parts
    const wanted = {
      state,
      media: JSON.stringify(media ?? {}),
      capacity: capacity ?? DEFAULT_CAPACITY,
      tags: [...(tags ?? agent.tags)],
    }
    await db.transaction().execute(async (trx) => {
      await lockAgent(trx, agent.id)
      if (!(await stands(trx, connection))) throw isElsewhere()
      await trx.updateTable('agents').set(wanted).where('id', '=', agent.id).execute()
    })
    this.#tell(agent.id, presenceOf(wanted))
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

  /** Notes the end of connections of nodes that are dead: some at a time, until there are no more. */
  async sweep(): Promise<void> {
    const { db, clock, limits, bus } = this.#parts
    const due = clock.now() + limits.agentGraceMs
    for (let swept = await sweepConnections(db, due); swept > 0; swept = await sweepConnections(db, due))
      bus.publish('timer', { due })
  }

  /** After a start: an older version of the service notes no connections. */
  async loseUnnoted(): Promise<void> {
    const { db, clock, limits } = this.#parts
    await loseUnnoted(db, clock.now() + limits.agentGraceMs)
  }

  /** All connections of an agent are told what they take. */
  #tell(agent: string, body: AgentPresence): void {
    this.#parts.bus.publish('agent', { agent, push: { name: 'agent.presence', body } })
  }

  /** Offers that stand, for a connection that may not have heard of them. */
  async #offerAgain(agent: string): Promise<void> {
    const { db, bus, clock } = this.#parts
    for (const body of await standingOffers(db, { agent, now: clock.now() }))
      bus.publish('agent', { agent, push: { name: 'agent.distribution', body } })
  }
}

type PresenceRow = Pick<AgentRow, 'state' | 'media' | 'capacity' | 'tags'>

const presenceOf = ({ state, media, capacity, tags }: PresenceRow): AgentPresence => ({
  ...{ state, capacity, tags },
  media: JSON.parse(media) as NonNullable<AgentPresence['media']>,
})

const isElsewhere = (): ContactError =>
  new ContactError('offline', 'unable to serve the agent; this connection counts as gone: connect anew')

/** An agent's row is locked before anything else of the agent: the same order for all. */
export const lockAgent = (trx: Kysely<Tables>, agent: string): Promise<unknown> =>
  trx.selectFrom('agents').select('id').where('id', '=', agent).forUpdate().execute()

export const unlessNotFound = (thrown: unknown): void => {
  if (!(thrown instanceof ContactError) || thrown.code !== 'not_found') throw thrown
}
