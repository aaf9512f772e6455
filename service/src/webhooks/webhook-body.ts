import type { Kysely } from 'kysely'
import { ratingIn } from '../../../protocol/index.ts'
import type { ContactRequest, Entry } from '../../../protocol/index.ts'
import { IDENTIFIED } from '../auth/identities.ts'
import { authorOf, nickOf } from '../contacts/index.ts'
import { readLog } from '../log/read-log.ts'
import type { ContactRow, Tables } from '../store/tables.ts'
import type { WebhookNote } from './webhook-rows.ts'

/** What a webhook says: JSON. Null where what it was about is no more. */
export async function webhookBody(db: Kysely<Tables>, note: WebhookNote): Promise<string | null> {
  const row = await db.selectFrom('contacts').selectAll().where('id', '=', note.contact).executeTakeFirst()
  if (!row) return null
  const entry = note.seq === null ? null : await entryAt(db, note.contact, note.seq)
  if (note.seq !== null && !entry) return null
  return JSON.stringify({
    type: `contact.${note.type}`,
    timestamp: new Date(note.time).toISOString(),
    data: {
      ...contactOf(row),
      ...(note.type === 'created' && detailsOf(row)),
      ...(note.type === 'rating' && ratingOf(row)),
      ...(entry && factsOf(entry)),
    },
  })
}

async function entryAt(db: Kysely<Tables>, contact: string, seq: number): Promise<Entry | null> {
  const [entry] = await readLog(db, contact, { after: seq - 1, limit: 1 })
  return entry?.seq === seq ? entry : null
}

function contactOf(row: ContactRow) {
  const details = JSON.parse(row.details) as ContactRequest
  const nick = nickOf(details)
  return {
    contact: row.id,
    visitor: {
      id: row.visitor,
      ...(row.visitor.startsWith(IDENTIFIED) && { identified: true }),
      ...(nick !== undefined && { nick }),
    },
    secure: details.secure ?? false,
    ...(row.transferred_from !== null && { transferredFrom: row.transferred_from }),
  }
}

function detailsOf(row: ContactRow) {
  const { lang, data = [], visit } = JSON.parse(row.details) as ContactRequest
  return { tags: row.tags, data, ...(lang !== undefined && { lang }), ...(visit !== undefined && { visit }) }
}

/** As it is now: the visitor may have given another one meanwhile. */
function ratingOf(row: ContactRow) {
  const { data = [] } = JSON.parse(row.details) as ContactRequest
  return { rating: ratingIn(data), ...(row.agent !== null && { agent: row.agent }) }
}

/** What an entry says. What parties of a secure contact wrote is encrypted, and stays so. */
function factsOf(entry: Entry): Readonly<Record<string, unknown>> {
  const { seq, id, type, body } = entry
  const from = authorOf(entry)
  switch (entry.type) {
    case 'joined':
      return { seq, agent: { id: entry.body.user, nick: entry.body.nick } }
    case 'cleared':
      return { seq, reason: entry.body.reason }
    case 'transferred':
      return { seq, reason: 'transferred', transferredTo: entry.body.toId }
    default:
      return { seq, message: { id, type, ...(from && { from }), body } }
  }
}
