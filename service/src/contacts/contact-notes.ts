/**
 * Notes of agents about contacts. They stand apart from the log, which visitors read: nothing but the calls of
 * agents gives them, so that none can reach a visitor.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { ContactNote, ContactRequest } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { Tables } from '../store/tables.ts'
import type { ContactChange } from './contact-change.ts'
import { hasLeft } from './contact-errors.ts'

/** So many are read: the newest. */
export const NOTES_LIMIT = 200
/** Of one contact. */
const KEPT_LIMIT = 1_000

interface NoteRow {
  readonly n: number
  readonly agent: string
  readonly nick: string
  readonly body: string
  readonly time: number
}

/**
 * Writes a note about a contact that the agent has.
 * @throws {@link ContactError} `not_assigned`, `left`; `forbidden` — the contact is secure, and a note would not be
 *   encrypted, or there are too many
 */
export async function writeNote(
  { row, trx, now }: ContactChange,
  { id: agent, nick }: Pick<AgentPrincipal, 'id' | 'nick'>,
  { text, isForNext = false }: { readonly text: string; readonly isForNext?: boolean },
): Promise<ContactNote> {
  if (row.agent !== agent)
    throw new ContactError('not_assigned', 'unable to write the note; the contact is not with this agent')
  if (row.life === 'transferred') throw hasLeft()
  if ((JSON.parse(row.details) as ContactRequest).secure)
    throw new ContactError('forbidden', 'unable to write the note; it would not be encrypted')
  const { rows } = await sql<NoteRow>`
    insert into notes (contact, agent, nick, body, time, is_for_next)
    select ${row.id}, ${agent}, ${nick}, ${text}, ${now}::bigint, ${isForNext}
      where (select count(*) from notes where contact = ${row.id}) < ${KEPT_LIMIT}
    returning n, agent, nick, body, time`.execute(trx)
  const [made] = rows
  if (!made) throw new ContactError('forbidden', 'unable to write the note; the contact has too many')
  return noteOf(made)
}

/** Notes of a contact and of those that it went on from. Who may read them has been checked. */
export async function notesOf(db: Kysely<Tables>, contact: string): Promise<ContactNote[]> {
  const { rows } = await sql<NoteRow>`
    with recursive chain as (
      select id, transferred_from from contacts where id = ${contact}
      union all select c.id, c.transferred_from from contacts c join chain on c.id = chain.transferred_from
    ), newest as (
      select n.* from chain join notes n on n.contact = chain.id order by n.n desc limit ${NOTES_LIMIT}
    ) select n, agent, nick, body, time from newest order by n`.execute(db)
  return rows.map(noteOf)
}

const noteOf = ({ n, agent, nick, body, time }: NoteRow): ContactNote => ({
  id: `n-${n}`,
  user: agent,
  nick,
  text: body,
  time: new Date(time).toISOString(),
})
