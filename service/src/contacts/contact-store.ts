import { CompiledQuery, sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { ContactError, algebra, foldContact, initialContactState } from '../../../protocol/index.ts'
import type { ContactRequest, ContactState } from '../../../protocol/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { AppendedRow, RunQuery } from '../log/append.ts'
import type { Lanes } from '../log/lanes.ts'
import { readLog } from '../log/read-log.ts'
import { isCollision } from '../store/database.ts'
import type { ContactRow, Tables } from '../store/tables.ts'
import { ContactChange } from './contact-change.ts'
import type { ContactWorld } from './contact-change.ts'
import { nickOf } from './contact-record.ts'
import type { TransferTarget } from './contact.types.ts'
import { beginLife } from './life.ts'

const PAGE = 1_000
const ATTEMPTS = 3

interface StoreParts {
  readonly db: Kysely<Tables>
  readonly lanes: Lanes
  readonly bus: Bus
  readonly world: ContactWorld
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
}

/** Contacts as they stand in the store. All changes of one contact pass through its lane, and lock its row. */
export class ContactStore {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /**
   * Changes a contact in one transaction, and tells the others after the commit.
   *
   * @throws {@link ContactError} `not_found`
   */
  change<T>(contact: string, work: (change: ContactChange) => Promise<T>): Promise<T> {
    return this.#parts.lanes.alone(contact, () => this.#attempt(contact, work))
  }

  /** Makes a contact, or finds the one that the same request made. */
  async create(contact: Creation): Promise<string> {
    const { change, id } = await this.#parts.lanes.alone(contact.id, () => this.#createOrFind(contact))
    if (change) this.#publish(change)
    return id
  }

  #createOrFind(contact: Creation): Promise<{ readonly change: ContactChange | null; readonly id: string }> {
    return this.#parts.db.transaction().execute(async (trx) => {
      const made = await this.#insert(trx, { ...contact, transferredFrom: null, onlyAgent: null })
      if (made) return { change: made, id: contact.id }
      const existing = await trx.selectFrom('contacts').select('id').where('visitor', '=', contact.visitor).where('request', '=', contact.request).executeTakeFirstOrThrow()
      return { change: null, id: existing.id }
    })
  }

  /** A contact as it is now; null where there is none. */
  async read(contact: string): Promise<{ readonly row: ContactRow; readonly state: ContactState } | null> {
    const { db } = this.#parts
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', contact).executeTakeFirst()
    return row ? { row, state: await stateOf(db, row) } : null
  }

  /** Whether the agent has the contact that this one went on as. What was said in a secure contact stays there. */
  async hasSuccessorOf({ id, details }: ContactRow, agent: string): Promise<boolean> {
    if ((JSON.parse(details) as ContactRequest).secure) return false
    const { rows } = await sql<{ found: boolean }>`
      with recursive next as (
        select id, agent, life from contacts where transferred_from = ${id}
        union all select c.id, c.agent, c.life from contacts c join next on c.transferred_from = next.id
      ) select exists (select 1 from next where agent = ${agent} and life <> 'transferred') as found`.execute(this.#parts.db)
    return rows[0]?.found ?? false
  }

  /** The id under which a contact goes on; null where it does not. */
  async successorOf(contact: string): Promise<string | null> {
    const row = await this.#parts.db.selectFrom('contacts').select('id').where('transferred_from', '=', contact).executeTakeFirst()
    return row?.id ?? null
  }

  /** Stores the fold again where many entries have come since, so that opening the contact stays quick. */
  async refreshSnapshot(contact: string): Promise<void> {
    const read = await this.read(contact)
    if (!read) return
    const { state } = read
    await this.#parts.db
      .updateTable('contacts')
      .set({ state: JSON.stringify(state), state_seq: state.seq })
      .where('id', '=', contact)
      .where('state_seq', '<', state.seq)
      .execute()
  }

  async #attempt<T>(contact: string, work: (change: ContactChange) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transact(contact, work)
      } catch (thrown) {
        if (!isCollision(thrown) || attempt === ATTEMPTS) throw thrown
      }
    }
  }

  async #transact<T>(contact: string, work: (change: ContactChange) => Promise<T>): Promise<T> {
    const { change, next, result } = await this.#parts.db.transaction().execute(async (trx) => {
      const row = await trx.selectFrom('contacts').selectAll().where('id', '=', contact).forUpdate().executeTakeFirst()
      if (!row) throw notFound(contact)
      const opened = new ContactChange(trx, this.#parts.world, { row, state: await stateOf(trx, row), runQuery: runnerOf(trx) })
      const outcome = await work(opened)
      await opened.save()
      const successor = opened.successor ? await this.#succeed(trx, opened, opened.successor) : null
      return { change: opened, next: successor, result: outcome }
    })
    this.#publish(change)
    if (next) this.#publish(next)
    return result
  }

  #publish(change: ContactChange): void {
    const { bus } = this.#parts
    if (change.entries.length > 0) bus.publish('appended', { contact: change.row.id, entries: change.entries })
    if (change.nextDue < Number.POSITIVE_INFINITY) bus.publish('timer', { due: change.nextDue })
    for (const push of change.pushes) bus.publish('agent', push)
    if (change.movesQueue) bus.publish('match', { reason: change.row.id })
  }

  /** Makes the contact under which another goes on: Native media as they are, all others off. */
  async #succeed(trx: Transaction<Tables>, { row, state }: ContactChange, to: TransferTarget): Promise<ContactChange | null> {
    const before = JSON.parse(row.details) as ContactRequest
    const details = { ...before, tags: to.toTags ?? before.tags ?? [], initialOffer: algebra.carriedOffer(state.shared) }
    return this.#insert(trx, { id: to.toId, visitor: row.visitor, request: to.toId, details, transferredFrom: row.id, onlyAgent: to.toAgent ?? null })
  }

  async #insert(trx: Transaction<Tables>, { id, visitor, request, details, transferredFrom, onlyAgent }: NewContact): Promise<ContactChange | null> {
    const { world } = this.#parts
    const step = beginLife({ visitor })
    const state = initialContactState('visitor', details.initialOffer)
    const inserted = await trx
      .insertInto('contacts')
      .values({
        ...{ id, visitor, request, created: world.clock.now(), life: 'queued', waiting: false, queued_at: null, agent: null, tags: [...(details.tags ?? [])] },
        ...{ machine: JSON.stringify(step.life), details: JSON.stringify(details), nick: nickOf(details) ?? null, head: 0, messages: 0, last_message: null },
        ...{ state: JSON.stringify(state), state_seq: 0, transferred_from: transferredFrom, only_agent: onlyAgent, ended: null, leave_reason: null },
      })
      .onConflict((conflict) => conflict.columns(['visitor', 'request']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!inserted) return null
    const change = new ContactChange(trx, world, { row: inserted, state, runQuery: runnerOf(trx) })
    await change.begin(step)
    await change.save()
    return change
  }
}

export const notFound = (contact: string): ContactError => new ContactError('not_found', `unable to find the contact ${contact}; it does not exist, or belongs to someone else`)

const runnerOf =
  (trx: Transaction<Tables>): RunQuery =>
  async ({ text, values }) => ({ rows: (await trx.executeQuery<AppendedRow>(CompiledQuery.raw(text, values))).rows })

/** The stored snapshot, and what came after it. */
async function stateOf(db: Kysely<Tables>, row: ContactRow): Promise<ContactState> {
  let state = JSON.parse(row.state) as ContactState
  while (state.seq < row.head) {
    const entries = await readLog(db, row.id, { after: state.seq, limit: Math.min(PAGE, row.head - state.seq) })
    if (entries.length === 0) break
    for (const entry of entries) state = foldContact(state, entry).state
  }
  return state
}
