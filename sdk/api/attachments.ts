/** A file that the service has stored for the other party. */
export interface Attached {
  /** Identifies the file and its message: a later `ack` names it in `ref`. */
  readonly id: string
  /** Works for this party only, for a few minutes; see `attachmentUrl`. */
  readonly url: string
  readonly referenceId?: string
}

/** How a file is sent. */
export interface AttachOptions {
  /** Ends the upload, which rejects with `withdrawn`. */
  readonly signal?: AbortSignal
  /**
   * Told as bytes go out. Both are numbers of bytes; the first may fall back when the upload goes on after a
   * cut.
   */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void
}
