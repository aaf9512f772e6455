/**
 * Search over the ended contacts of an agent. It costs nothing while contacts go on: no index of words is written
 * with each message. One page looks at so many contacts and entries at most, and says where the next one begins.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ContactRequest, ContactSearch, DeskCalls, FoundContact } from '../../../protocol/index.ts'
import { placeName, placeNamed } from '../store/page-place.ts'
import type { Tables } from '../store/tables.ts'

/** Contacts that are found in one page. */
const PAGE = 20
/** Contacts that a page looks at. */
const LOOKED = 500
/** Entries whose text a page looks at, unless the first contact alone has more. */
const ENTRIES = 20_000
const EXCERPT = 160
/** Characters before what was found. */
const BEFORE = 40
/** The first page begins after everything. */
const LAST = { created: Number.MAX_SAFE_INTEGER, id: '' }

interface Row {
  readonly id: string
  readonly created: number
  readonly ended: number | null
  readonly nick: string | null
  readonly messages: number
  readonly head: number
  readonly distribution: string | null
}

/** A page of the agent's own contacts. @throws {@link ContactError} `invalid_argument` */
export async function searchContacts(
  db: Kysely<Tables>,
  agent: string,
  query: ContactSearch,
): Promise<DeskCalls['agent.search']['result']> {
  const rows = await candidates(db, agent, query)
  const looked = query.text === undefined ? rows : within(rows, ENTRIES)
  const named = looked.filter(({ nick }) => isIn(nick, query.name))
  const texts = query.text === undefined ? null : await textsWith(db, named, query.text)
  const found = named.filter(({ id }) => texts?.has(id) ?? true)
  const shown = found.slice(0, PAGE)
  const isWhole = rows.length < LOOKED && looked.length === rows.length && shown.length === found.length
  const last = shown.length < found.length ? shown.at(-1) : looked.at(-1)
  return {
    contacts: shown.map((row) => foundOf(row, query.text, texts?.get(row.id))),
    ...(last && !isWhole && { next: placeName(last) }),
  }
}

async function candidates(
  db: Kysely<Tables>,
  agent: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER, before }: ContactSearch,
): Promise<readonly Row[]> {
  const place = placeNamed(before, LAST, 'before')
  const { rows } = await sql<Row>`
    select id, created, ended, nick, messages, head, distribution from contacts
    where agent = ${agent} and life = 'cleared' and (created, id) < (${place.created}::bigint, ${place.id})
      and created >= ${from}::bigint and created < ${to}::bigint
      order by created desc, id desc limit ${LOOKED}`.execute(db)
  return rows
}

/** The first rows, of which all but the first have no more entries than that together. */
function within(rows: readonly Row[], most: number): readonly Row[] {
  let entries = 0
  const end = rows.findIndex(({ head }, index) => (entries += head) > most && index > 0)
  return end === -1 ? rows : rows.slice(0, end)
}

const isIn = (text: string | null, wanted: string | undefined): boolean =>
  wanted === undefined || (text?.toLowerCase().includes(wanted.toLowerCase()) ?? false)

/** The first text of each contact that has it. Of a sealed one the text is a ciphertext. */
async function textsWith(
  db: Kysely<Tables>,
  rows: readonly Row[],
  text: string,
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.filter((row) => !isSecure(row)).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { rows: found } = await sql<{ contact: string; said: string }>`
    select wanted.id as contact, hit.said from unnest(${ids}::text[]) wanted(id)
      cross join lateral (select e.body::json ->> 'text' as said from entries e
        where e.contact = wanted.id and e.seq <= ${ENTRIES} and e.type = 'text'
          and strpos(lower(e.body::json ->> 'text'), lower(${text})) > 0
        order by e.seq limit 1) hit`.execute(db)
  return new Map(found.map(({ contact, said }) => [contact, said]))
}

const isSecure = ({ distribution }: Pick<Row, 'distribution'>): boolean =>
  distribution !== null && (JSON.parse(distribution) as ContactRequest).secure === true

const foundOf = (row: Row, text: string | undefined, said: string | undefined): FoundContact => ({
  ...{ id: row.id, created: new Date(row.created).toISOString(), messages: row.messages },
  ...(row.ended !== null && { ended: new Date(row.ended).toISOString() }),
  ...(row.nick !== null && { nick: row.nick }),
  secure: isSecure(row),
  ...(said !== undefined && { excerpt: excerptOf(said, text ?? '') }),
})

/** Around the first place of a text: whole characters. */
function excerptOf(said: string, text: string): string {
  const at = Math.max(0, said.toLowerCase().indexOf(text.toLowerCase()))
  const from = Math.max(0, Math.min(at - BEFORE, said.length - EXCERPT))
  const cut = said.slice(from, from + EXCERPT).replaceAll(/\p{Cs}/gu, '')
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT < said.length ? '…' : ''}`
}
