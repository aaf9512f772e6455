/** The first row of a contact, asked for by its visitor or by a transfer. */
import { sql } from 'kysely'
import { algebra, initialContactState } from '../../../protocol/index.ts'
import type { ContactRequest } from '../../../protocol/index.ts'
import type { ContactRow } from '../store/tables.ts'
import { ContactChange } from './contact-change.ts'
import type { ContactWorld } from './contact-change.ts'
import { distributionColumn, nickOf } from './contact-record.ts'
import type { TransferTarget } from './contact.types.ts'
import { beginLife } from './life.ts'
import type { Statement, TransactionBatch } from '../store/transaction-batch.ts'

/** Contacts of one visitor that may wait at the same time. */
export const QUEUED_LIMIT = 50

interface CreationParts {
  readonly batch: TransactionBatch
  readonly world: ContactWorld
}

/** What a visitor asks for. */
export interface Creation {
  readonly id: string
  readonly visitor: string
  readonly request: string
  readonly details: ContactRequest
}

/** A contact to insert, which may carry on another one. */
interface NewContact extends Creation {
  readonly transferredFrom: string | null
  readonly onlyAgent: string | null
  readonly handedBy: string | null
  readonly legalHold: number | null
}

/** Null where the same request has made a contact already, or too many of the visitor wait. */
export const insertNew = async (place: CreationParts, contact: Creation): Promise<ContactChange | null> =>
  insert(place, {
    ...contact,
    details: await withLater(place, contact.details),
    ...{ transferredFrom: null, onlyAgent: null, handedBy: null, legalHold: null },
  })

/** Decides whether a contact is one for later, where its visitor asks for that. */
async function withLater(
  { batch, world }: CreationParts,
  { later = false, ...details }: ContactRequest,
): Promise<ContactRequest> {
  const isForLater =
    world.limits.laterMs > 0 &&
    !details.secure &&
    (later === 'unattended' ? !(await batch.load(isAttended, null)) : later)
  return isForLater ? { ...details, later: true } : details
}

/** Whether an agent is there, or was until a moment ago. */
const isAttended: Statement<null, boolean> = async ({ trx }, asked) => {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select from agents where connected)
      or exists (select from agents where state = 'ready') as there`.execute(trx)
  return asked.map(() => rows[0]?.there ?? false)
}

/** Makes the contact under which another goes on: Native media as they are, all others off. */
export async function insertSuccessor(
  place: CreationParts,
  { row, state, routing }: ContactChange,
  to: TransferTarget,
): Promise<ContactChange | null> {
  const before = JSON.parse(row.details) as ContactRequest
  const details = {
    ...before,
    tags: to.toTags ?? routing.tags,
    initialOffer: algebra.carriedOffer(state.shared),
  }
  const { toId: id, toAgent: onlyAgent = null } = to
  const handedBy = onlyAgent !== null || to.toTags !== undefined ? row.agent : null
  const next = await insert(place, {
    id,
    visitor: row.visitor,
    request: id,
    details,
    transferredFrom: row.id,
    onlyAgent,
    handedBy,
    legalHold: row.legal_hold,
  })
  // Nobody's first `present` is waited for.
  if (details.later && state.channels.visitor.length === 0)
    next?.happen({ type: 'due.creation', now: place.batch.now, isEmpty: false })
  return next
}

/** Columns of a contact in which nothing has happened yet. */
const UNTOUCHED = {
  ...{ life: 'queued', waiting: false, visitor_away: false, queued_at: null, agent: null, handed_at: null },
  ...{ head: 0, messages: 0, last_message: null, state_seq: 0, ended: null, leave_reason: null },
  ...{ messages_removed: false, files_removed: false },
}

async function insert(
  { batch, world }: CreationParts,
  { id, visitor, request, details, transferredFrom, onlyAgent, handedBy, legalHold }: NewContact,
): Promise<ContactChange | null> {
  const step = beginLife({ visitor, isForLater: details.later === true })
  const state = initialContactState('visitor', details)
  const row: ContactRow = {
    ...UNTOUCHED,
    ...{ id, visitor, request, created: batch.now, tags: [...(details.tags ?? [])] },
    machine: JSON.stringify(step.life),
    details: JSON.stringify(details),
    nick: nickOf(details) ?? null,
    state: JSON.stringify(state),
    distribution: distributionColumn(details),
    ...{
      transferred_from: transferredFrom,
      only_agent: onlyAgent,
      handed_by: handedBy,
      legal_hold: legalHold,
    },
  }
  if (!(await batch.load(insertContact, row))) return null
  const change = new ContactChange(batch, world, { row, state })
  change.begin(step)
  return change
}

/** Whether there are these visitors: none is erased before the transaction is over. */
export const lockVisitor: Statement<string, boolean> = async ({ trx }, visitors) => {
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
    select visitor, count(*) as count from contacts where visitor = any(${visitors}) and life = 'queued'
      group by visitor`.execute(trx)
  return new Map(rows.map(({ visitor, count }) => [visitor, count]))
}
