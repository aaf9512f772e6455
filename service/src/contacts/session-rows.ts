import { sql } from 'kysely'
import type { Selectable, Transaction } from 'kysely'
import { keptAs } from '../store/kept-statement.ts'
import type { SessionRow, Tables } from '../store/tables.ts'
import type { Statement } from '../store/transaction-batch.ts'

/** All sessions that a contact has had. */
export const sessionsOf: Statement<string, readonly Selectable<Tables['sessions']>[]> = async (
  { trx },
  contacts,
) => {
  const { rows } = await sql<Selectable<Tables['sessions']>>`${keptAs('sessions_of')}
    select contact, session, slot, principal, counter, connected, ended, node, epoch from sessions
      where contact = any(${[...contacts]}::text[])`.execute(trx)
  const found = new Map<string, typeof rows>(contacts.map((contact) => [contact, []]))
  for (const row of rows) found.get(row.contact)?.push(row)
  return contacts.map((contact) => found.get(contact) ?? [])
}

/** Ends sessions for good. */
export const endSession: Statement<Pick<SessionRow, 'contact' | 'session'>, void> = async (
  { trx },
  sessions,
) => {
  const [contacts, ids] = [sessions.map(({ contact }) => contact), sessions.map(({ session }) => session)]
  await sql`${keptAs('end_sessions')} update sessions s set ended = true, connected = false
    from unnest(${contacts}::text[], ${ids}::text[]) as n(contact, session)
    where s.contact = n.contact and s.session = n.session`.execute(trx)
  return sessions.map(() => {})
}

/** Whether the log says that a session has left, and not that it has announced itself anew since. */
export async function isLeft(
  trx: Transaction<Tables>,
  { contact, session }: Pick<SessionRow, 'contact' | 'session'>,
): Promise<boolean> {
  const { rows } = await sql<{ left: boolean }>`
    select exists (
      select 1 from entries e where e.contact = ${contact} and e.type = 'left' and e.slot = 'service'
        and e.body::json ->> 'session' = ${session}
        and e.seq > coalesce((select max(p.seq) from entries p
          where p.contact = ${contact} and p.type = 'present' and p.session = ${session}), 0)
    ) as left`.execute(trx)
  return rows[0]?.left ?? false
}
