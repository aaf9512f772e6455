import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Entry } from '../../../protocol/index.ts'
import type { EntryRow, Tables } from '../store/tables.ts'
import { keptAs } from '../store/kept-statement.ts'
import type { Statement } from '../store/transaction-batch.ts'
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

/** Of each log, where many are read at once: so many entries, and so many bytes but for the last one. */
const FEW = { entries: 100, bytes: 16_384 } as const

/** Where to begin in the log of a contact. */
interface LogPlace {
  readonly contact: string
  readonly after: number
}

/** The next entries of several logs, oldest first: the first of them at least. */
export const nextEntries: Statement<LogPlace, readonly Entry[]> = async ({ trx }, places) => {
  const { rows } = await sql<EntryRow & { place: number }>`
    ${keptAs('next_entries')} select w.place, e.contact, e.seq, e.id, e.type, e.slot, e.session, e.counter, e.from_id, e.from_nick, e.body, e.time
    from unnest(${places.map(({ contact }) => contact)}::text[], ${places.map(({ after }) => after)}::bigint[])
      with ordinality as w(contact, after, place)
    cross join lateral (
      select n.*, sum(octet_length(body) + ${AROUND_BYTES}::int) over (order by seq rows between unbounded preceding and 1 preceding) as before
      from (select * from entries where contact = w.contact and seq > w.after order by seq limit ${FEW.entries}) n
    ) e where coalesce(e.before, 0) < ${FEW.bytes}::int order by w.place, e.seq`.execute(trx)
  const found: Entry[][] = places.map(() => [])
  for (const { place, ...row } of rows) found[place - 1]?.push(entryOfRow(row))
  return found
}

/** The ids of entries by their numbers; null where there is none of that number. */
export const idsAt: Statement<{ readonly contact: string; readonly seq: number }, string | null> = async (
  { trx },
  places,
) => {
  const { rows } = await sql<{ place: number; id: string }>`
    ${keptAs('ids_at')} select w.place, e.id
    from unnest(${places.map(({ contact }) => contact)}::text[], ${places.map(({ seq }) => seq)}::bigint[])
      with ordinality as w(contact, seq, place)
    join entries e on e.contact = w.contact and e.seq = w.seq`.execute(trx)
  const ids = new Map(rows.map(({ place, id }) => [place, id]))
  return places.map((_, index) => ids.get(index + 1) ?? null)
}
