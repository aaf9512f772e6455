import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Calls, ContactLife, PastContact } from '../../../protocol/index.ts'
import { placeName, placeNamed } from '../store/page-place.ts'
import type { Tables } from '../store/tables.ts'
import { messageCount } from './message-count.ts'

/** Contacts of a page. */
const PAGE = 20
/** The first page begins after everything. */
const LAST = { created: Number.MAX_SAFE_INTEGER, id: '' }

interface Row {
  readonly id: string
  readonly created: number
  readonly life: ContactLife
  readonly ended: number | null
  readonly messages: number
  readonly nick: string | null
}

/**
 * Contacts of a visitor, the newest first; of one that went on, only the last.
 * @throws {@link ContactError} `invalid_argument`
 */
export async function pastContacts(
  db: Kysely<Tables>,
  visitor: string,
  before: string | undefined,
): Promise<Calls['contact.list']['result']> {
  const place = placeNamed(before, LAST, 'before')
  const { rows } = await sql<Row>`
    select c.id, c.created, c.life, c.ended, ${messageCount('c')} as messages, a.nick
    from contacts c left join agents a on a.id = c.agent
    where c.visitor = ${visitor} and c.life <> 'transferred'
      and (c.created, c.id) < (${place.created}::bigint, ${place.id})
      order by c.created desc, c.id desc limit ${PAGE}`.execute(db)
  const last = rows.at(-1)
  return {
    contacts: rows.map(pastOf),
    ...(last && rows.length === PAGE && { next: placeName(last) }),
  }
}

const pastOf = ({ id, created, life: state, ended, messages, nick }: Row): PastContact => ({
  ...{ id, state, created: new Date(created).toISOString(), messages },
  ...(ended !== null && { ended: new Date(ended).toISOString() }),
  ...(nick !== null && { agent: nick }),
})
