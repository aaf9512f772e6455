import { ContactError, LIMITS, within } from '../../protocol/index.ts'
import type { OpenOptions } from '../api/attachments.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import type { AttachHost } from './attach-host.ts'
import { attachmentUrl } from './attachment-url.ts'
import { download } from './download.ts'
import { imageType } from './image-type.ts'
import { tellProgress, transferOptions } from './transfer-options.ts'

/**
 * The bytes of a file, of the type that its first bytes show.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `not_assigned`, `forbidden`,
 *   `rate_limited`, `timeout`, `offline`, `withdrawn`, `left`
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
    const url = await within(attachmentUrl(host, id), { over: ending.signal })
    const file = await opened(host, { url, ending, onProgress })
    return file.slice(0, file.size, await imageType(file))
  } finally {
    signal?.removeEventListener('abort', cancel)
    host.over.removeEventListener('abort', leave)
  }
}

const withdrawn = (): ContactError =>
  new ContactError('withdrawn', 'unable to open the file; it was cancelled')

interface Opening {
  readonly url: string
  readonly ending: AbortController
  readonly onProgress: OpenOptions['onProgress']
}

function opened({ clock }: AttachHost, { url, ending, onProgress }: Opening): Promise<Blob> {
  let [done, total] = [0, 0]
  const through = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, out) {
      out.enqueue(bytes)
      done += bytes.length
      if (!ending.signal.aborted) tellProgress(onProgress, done, total)
    },
  })
  return download({ url, clock, ending, through, onLength: (bytes) => (total = bytes) })
}
