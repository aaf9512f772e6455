import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Entry } from '../../../protocol/index.ts'
import type { EntryRow, Tables } from '../store/tables.ts'
import { entryOfRow } from './entry-insert.ts'

/** Part of a log: at most `limit` entries after `after`. */
export interface Page {
  readonly after: number
  readonly limit: number
  /** Of the bodies and what stands around them, but for the last entry: 128 KiB at most. */
  readonly bytes?: number
}

const PAGE_BYTES = 131_072
const AROUND_BYTES = 300

/**
 * Entries after `after`, oldest first: as many as fit into a page, one at least where there is one. Who wants
 * all reads on from the last.
 */
export async function readLog(
  db: Kysely<Tables>,
  contact: string,
  { after, limit, bytes = PAGE_BYTES }: Page,
): Promise<Entry[]> {
  const { rows } = await sql<EntryRow>`
    select contact, seq, id, type, slot, session, counter, from_id, from_nick, body, time
    from (
      select e.*, sum(octet_length(body) + ${AROUND_BYTES}::int) over (order by seq rows between unbounded preceding and 1 preceding) as before
      from (select * from entries where contact = ${contact} and seq > ${after} order by seq limit ${limit}) e
    ) page
    where coalesce(before, 0) < ${bytes}::int order by seq`.execute(db)
  return rows.map(entryOfRow)
}
