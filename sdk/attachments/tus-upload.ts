import { DetailedError, Upload } from 'tus-js-client'
import { ContactError, isErrorCode } from '../../protocol/index.ts'
import type { Uploader } from './uploader.ts'

/**
 * So much is sent again at most where the service, or a proxy before it, loses what it has heard of a
 * request.
 */
const CHUNK_BYTES = 4 * 1024 * 1024

/**
 * Where there is no `XMLHttpRequest`, in Node, parts of a file are sent as bytes. A browser sends them
 * without holding them.
 */
const bytesReader = {
  openFile: async (file: Blob) => ({
    size: file.size,
    slice: async (start: number, end: number) => {
      const value = new Uint8Array(await file.slice(start, end).arrayBuffer())
      return { value: Object.assign(value, { size: value.length }), done: end >= file.size }
    },
    close: () => {},
  }),
}

/**
 * Uploads by tus (https://tus.io/protocols/resumable-upload, 1.0.0). One attempt: whoever calls decides
 * whether there is another.
 */
export const tusUpload: Uploader = (file, { url, token, cancelled, stopped, onProgress }) => {
  const over = new AbortController()
  return new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      uploadUrl: url,
      uploadSize: file.size,
      chunkSize: CHUNK_BYTES,
      ...(typeof XMLHttpRequest === 'undefined' && { fileReader: bytesReader }),
      headers: { authorization: `Bearer ${token}` },
      retryDelays: null,
      storeFingerprintForResuming: false,
      onProgress: (sentBytes) => onProgress(sentBytes),
      onSuccess: () => resolve(),
      onError: (error) => void codedError(error, file).then(reject),
    })
    const end = (forGood: boolean) => (): void => {
      upload.abort(forGood).catch(() => {})
      reject(
        new ContactError(forGood ? 'withdrawn' : 'offline', 'unable to upload the file; it was cancelled'),
      )
    }
    if (cancelled.aborted || stopped.aborted) return end(cancelled.aborted)()
    cancelled.addEventListener('abort', end(true), { signal: over.signal })
    stopped.addEventListener('abort', end(false), { signal: over.signal })
    upload.start()
  }).finally(() => over.abort())
}

/**
 * Only a refusal with a reason is final, and a file that cannot be read any more; a cut, a busy service or an
 * upload that it has forgotten is asked about again.
 */
async function codedError(error: Error, file: Blob): Promise<ContactError> {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (response) {
    const refusal = FINAL.has(response.getStatus()) ? refusalIn(response.getBody()) : null
    return (
      refusal ??
      new ContactError('timeout', `unable to upload the file; the service answered ${response.getStatus()}`, {
        cause: error,
      })
    )
  }
  return (await isReadable(file))
    ? new ContactError('offline', 'unable to upload the file; the service cannot be reached', {
        cause: error,
      })
    : new ContactError('invalid_argument', 'unable to upload the file; it cannot be read any more', {
        cause: error,
      })
}

/**
 * Whether the file is still as it was chosen: a browser gives nothing of one that has changed on the disk.
 */
const isReadable = (file: Blob): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

const FINAL: ReadonlySet<number> = new Set([403, 413, 415, 507])

function refusalIn(body: string): ContactError | null {
  try {
    const { error } = JSON.parse(body) as {
      readonly error?: { readonly code?: unknown; readonly message?: unknown }
    }
    return isErrorCode(error?.code) ? new ContactError(error.code, String(error.message)) : null
  } catch {
    return null
  }
}
