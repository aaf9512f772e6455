import { DetailedError, Upload } from 'tus-js-client'
import { ContactError, isErrorCode } from '../../protocol/index.ts'
import type { Uploader } from './uploader.ts'

/** Small enough for a slow line to bring one within the time that the service gives a request. */
const CHUNK_BYTES = 4 * 1024 * 1024

/** Uploads by tus (https://tus.io/protocols/resumable-upload, 1.0.0). One attempt: whoever calls decides whether there is another. */
export const tusUpload: Uploader = (file, { url, token, cancelled, stopped, onProgress }) => {
  const over = new AbortController()
  return new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      uploadUrl: url,
      uploadSize: file.size,
      chunkSize: CHUNK_BYTES,
      headers: { authorization: `Bearer ${token}` },
      retryDelays: null,
      storeFingerprintForResuming: false,
      onProgress: (sentBytes) => onProgress(sentBytes),
      onSuccess: () => resolve(),
      onError: (error) => reject(codedError(error)),
    })
    const end = (forGood: boolean) => (): void => {
      upload.abort(forGood).catch(() => {})
      reject(new ContactError(forGood ? 'withdrawn' : 'offline', 'unable to upload the file; the upload was stopped'))
    }
    if (cancelled.aborted || stopped.aborted) return end(cancelled.aborted)()
    cancelled.addEventListener('abort', end(true), { signal: over.signal })
    stopped.addEventListener('abort', end(false), { signal: over.signal })
    upload.start()
  }).finally(() => over.abort())
}

/** Only a refusal with a reason is final; a cut, a busy service or an upload that it has forgotten is asked about again. */
function codedError(error: Error): ContactError {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (!response) return new ContactError('offline', 'unable to upload the file; the service cannot be reached', { cause: error })
  const refusal = FINAL.has(response.getStatus()) ? refusalIn(response.getBody()) : null
  return refusal ?? new ContactError('timeout', `unable to upload the file; the service answered ${response.getStatus()}`, { cause: error })
}

const FINAL: ReadonlySet<number> = new Set([403, 413, 415, 507])

function refusalIn(body: string): ContactError | null {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } }
    return isErrorCode(error?.code) ? new ContactError(error.code, String(error.message)) : null
  } catch {
    return null
  }
}
