import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { AttachmentBody, ContactRequest } from '../../../protocol/index.ts'
import type { StoredSizes } from './file-store.ts'
import type { AttachmentRow, ContactRow, Tables } from '../store/tables.ts'

type Db = Kysely<Tables>

/** Whether the files of a contact are encrypted by their senders. */
export async function isSecure(db: Db, contact: string): Promise<boolean> {
  const { rows } = await sql<{ told: string }>`
    select coalesce(distribution, details) as told from contacts where id = ${contact}`.execute(db)
  return (JSON.parse(rows[0]?.told ?? '{}') as ContactRequest).secure ?? false
}

export const findAttachment = (db: Db, id: string): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst()

/** What a party has asked for before with the same request. */
export const findByRequest = (
  db: Db,
  { contact, principal, request }: Pick<AttachmentRow, 'contact' | 'principal' | 'request'>,
): Promise<AttachmentRow | undefined> =>
  db
    .selectFrom('attachments')
    .selectAll()
    .where('contact', '=', contact)
    .where('principal', '=', principal)
    .where('request', '=', request)
    .executeTakeFirst()

/** Unfinished uploads of a party, those that were asked for with one token, or all. */
export const findOpen = async (db: Db, of: PartyUploads | TokenUploads | 'all'): Promise<string[]> => {
  const open = db.selectFrom('attachments').select('id').where('seq', 'is', null)
  const rows = await (
    of === 'all'
      ? open
      : 'token' in of
        ? open.where(sql<boolean>`${of.token} = any(tokens)`)
        : open.where('principal', '=', of.principal).where('slot', '=', of.slot)
  ).execute()
  return rows.map(({ id }) => id)
}

type PartyUploads = Pick<AttachmentRow, 'slot' | 'principal'>
interface TokenUploads {
  /** Its digest. */
  readonly token: string
}

export const touch = (db: Db, id: string, now: number): Promise<unknown> =>
  db.updateTable('attachments').set({ touched: now }).where('id', '=', id).execute()

/** Notes that the sender has asked for the upload again, with this token. */
export const noteToken = (db: Db, id: string, token: string): Promise<unknown> =>
  db
    .updateTable('attachments')
    .set({ tokens: sql<string[]>`array_append(tokens, ${token})` })
    .where('id', '=', id)
    .where(sql<boolean>`${token} <> all(tokens)`)
    .execute()

/** Removes an upload that is not whole. */
export const dropUpload = (db: Db, id: string): Promise<unknown> =>
  db.deleteFrom('attachments').where('id', '=', id).where('seq', 'is', null).execute()

/**
 * Bytes of a contact's files, and those that a party has announced since a time; what is not uploaded yet
 * counts in full. `recent`: files that the party has announced in the last hour.
 */
export async function sizesOf(
  db: Db,
  { contact, principal, since, hour }: { contact: string; principal: string; since: number; hour: number },
): Promise<{ ofContact: number; ofParty: number; open: number; recent: number }> {
  const { rows } = await sql<{ of_contact: number; of_party: number; open: number; recent: number }>`
    select coalesce(sum(size) filter (where contact = ${contact}), 0)::bigint as of_contact,
      coalesce(sum(size) filter (where principal = ${principal}
        and created > ${since}), 0)::bigint as of_party,
      count(*) filter (where principal = ${principal} and seq is null) as open,
      count(*) filter (where principal = ${principal} and created > ${hour}) as recent
    from attachments where contact = ${contact} or principal = ${principal}`.execute(db)
  const [row] = rows
  return {
    ...{ ofContact: row?.of_contact ?? 0, ofParty: row?.of_party ?? 0 },
    ...{ open: row?.open ?? 0, recent: row?.recent ?? 0 },
  }
}

/** Of the advisory lock under which a node looks for room and reserves it. */
const ROOM_LOCK = 20_260_906

/** Does something while no other node looks for room. It ends with the transaction, so also with the node. */
export const whileReserving = (db: Db, work: () => Promise<void>): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${ROOM_LOCK})`.execute(trx)
    await work()
  })

/** Rows of `whole_files` of which one is made, once there are more than some. */
const MANY_ROWS = 100
const MOST_ROWS = 10_000

/** Bytes of all files that are whole, and announced sizes of those that are not, by id. */
export async function storedSizes(db: Db): Promise<StoredSizes> {
  const { rows } = await sql<{ id: string | null; size: number; rows: number }>`
    select null as id, coalesce(sum(bytes), 0)::bigint as size, count(*) as rows from whole_files
    union all select id, size, 0 from attachments where seq is null`.execute(db)
  const open = rows.flatMap(({ id, size }) => (id === null ? [] : [[id, size] as const]))
  const whole = rows.find(({ id }) => id === null)
  if ((whole?.rows ?? 0) > MANY_ROWS) await sumUp(db)
  return { whole: whole?.size ?? 0, open: new Map(open) }
}

/** Makes one row of the oldest; another node may do the same with others. */
const sumUp = (db: Db): Promise<unknown> =>
  sql`with many as (delete from whole_files where n = any(array(
      select n from whole_files order by n limit ${MOST_ROWS} for update skip locked
    )) returning bytes)
    insert into whole_files (bytes) select sum(bytes) from many having count(*) > 0`.execute(db)

/**
 * Agents who may read the contact: the one who has it, and those who have what it went on as, unless it was
 * secure.
 */
export async function agentsOf(db: Db, contact: string): Promise<string[]> {
  const { rows } = await sql<Pick<ContactRow, 'agent' | 'life' | 'details'>>`
    with recursive chain as (
      select id, agent, life, details, 0 as place from contacts where id = ${contact}
      union all select c.id, c.agent, c.life, c.details, place + 1 from contacts c join chain
        on c.transferred_from = chain.id
    ) select agent, life, details from chain order by place`.execute(db)
  const secure = rows.findIndex(({ details }) => (JSON.parse(details) as ContactRequest).secure)
  const readable = secure === -1 ? rows : rows.slice(0, secure + 1)
  return readable.flatMap(({ agent, life }) => (agent === null || life === 'transferred' ? [] : [agent]))
}

/** The entry of a file that is whole. */
export const bodyOf = (row: AttachmentRow): AttachmentBody => ({
  id: row.id,
  slot: row.slot,
  from: { id: row.principal, ...(row.nick === null ? {} : { nick: row.nick }) },
  originalName: row.name,
  mimetype: row.mimetype,
  size: row.size,
  ...(row.description === null ? {} : { desc: row.description }),
  ...(row.reference === null ? {} : { referenceId: row.reference }),
  ...(row.width === null || row.height === null ? {} : { width: row.width, height: row.height }),
  sha256: row.sha256 ?? '',
})
