import type { Kysely } from 'kysely'
import { readLog } from '../log/read-log.ts'
import type { Tables } from './tables.ts'

const CONTACTS = 50
const ENTRIES = 256

/** All that is kept of a visitor, piece by piece; nothing where there is no such visitor. */
export async function* exportVisitor(
  db: Kysely<Tables>,
  visitor: string,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const known = await db.selectFrom('visitors').selectAll().where('id', '=', visitor).executeTakeFirst()
  if (known) yield { kind: 'visitor', ...known }
  for (let after = '', more = true; more;) {
    const rows = await db
      .selectFrom('contacts')
      .select([
        'id',
        'created',
        'life',
        'agent',
        'tags',
        'nick',
        'details',
        'transferred_from',
        'ended',
        'leave_reason',
        'legal_hold',
      ])
      .where('visitor', '=', visitor)
      .where('id', '>', after)
      .orderBy('id')
      .limit(CONTACTS)
      .execute()
    for (const { details, ...row } of rows)
      yield* exportContact(db, { ...row, details: JSON.parse(details) as unknown })
    after = rows.at(-1)?.id ?? after
    more = rows.length === CONTACTS
  }
}

async function* exportContact(
  db: Kysely<Tables>,
  contact: { readonly id: string; readonly details: unknown },
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  yield { kind: 'contact', ...contact }
  const notes = await db
    .selectFrom('notes')
    .select(['agent', 'nick', 'body', 'time'])
    .where('contact', '=', contact.id)
    .orderBy('n')
    .execute()
  for (const note of notes) yield { kind: 'note', contact: contact.id, ...note }
  for (let after = 0; ;) {
    const entries = await readLog(db, contact.id, { after, limit: ENTRIES })
    const last = entries.at(-1)
    if (!last) return
    for (const entry of entries) yield { kind: 'entry', contact: contact.id, ...entry }
    after = last.seq
  }
}
