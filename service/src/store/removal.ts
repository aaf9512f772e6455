/**
 * Takes data out of the store in pieces: none of these statements touches more than a batch of rows, whatever
 * has piled up. Each gives how many rows are gone.
 */
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** Rows of one statement. */
export const REMOVAL_BATCH = 1_000
/** Contacts of one statement: each may have many rows of each kind. */
export const CONTACT_BATCH = 100

type Db = Kysely<Tables>

const countOf = async (query: RawBuilder<unknown>, db: Db): Promise<number> =>
  Number((await query.execute(db)).numAffectedRows ?? 0)
const idsOf = async (query: RawBuilder<{ id: string }>, db: Db): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ id }) => id)

/** Of these contacts those that no legal hold keeps: none can be set before the statement is done. */
const free = (contacts: readonly string[]) =>
  sql`array(select id from contacts where id = any(${contacts}) and legal_hold is null order by id for share)`

/** Some entries of these contacts. They never change, so the place of a row is its name. */
export const removeEntries = (db: Db, contacts: readonly string[]): Promise<number> =>
  countOf(
    sql`delete from entries where ctid = any(array(select ctid from entries
      where contact = any(${free(contacts)}) limit ${REMOVAL_BATCH}))`,
    db,
  )

/** Some files of these contacts: gives their ids. */
export const removeFileRows = (db: Db, contacts: readonly string[]): Promise<string[]> =>
  idsOf(
    sql<{
      id: string
    }>`delete from attachments where id = any(array(select id from attachments
      where contact = any(${free(contacts)}) limit ${REMOVAL_BATCH})) returning id`,
    db,
  )

/** Uploads of which nothing was heard since then: gives their ids. */
export const removeStaleUploads = (db: Db, before: number): Promise<string[]> =>
  idsOf(
    sql<{
      id: string
    }>`delete from attachments where seq is null
      and id = any(array(select id from attachments where seq is null and touched < ${before} order by touched
        limit ${REMOVAL_BATCH})) returning id`,
    db,
  )

export const removeRevocations = (db: Db, now: number): Promise<number> =>
  countOf(
    sql`delete from revocations where subject = any(array(select subject from revocations
      where expires < ${now} order by expires limit ${REMOVAL_BATCH})) and expires < ${now}`,
    db,
  )

export const removeRefreshTokens = (db: Db, now: number): Promise<number> =>
  countOf(
    sql`delete from refresh_tokens where hash = any(array(select hash from refresh_tokens
      where expires < ${now} order by expires limit ${REMOVAL_BATCH}))`,
    db,
  )

/** Some refresh tokens of a visitor. */
export const removeRefreshTokensOf = (db: Db, visitor: string): Promise<number> =>
  countOf(
    sql`delete from refresh_tokens where hash = any(array(select hash from refresh_tokens
      where visitor = ${visitor} limit ${REMOVAL_BATCH}))`,
    db,
  )

/**
 * What is left of contacts whose entries and files are gone. Offers before timers: the order in which
 * everyone locks them.
 */
export function removeContactRows(db: Db, contacts: readonly string[]): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const ids = await idsOf(
      sql<{
        id: string
      }>`select id from contacts where id = any(${contacts}) and legal_hold is null order by id for update`,
      trx,
    )
    for (const [table, column] of PARTS)
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = any(${ids})`.execute(trx)
  })
}

const PARTS = [
  ['offers', 'contact'],
  ['refusals', 'contact'],
  ['timers', 'subject'],
  ['attachments', 'contact'],
  ['entries', 'contact'],
  ['sessions', 'contact'],
  ['contacts', 'id'],
] as const

/** Everything of these contacts, a batch at a time. `removed` hears of files. */
export async function removeContacts(
  db: Db,
  contacts: readonly string[],
  removed: (files: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let gone = REMOVAL_BATCH; gone === REMOVAL_BATCH;) gone = await removeEntries(db, contacts)
  for (
    let files = await removeFileRows(db, contacts);
    files.length > 0;
    files = await removeFileRows(db, contacts)
  )
    await removed(files)
  await removeContactRows(db, contacts)
}

/**
 * Agents who are not there, and have had no contact since then: their names go with what is kept of their
 * contacts. Who comes back is noted anew.
 */
export const removeAgents = (db: Db, before: number): Promise<number> =>
  countOf(
    sql`delete from agents where id = any(array(
      select id from agents a where not connected and last_assigned < ${before}
        and (select true from timers t where t.subject = a.id and t.kind = 'agent' and t.key = '') is null
        and (select true from offers o where o.agent = a.id limit 1) is null
        and (select true from contacts c where c.agent = a.id and c.life in ('assigned', 'joined')
          limit 1) is null
      order by last_assigned, id limit ${REMOVAL_BATCH} for update skip locked))`,
    db,
  )
