import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError, algebra, foldContact, initialContactState } from '../../../protocol/index.ts'
import type { ContactRequest, ContactState } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { Bus } from '../bus/bus.ts'
import type { WriteQueues } from '../log/write-queues.ts'
import { readLog } from '../log/read-log.ts'
import type { ContactRow, SessionRow, Tables } from '../store/tables.ts'
import { carryOut } from './change-group.ts'
import type { ChangeJob, Opening } from './change-group.ts'
import { ContactChange } from './contact-change.ts'
import type { ContactWorld } from './contact-change.ts'
import { distributionColumn, nickOf } from './contact-record.ts'
import type { TransferTarget } from './contact.types.ts'
import { beginLife } from './life.ts'
import type { Statement, TransactionBatch } from './transaction-batch.ts'

const PAGE = 1_000
/** Contacts of one visitor that may wait at the same time. */
export const QUEUED_LIMIT = 50

interface StoreParts {
  readonly db: Kysely<Tables>
  readonly queues: WriteQueues<ChangeJob>
  readonly bus: Bus
  readonly world: ContactWorld
}

/** What a change takes besides its contact. */
interface Demands {
  /** The party whose own rows it looks at or locks. */
  readonly lockKey?: string | null
  /** Of the content that it brings, and keeps while it waits. */
  readonly characters?: number
}

interface Creation {
  readonly id: string
  readonly visitor: string
  readonly request: string
  readonly details: ContactRequest
}

interface NewContact extends Creation {
  readonly transferredFrom: string | null
  readonly onlyAgent: string | null
  readonly handedBy: string | null
  readonly legalHold: number | null
}

/**
 * Contacts as they stand in the store. All changes of one contact pass through its queue, and lock its row.
 */
export class ContactStore {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /**
   * Changes a contact in a transaction, which it may share with changes of others, and tells the others after
   * the commit.
   * The work writes nothing before it fails with a {@link ContactError}.
   *
   * @throws {@link ContactError} `not_found`
   */
  change<T>(
    contact: string,
    work: (change: ContactChange) => Promise<T>,
    { lockKey = null, characters = 0 }: Demands = {},
  ): Promise<T> {
    return this.#enter({ contact, lockKey, characters, isNew: false }, async ({ together, row }) => {
      if (!row) throw notFound(contact)
      const change = new ContactChange(together, this.#parts.world, {
        row,
        state: await stateOf(together.trx, row),
      })
      const result = await work(change)
      const next = change.successor ? await this.#succeed(together, change, change.successor) : null
      return { changes: next ? [change, next] : [change], result }
    })
  }

  /** Makes a contact, or finds the one that the same request made. */
  create(contact: Creation): Promise<string> {
    return this.#enter(
      {
        contact: contact.id,
        lockKey: contact.visitor,
        characters: JSON.stringify(contact.details).length,
        isNew: true,
      },
      async ({ together }) => {
        if (!(await together.load(lockVisitor, contact.visitor)))
          throw new ContactError('unauthorized', 'unable to create the contact; the visitor was erased')
        const made = await this.#insert(together, {
          ...contact,
          transferredFrom: null,
          onlyAgent: null,
          handedBy: null,
          legalHold: null,
        })
        if (made) return { changes: [made], result: contact.id }
        const { visitor, request } = contact
        const existing = await together.trx
          .selectFrom('contacts')
          .select('id')
          .where('visitor', '=', visitor)
          .where('request', '=', request)
          .executeTakeFirst()
        if (!existing)
          throw new ContactError(
            'rate_limited',
            `unable to create the contact; ${QUEUED_LIMIT} of this visitor wait already`,
          )
        return { changes: [], result: existing.id }
      },
    )
  }

  /**
   * Carries out changes that waited in their queues. Gives those whose contact somebody else has locked,
   * unless it waits for them.
   */
  carryOut(jobs: readonly ChangeJob[], waits: boolean): Promise<readonly ChangeJob[]> {
    const { db, world } = this.#parts
    return carryOut(
      { db, waits, now: () => world.clock.now(), publish: (change) => this.#publish(change) },
      jobs,
    )
  }

  /** A contact as it is now; null where there is none. */
  async read(contact: string): Promise<{ readonly row: ContactRow; readonly state: ContactState } | null> {
    const { db } = this.#parts
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', contact).executeTakeFirst()
    return row ? { row, state: await stateOf(db, row) } : null
  }

  /** The rows of a contact and of one of its sessions, where there are such. */
  async readSession(
    contact: string,
    session: string,
  ): Promise<{ readonly row: ContactRow | undefined; readonly known: SessionRow | undefined }> {
    const { db } = this.#parts
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', contact).executeTakeFirst()
    return {
      row,
      known: await db
        .selectFrom('sessions')
        .selectAll()
        .where('contact', '=', contact)
        .where('session', '=', session)
        .executeTakeFirst(),
    }
  }

  /** Whether a party has a contact that is not over. */
  async hasOpenOf({ use, id }: Pick<Principal, 'use' | 'id'>): Promise<boolean> {
    const open = this.#parts.db.selectFrom('contacts').select('id')
    const row = await (
      use === 'visitor'
        ? open.where('visitor', '=', id).where('ended', 'is', null)
        : open.where('agent', '=', id).where('life', 'in', ['assigned', 'joined'])
    )
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /**
   * Whether the agent has the contact that this one went on as. What was said in a secure contact stays
   * there.
   */
  async hasSuccessorOf({ id, details }: ContactRow, agent: string): Promise<boolean> {
    if ((JSON.parse(details) as ContactRequest).secure) return false
    const { rows } = await sql<{ found: boolean }>`
      with recursive next as (
        select id, agent, life from contacts where transferred_from = ${id}
        union all select c.id, c.agent, c.life from contacts c join next on c.transferred_from = next.id
      ) select exists (select 1 from next where agent = ${agent} and life <> 'transferred') as found`.execute(
      this.#parts.db,
    )
    return rows[0]?.found ?? false
  }

  /** The id under which a contact goes on; null where it does not. */
  async successorOf(contact: string): Promise<string | null> {
    const row = await this.#parts.db
      .selectFrom('contacts')
      .select('id')
      .where('transferred_from', '=', contact)
      .executeTakeFirst()
    return row?.id ?? null
  }

  /**
   * Stores the fold again where many entries have come since, so that opening the contact stays quick.
   * `known`: the fold, where this process has it.
   */
  async refreshSnapshot(contact: string, known: ContactState | null): Promise<void> {
    const state = known ?? (await this.read(contact))?.state
    if (!state) return
    await this.#parts.db
      .updateTable('contacts')
      .set({ state: JSON.stringify(state), state_seq: state.seq })
      .where('id', '=', contact)
      .where('state_seq', '<', state.seq)
      .execute()
  }

  #enter<T>(
    { characters, ...about }: Pick<ChangeJob, 'contact' | 'lockKey' | 'isNew'> & Required<Demands>,
    run: (opening: Opening) => Promise<{ readonly changes: readonly ContactChange[]; readonly result: T }>,
  ): Promise<T> {
    this.#parts.queues.checkRoom()
    return new Promise((settle, failed) => {
      let end = (): void => {}
      const job: ChangeJob = {
        ...about,
        run: async (opening) => {
          const { changes, result } = await run(opening)
          end = () => settle(result)
          return changes
        },
        done: () => end(),
        failed,
      }
      this.#parts.queues.change(about.contact, job, characters)
    })
  }

  #publish(change: ContactChange): void {
    const { bus } = this.#parts
    if (change.entries.length > 0)
      bus.publish('appended', { contact: change.row.id, entries: change.entries })
    const due = [...change.timers.values()].reduce(
      (next, timer) => Math.min(next, timer.due ?? next),
      Number.POSITIVE_INFINITY,
    )
    if (due < Number.POSITIVE_INFINITY) bus.publish('timer', { due })
    for (const push of change.pushes) bus.publish('agent', push)
    if (change.droppedUploads.length > 0) bus.publish('uploadsDropped', { ids: change.droppedUploads })
    if (change.movesQueue) bus.publish('match', { reason: change.row.id })
  }

  /** Makes the contact under which another goes on: Native media as they are, all others off. */
  async #succeed(
    together: TransactionBatch,
    { row, state, handing }: ContactChange,
    to: TransferTarget,
  ): Promise<ContactChange | null> {
    const before = JSON.parse(row.details) as ContactRequest
    const details = {
      ...before,
      tags: to.toTags ?? handing.tags,
      initialOffer: algebra.carriedOffer(state.shared),
    }
    const { toId: id, toAgent: onlyAgent = null } = to
    const handedBy = onlyAgent !== null || to.toTags !== undefined ? row.agent : null
    return this.#insert(together, {
      id,
      visitor: row.visitor,
      request: id,
      details,
      transferredFrom: row.id,
      onlyAgent,
      handedBy,
      legalHold: row.legal_hold,
    })
  }

  async #insert(
    together: TransactionBatch,
    { id, visitor, request, details, transferredFrom, onlyAgent, handedBy, legalHold }: NewContact,
  ): Promise<ContactChange | null> {
    const { world } = this.#parts
    const step = beginLife({ visitor })
    const state = initialContactState('visitor', details.initialOffer)
    const row: ContactRow = {
      ...{
        id,
        visitor,
        request,
        created: together.now,
        life: 'queued',
        waiting: false,
        queued_at: null,
        agent: null,
        tags: [...(details.tags ?? [])],
      },
      ...{
        machine: JSON.stringify(step.life),
        details: JSON.stringify(details),
        nick: nickOf(details) ?? null,
        head: 0,
        messages: 0,
        last_message: null,
      },
      ...{
        state: JSON.stringify(state),
        state_seq: 0,
        transferred_from: transferredFrom,
        only_agent: onlyAgent,
        ended: null,
        leave_reason: null,
      },
      ...{
        distribution: distributionColumn(details),
        handed_by: handedBy,
        handed_at: null,
        messages_removed: false,
        files_removed: false,
        legal_hold: legalHold,
      },
    }
    if (!(await together.load(insertContact, row))) return null
    const change = new ContactChange(together, world, { row, state })
    change.begin(step)
    return change
  }
}

/** Whether there are these visitors: none is erased before the transaction is over. */
const lockVisitor: Statement<string, boolean> = async ({ trx }, visitors) => {
  const rows = await trx
    .selectFrom('visitors')
    .select('id')
    .where('id', 'in', [...new Set(visitors)])
    .orderBy('id')
    .forKeyShare()
    .execute()
  const known = new Set(rows.map(({ id }) => id))
  return visitors.map((visitor) => known.has(visitor))
}

/**
 * False where the same request has made one already, or the visitor has as many in the queue as they may. One
 * that another goes on as always finds its place.
 */
const insertContact: Statement<ContactRow, boolean> = async ({ trx }, rows) => {
  const queued = await queuedOf(trx, [...new Set(rows.map(({ visitor }) => visitor))])
  const admitted = rows.filter(({ visitor, transferred_from: from }) => {
    const count = queued.get(visitor) ?? 0
    if (from === null && count >= QUEUED_LIMIT) return false
    queued.set(visitor, count + 1)
    return true
  })
  if (admitted.length === 0) return rows.map(() => false)
  const made = await trx
    .insertInto('contacts')
    .values(admitted)
    .onConflict((conflict) => conflict.columns(['visitor', 'request']).doNothing())
    .returning('id')
    .execute()
  const ids = new Set(made.map(({ id }) => id))
  return rows.map(({ id }) => ids.has(id))
}

/** Contacts of these visitors that wait. */
async function queuedOf(
  trx: TransactionBatch['trx'],
  visitors: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ visitor: string; count: number }>`
    select visitor, count(*) as count from contacts where visitor = any(${visitors}) and life = 'queued' group by visitor`.execute(
    trx,
  )
  return new Map(rows.map(({ visitor, count }) => [visitor, count]))
}

export const hasLeft = (): ContactError =>
  new ContactError('left', 'unable to use the contact; it has ended, or this party has left it')
export const notFound = (contact: string): ContactError =>
  new ContactError(
    'not_found',
    `unable to find the contact ${contact}; it does not exist, or belongs to someone else`,
  )

/** The stored snapshot, and what came after it. */
async function stateOf(db: Kysely<Tables>, row: ContactRow): Promise<ContactState> {
  let state = JSON.parse(row.state) as ContactState
  while (state.seq < row.head) {
    const entries = await readLog(db, row.id, {
      after: state.seq,
      limit: Math.min(PAGE, row.head - state.seq),
    })
    if (entries.length === 0) break
    for (const entry of entries) state = foldContact(state, entry).state
  }
  return state
}
