import { LIMITS } from '../../protocol/index.ts'
import { requireText } from '../values/arguments.ts'
import type { AttachHost } from './attach-host.ts'

/**
 * A fresh address of a file.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `left`
 */
export async function attachmentUrl(
  { id: contact, link, service }: AttachHost,
  id: unknown,
): Promise<string> {
  requireText('find the file', id, { name: 'id', bytes: LIMITS.id })
  const { url } = await link.call('attachment.url', { contact, id })
  return new URL(url, service).href
}
