import type { Kysely } from 'kysely'
import type { Entry } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'
import { entryOfRow } from './writing.ts'

/** Part of a log: at most `limit` entries after `after`. */
export interface Page {
  readonly after: number
  readonly limit: number
}

/** Entries after `after`, oldest first. */
export async function readLog(db: Kysely<Tables>, contact: string, { after, limit }: Page): Promise<Entry[]> {
  const rows = await db.selectFrom('entries').selectAll().where('contact', '=', contact).where('seq', '>', after).orderBy('seq').limit(limit).execute()
  return rows.map(entryOfRow)
}
