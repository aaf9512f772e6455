import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { ContactCore } from '../contact/contact-core.ts'
import { plainJson } from '../values/plain-json.ts'
import { asJson, requireText } from '../values/arguments.ts'

const OPERATION = 'edit the field'

/**
 * Has the service change a form field; the log tells both parties.
 * @throws {@link ContactError} as `editData` of a contact.
 */
export async function editData(
  { attendance, options, id }: ContactCore,
  { form, field, value }: { readonly form: unknown; readonly field: unknown; readonly value: unknown },
): Promise<void> {
  requireText(OPERATION, form, { name: 'form' })
  requireText(OPERATION, field, { name: 'field' })
  const copy = plainJson(OPERATION, asJson(OPERATION, value), { name: 'value', bytes: LIMITS.textBytes + 2 })
  if (options.role !== 'agent')
    throw new ContactError('forbidden', `unable to ${OPERATION}; only the agent may`)
  attendance.requirePart(OPERATION)
  await options.link.call('agent.edit', { contact: id, form, field, value: copy })
}
