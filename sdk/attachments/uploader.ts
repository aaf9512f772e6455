/** What is uploaded. Any part of it can be read, any number of times, with the same bytes; a `Blob` is one. */
export interface UploadSource {
  /** Bytes. */
  readonly size: number
  /**
   * The bytes from `start` to before `end`. Rejects with a `ContactError` where that is final; a `Blob` that
   * cannot be read says so when its bytes are taken.
   */
  readonly slice: (start: number, end: number) => Blob | Promise<Blob>
}

/** One upload to a place that the service has given. */
export interface UploadJob {
  readonly url: string
  readonly token: string
  /** Ends the upload; what was uploaded is given up. */
  readonly cancelled: AbortSignal
  /** Ends the attempt; the upload may be gone on with. */
  readonly stopped: AbortSignal
  readonly onProgress: (sentBytes: number) => void
}

/**
 * Uploads what the service has not got of a file yet. Rejects with a `ContactError`: `offline`, `timeout` and
 * `internal` may be tried again.
 */
export type Uploader = (source: UploadSource, job: UploadJob) => Promise<void>
