import type { StoredFile } from '../../machines/upload/index.ts'
import { ContactError, encryptedFile } from '../../protocol/index.ts'
import { randomName } from '../values/random-id.ts'
import type { Sending } from './attach-arguments.ts'
import type { AttachHost } from './attach-host.ts'
import { tellProgress } from './transfer-options.ts'
import { uploaded } from './upload.ts'

/**
 * Tells the next agent what was said before: a file of the SDK's own, about which capabilities say nothing.
 * @throws {@link ContactError} as `sendEncrypted`
 */
export async function sendHistory(host: AttachHost, file: Blob): Promise<void> {
  const known = { name: 'history.json', mimetype: 'application/json', size: file.size }
  await sendEncrypted(host, { file, announced: { request: randomName(), ...known } }, 'history')
}

/**
 * Uploads a file encrypted, and tells the other party of it: the service hears its stored size and nothing else.
 * What is told waits in the outbox for a key, and is told again under another, without another upload.
 * @throws {@link ContactError} `no_crypto`; as those of the upload and of a message
 */
export async function sendEncrypted(
  host: AttachHost,
  { file, announced, onProgress, signal }: Sending,
  kind?: 'history',
): Promise<StoredFile> {
  if (!host.files)
    throw new ContactError('no_crypto', 'unable to attach the file; its encryption is not available')
  const source = await host.files.encryptFile(file)
  const { size } = file
  const tell = (sentBytes: number): void => tellProgress(onProgress, Math.min(sentBytes, size), size)
  const { request, name, mimetype, desc, referenceId } = announced
  const asked = encryptedFile({ request, size: source.size })
  const stored = await uploaded(host, { source, announced: asked, tell }, signal)
  const said = { ...(desc !== undefined && { desc }), ...(referenceId !== undefined && { referenceId }) }
  const meta = { name, mimetype, size, ...said, ...(kind && { kind }), key: source.key }
  await host.outbox.add({ id: randomName(), type: 'file', body: { file: stored.id, meta } }, { signal })
  return stored
}
