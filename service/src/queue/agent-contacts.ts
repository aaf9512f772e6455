import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ContactData } from '../../../protocol/index.ts'
import { recordOf } from '../contacts/index.ts'
import type { ContactStore } from '../contacts/index.ts'
import { placeName, placeNamed } from '../store/page-place.ts'
import type { PagePlace } from '../store/page-place.ts'
import type { Tables } from '../store/tables.ts'

/** Bytes of what stands around the records of a page. */
const AROUND_BYTES = 1_072
/** Contacts that are read at a time. */
const AT_ONCE = 8
/** The first page begins before everything. */
const FIRST = { created: -1, id: '' }

interface Parts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
}

/** What is asked for: after the place that a page before has named. */
export interface ContactsQuery {
  readonly agent: string
  readonly after?: string
  /** A record as the agent is sent it. */
  readonly view: (record: ContactData) => ContactData
  /** A page has less than so many, unless its only record has more. */
  readonly bytes: number
}

export interface ContactPage {
  readonly records: readonly ContactData[]
  /** The place that the next page begins after; without it there is no more. */
  readonly next?: string
}

/**
 * Contacts that an agent has, the oldest first: as many as fit into a page.
 * @throws {@link ContactError} `invalid_argument`
 */
export async function contactsOf(
  parts: Parts,
  { agent, after, view, bytes: room }: ContactsQuery,
): Promise<ContactPage> {
  const records: ContactData[] = []
  let bytes = 0
  for (
    let [place, rows] = [placeNamed(after, FIRST, 'after'), null as PagePlace[] | null];
    rows === null || rows.length === AT_ONCE;
  ) {
    rows = await placesAfter(parts, agent, place)
    for (const { row, record } of await read(parts, rows)) {
      const shown = view(record)
      bytes += Buffer.byteLength(JSON.stringify(shown)) + 1
      if (bytes > room - AROUND_BYTES && records.length > 0) return { records, next: placeName(place) }
      records.push(shown)
      place = row
    }
  }
  return { records }
}

async function placesAfter({ db }: Parts, agent: string, { created, id }: PagePlace): Promise<PagePlace[]> {
  const { rows } = await sql<PagePlace>`
    select id, created from contacts
    where agent = ${agent} and life in ('assigned', 'joined') and (created, id) > (${created}, ${id})
      order by created, id limit ${AT_ONCE}`.execute(db)
  return rows
}

async function read(
  { store }: Parts,
  places: readonly PagePlace[],
): Promise<{ readonly row: PagePlace; readonly record: ContactData }[]> {
  const found = await Promise.all(places.map(({ id }) => store.read(id)))
  return found.flatMap((each) =>
    each ? [{ row: each.row, record: recordOf(each.row, each.state, 'agent') }] : [],
  )
}
