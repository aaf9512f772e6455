import type { Kysely } from 'kysely'
import type { Entry } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'
import { toEntry } from './writing.ts'

/** Entries after `after`, oldest first. */
export async function readLog(db: Kysely<Tables>, contact: string, after: number, limit: number): Promise<Entry[]> {
  const rows = await db.selectFrom('entries').selectAll().where('contact', '=', contact).where('seq', '>', after).orderBy('seq').limit(limit).execute()
  return rows.map(toEntry)
}
