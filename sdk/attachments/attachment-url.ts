import { ContactError, LIMITS } from '../../protocol/index.ts'
import { isContactClosed } from '../contact/contact-closed.ts'
import { MOST_TRANSFERS } from '../contact/earlier-contacts.ts'
import { requireText } from '../values/arguments.ts'
import type { AttachHost } from './attach-host.ts'

/**
 * A fresh address of a file, also of one from before a transfer: it belongs to the contact of its time.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `left`
 */
export async function attachmentUrl(
  { id: contact, link, service }: AttachHost,
  id: unknown,
): Promise<string> {
  requireText('find the file', id, { name: 'id', bytes: LIMITS.id })
  const asked = (of: string): Promise<string> =>
    link.call('attachment.url', { contact: of, id }).then(({ url }) => new URL(url, service).href)
  return asked(contact).catch(async (thrown: unknown) => {
    let at: string | undefined = isNotFound(thrown) ? contact : undefined
    for (let transfers = 0; at !== undefined && transfers < MOST_TRANSFERS; transfers++) {
      at = await contactBefore(link, at)
      const url: string | undefined = at === undefined ? undefined : await asked(at).catch(unlessClosed)
      if (url !== undefined) return url
    }
    throw thrown
  })
}

const isNotFound = (thrown: unknown): boolean => thrown instanceof ContactError && thrown.code === 'not_found'

const unlessClosed = (thrown: unknown): undefined => {
  if (!isContactClosed(thrown)) throw thrown
}

/** From which contact one was transferred; none where this party may not know it. */
const contactBefore = (link: AttachHost['link'], contact: string): Promise<string | undefined> =>
  link.call('contact.read', { contact }).then(({ record }) => record.transferredFrom, unlessClosed)
