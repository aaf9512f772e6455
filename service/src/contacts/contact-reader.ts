import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { foldContact } from '../../../protocol/index.ts'
import type { ContactRequest, ContactState, Entry } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import { pastContacts } from './past-contacts.ts'
import { readLog } from '../log/read-log.ts'
import type { ContactRow, SessionRow, Tables } from '../store/tables.ts'

/** Entries of one read. */
const PAGE = 1_000

/** What the store holds of contacts. */
export class ContactReader {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** A contact as it is now; null where there is none. */
  async read(contact: string): Promise<{ readonly row: ContactRow; readonly state: ContactState } | null> {
    const db = this.#db
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', contact).executeTakeFirst()
    return row ? { row, state: await stateOf(db, row) } : null
  }

  /** The rows of a contact and of one of its sessions, where there are such. */
  async readSession(
    contact: string,
    session: string,
  ): Promise<{ readonly row: ContactRow | undefined; readonly known: SessionRow | undefined }> {
    const db = this.#db
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', contact).executeTakeFirst()
    return {
      row,
      known: await db
        .selectFrom('sessions')
        .selectAll()
        .where('contact', '=', contact)
        .where('session', '=', session)
        .executeTakeFirst(),
    }
  }

  /** A page of a visitor's contacts. @throws {@link ContactError} `invalid_argument` */
  pastContacts(visitor: string, before?: string): ReturnType<typeof pastContacts> {
    return pastContacts(this.#db, visitor, before)
  }

  /** Whether a party has a contact that is not over. */
  async hasOpenOf({ use, id }: Pick<Principal, 'use' | 'id'>): Promise<boolean> {
    const open = this.#db.selectFrom('contacts').select('id')
    const row = await (
      use === 'visitor'
        ? open.where('visitor', '=', id).where('ended', 'is', null)
        : open.where('agent', '=', id).where('life', 'in', ['assigned', 'joined'])
    )
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /**
   * Whether the agent has the contact that this one went on as. What was said in a secure contact stays
   * there.
   */
  async hasSuccessorOf({ id, details }: ContactRow, agent: string): Promise<boolean> {
    if ((JSON.parse(details) as ContactRequest).secure) return false
    const { rows } = await sql<{ found: boolean }>`
      with recursive next as (
        select id, agent, life from contacts where transferred_from = ${id}
        union all select c.id, c.agent, c.life from contacts c join next on c.transferred_from = next.id
      ) select exists (select 1 from next where agent = ${agent} and life <> 'transferred') as found`.execute(
      this.#db,
    )
    return rows[0]?.found ?? false
  }

  /** The id under which a contact goes on; null where it does not. */
  async successorOf(contact: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('contacts')
      .select('id')
      .where('transferred_from', '=', contact)
      .executeTakeFirst()
    return row?.id ?? null
  }

  /**
   * Stores the fold again where many entries have come since, so that opening the contact stays quick.
   * `known`: the fold, where this process has it.
   */
  async refreshSnapshot(contact: string, known: ContactState | null): Promise<void> {
    const state = known ?? (await this.read(contact))?.state
    if (!state) return
    await this.#db
      .updateTable('contacts')
      .set({ state: JSON.stringify(state), state_seq: state.seq })
      .where('id', '=', contact)
      .where('state_seq', '<', state.seq)
      .execute()
  }
}

/** The folded contact: the stored snapshot, and the entries since. `next`: what was read of these already. */
export async function stateOf(
  db: Kysely<Tables>,
  row: ContactRow,
  next: readonly Entry[] = [],
): Promise<ContactState> {
  let state = JSON.parse(row.state) as ContactState
  for (const entry of next) state = foldContact(state, entry).state
  while (state.seq < row.head) {
    const entries = await readLog(db, row.id, {
      after: state.seq,
      limit: Math.min(PAGE, row.head - state.seq),
    })
    if (entries.length === 0) break
    for (const entry of entries) state = foldContact(state, entry).state
  }
  return state
}
