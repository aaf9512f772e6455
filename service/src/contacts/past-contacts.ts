import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { Calls, ContactLife, PastContact } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'

/** Contacts of a page. */
const PAGE = 20

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
  const place = placeOf(before)
  const { rows } = await sql<Row>`
    select c.id, c.created, c.life, c.ended, c.messages, a.nick
    from contacts c left join agents a on a.id = c.agent
    where c.visitor = ${visitor} and c.life <> 'transferred'
      and (c.created, c.id) < (${place.created}::bigint, ${place.id})
      order by c.created desc, c.id desc limit ${PAGE}`.execute(db)
  const last = rows.at(-1)
  return {
    contacts: rows.map(pastOf),
    ...(last && rows.length === PAGE && { next: `${last.created}:${last.id}` }),
  }
}

const pastOf = ({ id, created, life: state, ended, messages, nick }: Row): PastContact => ({
  ...{ id, state, created: new Date(created).toISOString(), messages },
  ...(ended !== null && { ended: new Date(ended).toISOString() }),
  ...(nick !== null && { agent: nick }),
})

function placeOf(name: string | undefined): { readonly created: number; readonly id: string } {
  if (name === undefined) return { created: Number.MAX_SAFE_INTEGER, id: '' }
  const [, created, id] = /^(\d{1,15}):(.+)$/.exec(name) ?? []
  if (created === undefined || id === undefined)
    throw new ContactError(
      'invalid_argument',
      'unable to list the contacts; `before` is not from a page before',
    )
  return { created: Number(created), id }
}
