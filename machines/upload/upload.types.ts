import type { ErrorCode, UploadPlace } from '../../protocol/index.ts'

/** A file that the service has as a whole. */
export interface StoredFile {
  readonly id: string
  /** Relative to the service. */
  readonly url: string
}

/** Why an upload did not go on. */
export interface UploadFailure {
  readonly code: ErrorCode
  readonly message: string
  /** Of `rate_limited`: when it may be tried again, milliseconds, where the service has said it. */
  readonly retryAfterMs?: number
}

/** Context of the upload machine: plain data. */
export interface UploadContext {
  readonly place: UploadPlace | null
  readonly stored: StoredFile | null
  /** The last failure, or the one that ended it. */
  readonly failure: UploadFailure | null
  /** Failures since bytes have last arrived. */
  readonly failures: number
  /** So many bytes have gone out in this attempt. */
  readonly sentBytes: number
  /** The most that have gone out in any. */
  readonly mostBytes: number
}

/** What the upload machine is told. */
export type UploadEvent =
  /** So many bytes have gone out. */
  | { readonly type: 'upload.progress'; readonly sentBytes: number }
  /** Nobody wants it any more. */
  | { readonly type: 'upload.cancel' }
  /** The connection to the service is there again. */
  | { readonly type: 'link.online' }
