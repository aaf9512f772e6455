/**
 * Whose the telephone call of a contact is, among several nodes. Who inserts the row dials; the row of a call
 * that is over stays, without the call, until the contact wants none or another, so that nobody dials again.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

type Db = Kysely<Tables>

export interface PhoneRow {
  readonly contact: string
  /** Empty: it is over, and its parties have been told. */
  readonly call: string
  /** The transition that it was made for. */
  readonly ref: number
  readonly node: string
}

/** Rows that one statement takes over. */
const TAKEN_AT_ONCE = 200

export class PhoneRows {
  readonly #db: Db
  readonly #node: () => string

  /** `node`: the identity of this node. */
  constructor(db: Db, node: () => string) {
    this.#db = db
    this.#node = node
  }

  isOwn(row: PhoneRow): boolean {
    return row.node === this.#node()
  }

  find(contact: string): Promise<PhoneRow | undefined> {
    return this.#db.selectFrom('phone_calls').selectAll().where('contact', '=', contact).executeTakeFirst()
  }

  /** Contacts whose row is of this node. */
  async own(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('phone_calls')
      .select('contact')
      .where('node', '=', this.#node())
      .execute()
    return rows.map(({ contact }) => contact)
  }

  /** Makes a call this node's, unless the contact has one. */
  async claim(call: Omit<PhoneRow, 'node'>): Promise<boolean> {
    return this.#insert(this.#db, call)
  }

  /** The contact has no call any more. */
  async remove({ contact, call, node }: PhoneRow): Promise<void> {
    await this.#db
      .deleteFrom('phone_calls')
      .where('contact', '=', contact)
      .where('call', '=', call)
      .where('node', '=', node)
      .execute()
  }

  /** Whether a call is this node's, in the transaction that writes what it has come to. */
  async holds(trx: Db, { contact, call }: Pick<PhoneRow, 'contact' | 'call'>): Promise<boolean> {
    const row = await trx
      .selectFrom('phone_calls')
      .select('call')
      .where('contact', '=', contact)
      .where('call', '=', call)
      .where('node', '=', this.#node())
      .forUpdate()
      .executeTakeFirst()
    return row !== undefined
  }

  /**
   * Notes that a call is over; `call` null: the contact should have one, and has none. False where it is not
   * this node's, or its parties have been told.
   */
  async end(
    trx: Db,
    { contact, call, ref }: Pick<PhoneRow, 'contact' | 'ref'> & { readonly call: string | null },
  ): Promise<boolean> {
    if (call === null) return this.#insert(trx, { contact, ref, call: '' })
    const { numUpdatedRows } = await trx
      .updateTable('phone_calls')
      .set({ call: '' })
      .where('contact', '=', contact)
      .where('call', '=', call)
      .where('node', '=', this.#node())
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  /** Takes over what dead nodes have left. Gives the rows as they are now: with 200, there may be more. */
  async takeOver(): Promise<readonly PhoneRow[]> {
    const { rows } = await sql<PhoneRow>`
      update phone_calls set node = ${this.#node()} where contact in (
        select p.contact from phone_calls p where not exists (
          select from nodes n where n.node = p.node and n.state <> 'dead')
        limit ${TAKEN_AT_ONCE} for update skip locked
      ) returning contact, call, ref, node`.execute(this.#db)
    return rows
  }

  async #insert(db: Db, call: Omit<PhoneRow, 'node'>): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('phone_calls')
      .values({ ...call, node: this.#node() })
      .onConflict((conflict) => conflict.column('contact').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }
}
