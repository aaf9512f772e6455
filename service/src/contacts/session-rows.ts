import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { SessionRow, Tables } from '../store/tables.ts'
import type { Statement } from '../store/transaction-batch.ts'

/** All sessions that a contact has had. */
export const sessionsOf: Statement<string, readonly Selectable<Tables['sessions']>[]> = async (
  { trx },
  contacts,
) => {
  const rows = await trx.selectFrom('sessions').selectAll().where('contact', 'in', contacts).execute()
  return contacts.map((contact) => rows.filter((row) => row.contact === contact))
}

/** Ends sessions for good. */
export const endSession: Statement<Pick<SessionRow, 'contact' | 'session'>, void> = async (
  { trx },
  sessions,
) => {
  const [contacts, ids] = [sessions.map(({ contact }) => contact), sessions.map(({ session }) => session)]
  await sql`update sessions s set ended = true, connected = false
    from unnest(${contacts}::text[], ${ids}::text[]) as n(contact, session)
    where s.contact = n.contact and s.session = n.session`.execute(trx)
  return sessions.map(() => {})
}
