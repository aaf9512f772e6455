import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { REVOKED_FOR_MS } from '../auth/revocations.ts'
import type { Tables } from './tables.ts'

/** How long data of ended contacts is kept, in milliseconds. */
export interface Retention {
  /** Texts, links, actions: all that parties wrote. */
  readonly messagesMs: number
  readonly filesMs: number
  /** The contact itself, with what it says of the visit. */
  readonly contactsMs: number
}

/** An upload of which nothing was heard for so long is given up. */
const STALE_UPLOAD_MS = 86_400_000

/** How often what is old is looked for. */
export const RETENTION_ROUND_MS = 3_600_000

/** Removes what is older than its retention. */
export async function removeOld(db: Kysely<Tables>, { messagesMs, filesMs, contactsMs }: Retention, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`delete from entries where contact in (select id from contacts where ended < ${now - messagesMs})`.execute(trx)
    await sql`delete from attachments where contact in (select id from contacts where ended < ${now - filesMs}) or (seq is null and touched < ${now - STALE_UPLOAD_MS})`.execute(
      trx,
    )
    await removeContacts(trx, await idsOf(sql<{ id: string }>`select id from contacts where ended < ${now - contactsMs}`, trx))
    await trx
      .deleteFrom('revocations')
      .where('at', '<', now - REVOKED_FOR_MS)
      .execute()
    await sql`delete from refresh_tokens where expires < ${now}`.execute(trx)
    await sql`delete from visitors v where v.created < ${now - contactsMs} and not exists (select 1 from contacts c where c.visitor = v.id) and not exists (select 1 from refresh_tokens r where r.visitor = v.id)`.execute(
      trx,
    )
  })
}

/**
 * Removes everything of a visitor, also what is still open. Gives the ids of the contacts that are gone.
 */
export function eraseVisitor(db: Kysely<Tables>, visitor: string): Promise<readonly string[]> {
  return db.transaction().execute(async (trx) => {
    const ids = await idsOf(sql<{ id: string }>`select id from contacts where visitor = ${visitor} order by id for update`, trx)
    await removeContacts(trx, ids)
    await trx.deleteFrom('refresh_tokens').where('visitor', '=', visitor).execute()
    await trx.deleteFrom('visitors').where('id', '=', visitor).execute()
    return ids
  })
}

const idsOf = async (query: ReturnType<typeof sql<{ id: string }>>, db: Kysely<Tables>): Promise<string[]> => (await query.execute(db)).rows.map((row) => row.id)

/** Offers before timers: the order in which everyone locks them. */
async function removeContacts(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('offers').where('contact', 'in', ids).execute()
  await db.deleteFrom('refusals').where('contact', 'in', ids).execute()
  await db.deleteFrom('timers').where('subject', 'in', ids).execute()
  await db.deleteFrom('attachments').where('contact', 'in', ids).execute()
  await db.deleteFrom('entries').where('contact', 'in', ids).execute()
  await db.deleteFrom('contacts').where('id', 'in', ids).execute()
}
