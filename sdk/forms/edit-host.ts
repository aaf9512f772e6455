import { ContactError } from '../../protocol/index.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'

/** A field, and its next value. */
export interface FieldEdit {
  readonly form: unknown
  readonly field: unknown
  readonly value: unknown
}

/** Has the service change a form field; the log tells both parties. */
export type EditField = (host: EditHost, edit: FieldEdit) => Promise<void>

/** What editing needs of its contact. */
export interface EditHost {
  readonly id: string
  readonly link: Pick<ServiceLink, 'call'>
  readonly membership: Pick<Membership, 'requirePart'>
}

/** What a visitor gets. */
export const onlyAgents: EditField = () => {
  throw new ContactError('forbidden', 'unable to edit the field; only the agent may')
}
