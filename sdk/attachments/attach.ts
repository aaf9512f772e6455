import type { Attached } from '../api/attachments.ts'
import { requireAllowed } from './allowed-files.ts'
import type { AttachHost } from './attach-host.ts'
import { sendingOf } from './attach-arguments.ts'
import type { Attaching } from './attach-arguments.ts'
import { cancelled, uploaded } from './upload.ts'

export { attachmentUrl } from './attachment-url.ts'
export { openAttachment } from './open-attachment.ts'

/**
 * Sends a file: announced, uploaded in parts, gone on with after a cut. Settles with the contact at the
 * latest.
 */
export async function attachFile(host: AttachHost, attaching: Attaching, how: unknown): Promise<Attached> {
  const { file, announced, signal, onProgress } = sendingOf(attaching, how)
  host.membership.requirePart('attach the file')
  requireAllowed(announced, host.capabilities)
  if (signal?.aborted) throw cancelled()
  const { id, url } = await uploaded(host, { source: file, announced, onProgress }, signal)
  const { referenceId } = announced
  return { id, url: new URL(url, host.service).href, ...(referenceId !== undefined && { referenceId }) }
}
