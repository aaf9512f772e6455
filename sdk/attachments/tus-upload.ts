/** Uploads by tus 1.0.0, https://tus.io/protocols/resumable-upload: core protocol and termination. */
import { ContactError, isErrorCode } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import { httpRequest } from './http-request.ts'
import type { HttpAnswer } from './http-request.ts'
import type { UploadJob, UploadSource, Uploader } from './uploader.ts'

/**
 * So much is sent again at most where the service, or a proxy before it, loses what it has heard of a
 * request; and so much of an encrypted file is in memory.
 */
const PART_BYTES = 4 * 1024 * 1024
/** Statuses whose refusal is final, where the answer gives a code. */
const FINAL: ReadonlySet<number> = new Set([403, 413, 415, 507])

/**
 * One attempt: whoever calls decides whether there is another. It begins where the service says that it has
 * come to. The end of the upload is told to the service, and not waited for.
 */
export const tusUpload: Uploader = (source, job) => {
  const { cancelled, stopped } = job
  const [requests, settled] = [new AbortController(), new AbortController()]
  return new Promise<void>((resolve, reject) => {
    const end = (forGood: boolean) => (): void => {
      requests.abort()
      if (forGood) terminate(job)
      reject(
        new ContactError(forGood ? 'withdrawn' : 'offline', 'unable to upload the file; it was cancelled'),
      )
    }
    if (cancelled.aborted || stopped.aborted) return end(cancelled.aborted)()
    cancelled.addEventListener('abort', end(true), { signal: settled.signal })
    stopped.addEventListener('abort', end(false), { signal: settled.signal })
    sendMissing(source, job, requests.signal).then(resolve, (thrown: unknown) =>
      codedError(thrown, source).then(reject),
    )
  }).finally(() => settled.abort())
}

/** An answer that says nothing of the upload. */
class WrongAnswer extends Error {
  readonly answer: HttpAnswer

  constructor(answer: HttpAnswer) {
    super(`the service answered ${answer.status}`)
    this.answer = answer
  }
}

/** Sends what comes after the service's offset, in parts of 4 MiB. */
async function sendMissing(source: UploadSource, job: UploadJob, signal: AbortSignal): Promise<void> {
  let offset = await storedOffset(source, job, signal)
  job.onProgress(offset)
  while (offset < source.size) {
    const start = offset
    const end = Math.min(start + PART_BYTES, source.size)
    const body = await source.slice(start, end)
    if (signal.aborted) return
    const answer = await httpRequest({
      method: 'PATCH',
      url: job.url,
      headers: {
        ...headersOf(job),
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(start),
      },
      body,
      signal,
      onSent: (bytes) => signal.aborted || job.onProgress(start + bytes),
    })
    offset = numberIn(answer, 'upload-offset')
    if (offset <= start || offset > end) throw new WrongAnswer(answer)
    if (!signal.aborted) job.onProgress(offset)
  }
}

/** How much the service has. */
async function storedOffset({ size }: UploadSource, job: UploadJob, signal: AbortSignal): Promise<number> {
  const answer = await httpRequest({ method: 'HEAD', url: job.url, headers: headersOf(job), signal })
  const offset = numberIn(answer, 'upload-offset')
  if (offset > size || numberIn(answer, 'upload-length') !== size) throw new WrongAnswer(answer)
  return offset
}

/** Nothing more comes, and what came is not wanted. Where the service does not hear it, it forgets in time. */
function terminate(job: UploadJob): void {
  httpRequest({ method: 'DELETE', url: job.url, headers: headersOf(job) }).catch(() => {})
}

const headersOf = ({ token }: UploadJob): Readonly<Record<string, string>> => ({
  'tus-resumable': '1.0.0',
  authorization: `Bearer ${token}`,
})

/** A number of bytes that an answer tells. */
function numberIn(answer: HttpAnswer, name: string): number {
  const text = answer.header(name) ?? ''
  if (answer.status < 200 || answer.status > 299 || !/^\d{1,15}$/.test(text)) throw new WrongAnswer(answer)
  return Number(text)
}

/**
 * Only a refusal with a reason is final, and a file that cannot be read any more; a cut, a busy service or an
 * upload that it has forgotten is asked about again.
 */
async function codedError(thrown: unknown, source: UploadSource): Promise<ContactError> {
  const failure = (code: ErrorCode, reason: string): ContactError =>
    new ContactError(code, `unable to upload the file; ${reason}`, { cause: thrown })
  if (thrown instanceof ContactError) return thrown
  if (thrown instanceof WrongAnswer) return refusalIn(thrown.answer) ?? failure('timeout', thrown.message)
  return (await isReadable(source))
    ? failure('offline', 'the service cannot be reached')
    : failure('invalid_argument', 'it cannot be read any more')
}

/**
 * Whether the file is still as it was chosen: a browser gives nothing of one that has changed on the disk.
 */
async function isReadable(source: UploadSource): Promise<boolean> {
  try {
    await (await source.slice(0, 1)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

function refusalIn({ status, text }: HttpAnswer): ContactError | null {
  if (!FINAL.has(status)) return null
  try {
    const { error } = JSON.parse(text) as {
      readonly error?: { readonly code?: unknown; readonly message?: unknown }
    }
    return isErrorCode(error?.code) ? new ContactError(error.code, String(error.message)) : null
  } catch {
    return null
  }
}
