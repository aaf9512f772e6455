import type { StoredFile } from '../../machines/upload/index.ts'
import type { Attached } from '../api/attachments.ts'
import { requireAllowed } from './allowed-files.ts'
import type { AttachHost } from './attach-host.ts'
import { sendingOf } from './attach-arguments.ts'
import type { Attaching, Sending } from './attach-arguments.ts'
import { sendEncrypted } from './send-encrypted.ts'
import { tellProgress } from './transfer-options.ts'
import { cancelled, uploaded } from './upload.ts'

export { attachmentUrl } from './attachment-url.ts'
export { openAttachment } from './open-attachment.ts'
export { sendHistory } from './send-encrypted.ts'

/**
 * Sends a file: announced, uploaded in parts, gone on with after a cut; in a secure contact encrypted, and told
 * of by its sender once it is stored. Settles with the contact at the latest.
 */
export async function attachFile(host: AttachHost, attaching: Attaching, how: unknown): Promise<Attached> {
  const sending = sendingOf(attaching, how)
  host.membership.requirePart('attach the file')
  requireAllowed(sending.announced, host.capabilities)
  if (sending.signal?.aborted) throw cancelled()
  const { id, url } = await (host.secure ? sendEncrypted(host, sending) : sendPlain(host, sending))
  const { referenceId } = sending.announced
  return { id, url: new URL(url, host.service).href, ...(referenceId !== undefined && { referenceId }) }
}

const sendPlain = (host: AttachHost, { file, announced, onProgress, signal }: Sending): Promise<StoredFile> =>
  uploaded(
    host,
    { source: file, announced, tell: (sent) => tellProgress(onProgress, sent, file.size) },
    signal,
  )
