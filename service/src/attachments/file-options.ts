import type { S3Place } from './file-storage.ts'

/**
 * What the people who run the service choose about files. Sizes in bytes; 0 for the largest file: none may be
 * sent.
 */
export interface FileOptions {
  readonly folder: string
  /** Where they are instead; null: in the folder. */
  readonly s3: S3Place | null
  readonly maxBytes: number
  /** All files of one contact. */
  readonly contactBytes: number
  /** All that one visitor may send in 24 h. */
  readonly visitorBytes: number
  /** All files together. */
  readonly spaceBytes: number
  /** Media types; an asterisk stands for any. */
  readonly types: readonly string[]
  /** How long a download URL works. */
  readonly urlMs: number
  /** Where files are downloaded from, if not from the service's own origin. */
  readonly origin: string | null
}
