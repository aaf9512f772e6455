import { LIMITS } from '../../protocol/index.ts'
import { asJson, requireText } from '../values/arguments.ts'
import { plainJson } from '../values/plain-json.ts'
import type { EditField } from './edit-host.ts'

const OPERATION = 'edit the field'

/**
 * For agents: visitors' pages do not load it.
 * @throws {@link ContactError} as `editData` of a contact.
 */
export const editField: EditField = async ({ membership, link, id }, { form, field, value }) => {
  requireText(OPERATION, form, { name: 'form' })
  requireText(OPERATION, field, { name: 'field' })
  const copy = plainJson(OPERATION, asJson(OPERATION, value), { name: 'value', bytes: LIMITS.textBytes + 2 })
  membership.requirePart(OPERATION)
  await link.call('agent.edit', { contact: id, form, field, value: copy })
}
