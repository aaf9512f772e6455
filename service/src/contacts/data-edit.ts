import { ContactError, judgeEdit, withEdit } from '../../../protocol/index.ts'
import type { Calls, ContactRequest } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { ContactChange } from './contact-change.ts'
import { nickOf } from './contact-record.ts'
import { hasLeft } from './contact-errors.ts'
import { isOver, lifeName } from './life.ts'

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
