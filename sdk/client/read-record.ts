import { ContactError } from '../../protocol/index.ts'
import type { ContactData } from '../../protocol/index.ts'
import { isContactClosed } from '../contact/contact-closed.ts'
import type { ServiceLink } from '../link/service-link.ts'

/**
 * The record of a contact; null for one in which the visitor has no part any more.
 * @throws {@link ContactError} `offline`, `timeout`
 */
export async function readRecord(link: ServiceLink, contact: string): Promise<ContactData | null> {
  try {
    return (await link.call('contact.read', { contact })).record
  } catch (thrown) {
    if (isContactClosed(thrown)) return null
    throw thrown
  }
}

/** Whether the service refuses the visitor's token. */
export const isRefused = (thrown: unknown): boolean =>
  thrown instanceof ContactError && thrown.code === 'unauthorized'
