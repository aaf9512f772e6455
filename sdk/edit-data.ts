import { ContactError, LIMITS } from '../protocol/index.ts'
import type { ContactCore } from './contact-core.ts'
import { plainJson } from './plain-json.ts'
import { requireText } from './settle.ts'

const OPERATION = 'edit the field'

/** Has the service change a form field; the log tells both parties. @throws {@link ContactError} as `editData` of a contact. */
export async function editData(
  { attendance, options, id }: ContactCore,
  { form, field, value }: { readonly form: unknown; readonly field: unknown; readonly value: unknown },
): Promise<void> {
  requireName(form, 'form')
  requireName(field, 'field')
  const copy = plainJson(OPERATION, value, { name: 'value', bytes: LIMITS.textBytes + 2 })
  if (options.role !== 'agent') throw new ContactError('forbidden', `unable to ${OPERATION}; only the agent may`)
  attendance.requirePart(OPERATION)
  await options.link.call('agent.edit', { contact: id, form, field, value: copy })
}

function requireName(value: unknown, name: string): asserts value is string {
  requireText(OPERATION, value, { name })
  if (value === '' || value.length > LIMITS.name) throw new ContactError('invalid_argument', `unable to ${OPERATION}; ${name} must have 1 to ${LIMITS.name} characters`)
}
