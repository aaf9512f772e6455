import { ContactError, LIMITS, within } from '../../protocol/index.ts'
import type { OpenOptions } from '../api/attachments.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import type { AttachHost } from './attach-host.ts'
import { attachmentUrl } from './attachment-url.ts'
import { download } from './download.ts'
import type { FileOpening } from './file-encryption.ts'
import { imageType } from './image-type.ts'
import { tellProgress, transferOptions } from './transfer-options.ts'

/**
 * The bytes of a file, of the type that its first bytes show.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `not_assigned`, `forbidden`,
 *   `rate_limited`, `timeout`, `offline`, `withdrawn`, `left`; of a secure contact `no_crypto`, `invalid_key`,
 *   `tampered`
 */
export async function openAttachment(host: AttachHost, id: unknown, how: unknown): Promise<Blob> {
  const { signal, onProgress } = fromArguments('open the file', () => transferOptions('open the file', how))
  requireText('open the file', id, { name: 'id', bytes: LIMITS.id })
  const ending = new AbortController()
  const cancel = (): void => ending.abort(withdrawn())
  const leave = (): void => ending.abort(host.over.reason)
  if (signal?.aborted) throw withdrawn()
  signal?.addEventListener('abort', cancel)
  host.over.addEventListener('abort', leave)
  try {
    const opening = openingOf(host, id)
    const url = await within(attachmentUrl(host, id), { over: ending.signal })
    const file = await opened(host, { url, ending, opening, onProgress })
    return file.slice(0, file.size, await imageType(file))
  } finally {
    signal?.removeEventListener('abort', cancel)
    host.over.removeEventListener('abort', leave)
  }
}

const withdrawn = (): ContactError =>
  new ContactError('withdrawn', 'unable to open the file; it was cancelled')

/** How an encrypted file is opened; null: what is stored is the file. @throws {@link ContactError} as `openFile` */
function openingOf({ secure, files }: AttachHost, id: string): FileOpening | null {
  if (!secure) return null
  if (!files) throw new ContactError('no_crypto', 'unable to open the file; its encryption is not available')
  return files.openFile(id)
}

interface Opening {
  readonly url: string
  readonly ending: AbortController
  readonly opening: FileOpening | null
  readonly onProgress: OpenOptions['onProgress']
}

async function opened({ clock }: AttachHost, { url, ending, opening, onProgress }: Opening): Promise<Blob> {
  let [done, total] = [0, opening?.size ?? 0]
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, out) {
      out.enqueue(bytes)
      done += bytes.length
      if (!ending.signal.aborted) tellProgress(onProgress, done, total)
    },
  })
  const through = opening ? [opening.through, counted] : [counted]
  const onLength = (bytes: number): void => void (total = opening?.size ?? bytes)
  const file = await download({ url, clock, ending, through, onLength })
  if (opening && file.size !== opening.size)
    throw new ContactError('tampered', 'unable to open the file; it is not as large as its sender says')
  return file
}
