import { sql } from 'kysely'
import { ContactError, LIMITS, judgeEdit, jsonBytes, withEdit, withRating } from '../../../protocol/index.ts'
import type { Calls, ContactRequest } from '../../../protocol/index.ts'
import type { AgentPrincipal, Principal } from '../auth/principal.ts'
import type { ContactChange } from './contact-change.ts'
import { nickOf } from './contact-record.ts'
import { hasLeft, notFound } from './contact-errors.ts'
import { isOver, isVisitorGone, lifeName } from './life.ts'

const OPERATION = 'unable to edit the field'

/**
 * Changes a form field for the agent of the contact. What the agent may not see is answered like what is not
 * there.
 *
 * @throws {@link ContactError} `not_assigned`, `not_joined`, `left`, `not_found`, `forbidden`,
 *   `invalid_argument`, `too_large`
 */
export async function editField(
  change: ContactChange,
  agent: AgentPrincipal,
  { form, field, value }: Calls['agent.edit']['args'],
): Promise<void> {
  const { row } = change
  if (row.agent !== agent.id)
    throw new ContactError('not_assigned', `${OPERATION}; the contact is not assigned to this agent`)
  if (isOver(change.life)) throw hasLeft()
  if (lifeName(change.life) !== 'joined')
    throw new ContactError('not_joined', `${OPERATION}; the agent has not joined the contact`)
  const details = JSON.parse(row.details) as ContactRequest
  const data = details.data ?? []
  const edit = judgeEdit(data, { form, field, value, user: agent.id })
  if (!edit) return
  const edited = { ...details, data: withEdit(data, edit) }
  await change.trx
    .updateTable('contacts')
    .set({ details: JSON.stringify(edited), nick: nickOf(edited) ?? null })
    .where('id', '=', row.id)
    .execute()
  change.noteEdit(edit)
}

const RATING = 'unable to rate the contact'
/** A contact is rated until so long after its end. */
export const RATING_MS = 86_400_000

/**
 * The visitor rates the contact: a form of its record from then on, which the agent sees. The webhook `rating` is
 * noted in the same transaction.
 *
 * @throws {@link ContactError} `not_found`: it is another visitor's; `invalid_state`: it is not over, goes on under
 *   another id, or ended more than a day ago; `forbidden`: a comment in a secure contact, which would not be
 *   encrypted; `too_large`: its other forms leave no room
 */
export async function rateContact(
  change: ContactChange,
  visitor: Principal,
  { contact, ...rating }: Calls['contact.rate']['args'],
): Promise<void> {
  const { row, now } = change
  if (row.visitor !== visitor.id) throw notFound(contact)
  checkRatable(change)
  const details = JSON.parse(row.details) as ContactRequest
  if (details.secure && rating.comment !== undefined)
    throw new ContactError('forbidden', `${RATING}; the comment would not be encrypted`)
  const data = withRating(details.data ?? [], rating)
  if (data.length > LIMITS.forms || jsonBytes(data) > LIMITS.frameBytes)
    throw new ContactError('too_large', `${RATING}; its forms leave no room for the rating`)
  const rated = JSON.stringify({ ...details, data })
  if (rated === row.details) return
  await change.trx.updateTable('contacts').set({ details: rated }).where('id', '=', contact).execute()
  await sql`select note_webhook_rating(${contact}, ${now}::bigint)`.execute(change.trx)
  if (row.agent !== null) change.tell(row.agent, { name: 'agent.rated', body: { contact, rating } })
}

function checkRatable({ row, life, now }: ContactChange): void {
  if (lifeName(life) !== 'cleared' && !isVisitorGone(life))
    throw new ContactError('invalid_state', `${RATING}; it is not over, or goes on under another id`)
  if (row.ended !== null && now - row.ended > RATING_MS)
    throw new ContactError('invalid_state', `${RATING}; it ended more than a day ago`)
}
