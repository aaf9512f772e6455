/**
 * Deletes data in batches: no statement deletes more rows than one batch, however many there are. Each
 * function returns the number of deleted rows.
 */
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** Maximum number of rows in one statement. */
export const REMOVAL_BATCH = 500
/** Maximum number of contacts in one statement: each may have many rows of each kind. */
export const CONTACT_BATCH = 100

type Db = Kysely<Tables>

const countOf = async (query: RawBuilder<unknown>, db: Db): Promise<number> =>
  Number((await query.execute(db)).numAffectedRows ?? 0)
const idsOf = async (query: RawBuilder<{ id: string }>, db: Db): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ id }) => id)

/**
 * Those of the contacts that are not under a legal hold. The rows are locked, so no hold can be set before
 * the statement ends.
 */
const free = (contacts: readonly string[]) =>
  sql`array(select id from contacts where id = any(${contacts}) and legal_hold is null order by id for share)`

/**
 * Deletes a batch of entries of these contacts. Entries never change, so the physical place of a row
 * identifies it.
 */
export const removeEntries = (db: Db, contacts: readonly string[]): Promise<number> =>
  countOf(
    sql`delete from entries where ctid = any(array(select ctid from entries
      where contact = any(${free(contacts)}) limit ${REMOVAL_BATCH} for update skip locked))`,
    db,
  )

/** Deletes a batch of notes of these contacts. */
export const removeNotes = (db: Db, contacts: readonly string[]): Promise<number> =>
  countOf(
    sql`delete from notes where n = any(array(select n from notes
      where contact = any(${free(contacts)}) limit ${REMOVAL_BATCH}))`,
    db,
  )

/** Deletes a batch of files of these contacts. Returns their ids. */
export const removeFileRows = (db: Db, contacts: readonly string[]): Promise<string[]> =>
  idsOf(
    sql<{
      id: string
    }>`delete from attachments where id = any(array(select id from attachments
      where contact = any(${free(contacts)}) limit ${REMOVAL_BATCH})) returning id`,
    db,
  )

/** Deletes a batch of uploads without progress since that time. Returns their ids. */
export const removeStaleUploads = (db: Db, before: number): Promise<string[]> =>
  idsOf(
    sql<{
      id: string
    }>`delete from attachments where seq is null
      and id = any(array(select id from attachments where seq is null and touched < ${before} order by touched
        limit ${REMOVAL_BATCH} for update skip locked)) returning id`,
    db,
  )

export const removeRevocations = (db: Db, now: number): Promise<number> =>
  countOf(
    sql`delete from revocations where subject = any(array(select subject from revocations
      where expires < ${now} order by expires limit ${REMOVAL_BATCH} for update skip locked))
        and expires < ${now}`,
    db,
  )

export const removeRefreshTokens = (db: Db, now: number): Promise<number> =>
  countOf(
    sql`delete from refresh_tokens where hash = any(array(select hash from refresh_tokens
      where expires < ${now} order by expires limit ${REMOVAL_BATCH} for update skip locked))`,
    db,
  )

/** Deletes a batch of a visitor's refresh tokens. */
export const removeRefreshTokensOf = (db: Db, visitor: string): Promise<number> =>
  countOf(
    sql`delete from refresh_tokens where hash = any(array(select hash from refresh_tokens
      where visitor = ${visitor} limit ${REMOVAL_BATCH}))`,
    db,
  )

/**
 * Deletes the remaining rows of contacts without entries and files. Offers are deleted before timers:
 * everyone locks them in this order.
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
  ['notes', 'contact'],
  ['sessions', 'contact'],
  ['contacts', 'id'],
] as const

/** Deletes everything of these contacts in batches. `removed` is called with the ids of files. */
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
 * Deletes agents who are not connected and have had no contact since that time: their names are removed with
 * the data of their contacts. An agent who comes back is stored again.
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
