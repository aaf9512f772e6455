import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables, WebhookNoteRow } from '../store/tables.ts'

type Db = Kysely<Tables>

/** What is to be told of one contact, as a node has taken it. */
export interface WebhookQueue {
  readonly contact: string
  /** Until then nobody else takes it. */
  readonly due: number
  readonly added: number
  readonly failures: number
}

export type WebhookNote = Omit<WebhookNoteRow, 'n'> & { readonly n: number }

/** Notes are made from now on, until nobody tells them for some days. */
export const announceWebhook = (db: Db, now: number): Promise<unknown> =>
  db
    .insertInto('webhook')
    .values({ name: 'main', seen: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ seen: now }))
    .execute()

/** No notes are made any more where nobody has told them since, and those that there are go. */
export async function withdrawWebhook(db: Db, seenBefore: number): Promise<void> {
  await db.deleteFrom('webhook').where('seen', '<', seenBefore).execute()
  const { rows } = await sql<{ found: boolean }>`select exists (select from webhook) as found`.execute(db)
  if (rows[0]?.found) return
  await db.deleteFrom('webhook_queues').execute()
  await db.deleteFrom('webhook_notes').execute()
}

interface Claim {
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** Takes contacts of which something is to be told, those first that have waited longest. It waits for no lock. */
export async function claimQueues(db: Db, { now, until, limit }: Claim): Promise<WebhookQueue[]> {
  const { rows } = await sql<WebhookQueue>`
    update webhook_queues q set due = ${until} from (
      select contact from webhook_queues where due <= ${now} order by due limit ${limit} for update skip locked
    ) d where q.contact = d.contact returning q.contact, q.due, q.added, q.failures`.execute(db)
  return rows
}

/** The first notes of a contact. */
export async function notesOf(db: Db, contact: string, limit: number): Promise<WebhookNote[]> {
  return db
    .selectFrom('webhook_notes')
    .selectAll()
    .where('contact', '=', contact)
    .orderBy('n')
    .limit(limit)
    .execute()
}

/** It was told, or will not be. */
export const removeNote = (db: Db, n: number): Promise<unknown> =>
  db.deleteFrom('webhook_notes').where('n', '=', n).execute()

/** Leaves a contact to whoever is next, at a time. Nothing where another node has taken it meanwhile. */
export const releaseQueue = (
  db: Db,
  { contact, due }: WebhookQueue,
  next: { readonly due: number; readonly failures: number },
): Promise<unknown> =>
  db.updateTable('webhook_queues').set(next).where('contact', '=', contact).where('due', '=', due).execute()

/** Removes a queue that is empty. False: something has come meanwhile, or another node has it. */
export async function closeQueue(db: Db, { contact, due, added }: WebhookQueue): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from webhook_queues where contact = ${contact} and due = ${due} and added = ${added}
      and not exists (select from webhook_notes where contact = ${contact})`.execute(db)
  return numAffectedRows === 1n
}

/** Removes old notes, and gives how many. */
export async function removeOldNotes(db: Db, before: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_notes where n = any(array(
      select n from webhook_notes where time < ${before} order by time limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
