import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { Slot } from '../../protocol/index.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { plainJson } from '../values/plain-json.ts'
import { requireText } from '../values/arguments.ts'

const OPERATION = 'edit the field'

/** What editing needs of its contact. */
export interface EditHost {
  readonly id: string
  readonly role: Slot
  readonly link: Pick<ServiceLink, 'call'>
  readonly membership: Pick<Membership, 'requirePart'>
}

/** A field, and its next value. */
export interface FieldEdit {
  readonly form: unknown
  readonly field: unknown
  readonly value: unknown
}

/**
 * Has the service change a form field; the log tells both parties.
 * @throws {@link ContactError} as `editData` of a contact.
 */
export async function editField(
  { membership, link, role, id }: EditHost,
  { form, field, value }: FieldEdit,
): Promise<void> {
  requireText(OPERATION, form, { name: 'form' })
  requireText(OPERATION, field, { name: 'field' })
  const copy = plainJson(OPERATION, value, { name: 'value', bytes: LIMITS.textBytes + 2 })
  if (role !== 'agent') throw new ContactError('forbidden', `unable to ${OPERATION}; only the agent may`)
  membership.requirePart(OPERATION)
  await link.call('agent.edit', { contact: id, form, field, value: copy })
}
