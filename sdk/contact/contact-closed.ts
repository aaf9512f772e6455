import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'

/** Codes of the service for a contact in which this party has no part, or none any more. */
const GONE: ReadonlySet<ErrorCode> = new Set(['left', 'not_found', 'not_assigned', 'forbidden'])

/** Whether the service has answered that a contact is over for this party. */
export const isContactClosed = (thrown: unknown): thrown is ContactError =>
  thrown instanceof ContactError && GONE.has(thrown.code)

/** What is pending fails with this when the page's part in its contact ends. */
export const hasLeft = (): ContactError =>
  new ContactError('left', 'unable to go on; the contact is over for this page')
