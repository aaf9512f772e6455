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
export type Uploader = (file: Blob, job: UploadJob) => Promise<void>
