/** A file that the service has stored for the other party. */
export interface Attached {
  /** Identifies the file and its message: a later `ack` names it in `ref`. */
  readonly id: string
  /** Works for this party only, for a few minutes; see `attachmentUrl`. */
  readonly url: string
  readonly referenceId?: string
}

/** How a file is followed and ended on its way. */
export interface TransferOptions {
  /** Ends it: the operation rejects with `withdrawn`. */
  readonly signal?: AbortSignal
  /** Told as bytes go. Both are numbers of bytes of the file. */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void
}

/** How a file is sent. The progress may fall back when the upload goes on after a cut. */
export type AttachOptions = TransferOptions

/** How a file is opened. The total is 0 where it is not known. */
export type OpenOptions = TransferOptions
