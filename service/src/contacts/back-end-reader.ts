import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError, definitionOf } from '../../../protocol/index.ts'
import type { BackEndRecord, Entry } from '../../../protocol/index.ts'
import { readLog } from '../log/read-log.ts'
import type { Tables } from '../store/tables.ts'
import { authorOf } from './author.ts'
import { notFound } from './contact-errors.ts'
import { ContactReader } from './contact-reader.ts'
import { recordOf } from './contact-record.ts'
import type { LifeName, StoredLife } from './life.ts'
import { messageCount } from './message-count.ts'

/** A contact in the list of the organisation's back end. Times as ISO 8601. */
export interface ListedContact {
  readonly id: string
  readonly state: LifeName
  readonly created: string
  readonly ended?: string
  readonly visitor: string
  readonly nick?: string
  readonly agent?: string
  readonly tags: readonly string[]
  readonly messages: number
}

interface ListRow {
  readonly id: string
  readonly life: LifeName
  readonly created: number
  readonly ended: number | null
  readonly visitor: string
  readonly nick: string | null
  readonly agent: string | null
  readonly tags: string[]
  readonly messages: number
}

export interface ListPage {
  /** Only contacts of this visitor. */
  readonly visitor?: string | undefined
  /** `next` of the page before. */
  readonly before?: string | undefined
  readonly limit: number
}

/** What the organisation's back end may read: all contacts, as their visitors see them. */
export class BackEndReader {
  readonly #db: Kysely<Tables>
  readonly #contacts: ContactReader

  constructor(db: Kysely<Tables>) {
    this.#db = db
    this.#contacts = new ContactReader(db)
  }

  /** Contacts, the newest first. @throws {@link ContactError} `invalid_argument` */
  async list({ visitor, before, limit }: ListPage) {
    const place = placeOf(before)
    const { rows } = await sql<ListRow>`
      select id, life, created, ended, visitor, nick, agent, tags, ${messageCount('contacts')} as messages
      from contacts
      where (created, id) < (${place.created}::bigint, ${place.id})
        ${visitor === undefined ? sql`` : sql`and visitor = ${visitor}`}
      order by created desc, id desc limit ${limit}`.execute(this.#db)
    const last = rows.at(-1)
    return {
      contacts: rows.map(listed),
      ...(last && rows.length === limit && { next: `${last.created}:${last.id}` }),
    }
  }

  /**
   * The record, with the agent that the list says, and where a contact that was transferred goes on: its parties
   * read that in its log.
   *
   * @throws {@link ContactError} `not_found`
   */
  async read(contact: string): Promise<BackEndRecord> {
    const found = await this.#contacts.read(contact)
    if (!found) throw notFound(contact)
    const { row, state } = found
    const { agent } = (JSON.parse(row.machine) as StoredLife).context
    const next = row.life === 'transferred' ? await this.#contacts.successorOf(contact) : null
    return {
      ...recordOf(row, { ...state, agent }, 'visitor'),
      ...(row.ended !== null && { ended: new Date(row.ended).toISOString() }),
      ...(next !== null && { transferredTo: next }),
    }
  }

  /** Messages after a position of the log, the oldest first. @throws {@link ContactError} `not_found` */
  async transcript(contact: string, { after, limit }: { readonly after: number; readonly limit: number }) {
    const row = await this.#db
      .selectFrom('contacts')
      .select('head')
      .where('id', '=', contact)
      .executeTakeFirst()
    if (!row) throw notFound(contact)
    const entries = await readLog(this.#db, contact, { after, limit })
    const last = entries.at(-1)?.seq ?? row.head
    return {
      messages: entries.filter(({ type }) => definitionOf(type)?.isMessage).map(messageOf),
      ...(last < row.head && { next: last }),
    }
  }
}

const listed = ({
  id,
  life,
  created,
  ended,
  visitor,
  nick,
  agent,
  tags,
  messages,
}: ListRow): ListedContact => ({
  ...{ id, state: life, created: new Date(created).toISOString(), visitor, tags, messages },
  ...(ended !== null && { ended: new Date(ended).toISOString() }),
  ...(nick !== null && { nick }),
  ...(agent !== null && { agent }),
})

/** What was written; in a secure contact, as it was encrypted. */
function messageOf(entry: Entry) {
  const { seq, id, type, time, body } = entry
  const from = authorOf(entry)
  return { seq, id, type, time: new Date(time).toISOString(), ...(from && { from }), body }
}

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
