/**
 * Legal holds: a contact under one is not removed, neither by retention nor with its visitor. Removal looks
 * at `contacts.legal_hold` under a lock of the row.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** The contact under every id that it has had, and has since: a transfer gives it another. */
async function chainOf(db: Db, contact: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive earlier as (
      select id, transferred_from from contacts where id = ${contact}
      union select c.id, c.transferred_from from earlier e join contacts c on c.id = e.transferred_from
    ), later as (
      select id from contacts where id = ${contact}
      union select c.id from later l join contacts c on c.transferred_from = l.id
    ) select id from earlier union select id from later order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Sets the hold of a contact (`held`: when), or releases it (null). What it goes on as has it too.
 * @throws {@link ContactError} `not_found`
 */
export function setHold(db: Db, contact: string, held: number | null): Promise<void> {
  return db.transaction().execute(async (trx) => {
    let locked: readonly string[] = []
    // It may have been handed on before it was locked.
    for (
      let chain = await chainOf(trx, contact);
      chain.length > locked.length;
      chain = await chainOf(trx, contact)
    ) {
      await sql`select 1 from contacts where id = any(${chain}) order by id for update`.execute(trx)
      locked = chain
    }
    if (locked.length === 0)
      throw new ContactError('not_found', 'unable to change the hold; there is no such contact')
    await sql`update contacts set legal_hold = ${held}::bigint where id = any(${locked})
      and (legal_hold is null) = ${held !== null}`.execute(trx)
  })
}

/** @throws {@link ContactError} `invalid_state` */
export async function checkErasable(db: Db, visitor: string): Promise<void> {
  const found = await db
    .selectFrom('contacts')
    .select('id')
    .where('visitor', '=', visitor)
    .where('legal_hold', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (found)
    throw new ContactError(
      'invalid_state',
      'unable to erase the visitor; a contact of theirs is under a legal hold: release it first',
    )
}
