import { LIMITS } from './limits.ts'
import type { Slot } from './media.ts'

/** Metadata of a file that was sent. */
export interface AttachmentMeta {
  readonly id: string
  /** The sender's name of the file, made safe: no path, no control or direction characters. */
  readonly originalName: string
  /** Of images and PDF files by what they hold, else as the sender said. */
  readonly mimetype: string
  /** Bytes. */
  readonly size: number
  readonly desc?: string
  /** The sender's own name for it, repeated as it is. */
  readonly referenceId?: string
  /** The same as `referenceId`. */
  readonly ref?: string
  /** Of an image, in pixels. */
  readonly width?: number
  /** Of an image, in pixels. */
  readonly height?: number
  /** Of the stored bytes; hexadecimal. */
  readonly sha256: string
  /** In a secure contact: what is stored is encrypted, and only `openAttachment` gives the file. */
  readonly encrypted?: true
  /** What was said before a transfer, as the visitor's page of a secure contact tells it to the next agent. */
  readonly kind?: 'history'
}

/** Body of the entry that the service writes when the whole file is stored. */
export interface AttachmentBody extends Omit<AttachmentMeta, 'ref'> {
  readonly slot: Slot
  readonly from: { readonly id: string; readonly nick?: string }
  /**
   * Where this reader downloads the file, relative to the service; it expires. It is not stored: the service
   * adds it whenever it sends the entry.
   */
  readonly url?: string
}

/** Which files a service accepts. */
export interface FileRules {
  /** Bytes. */
  readonly maxFileSize: number
  /** Media types such as `image/png`; an asterisk matches any. */
  readonly types: readonly string[]
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

/** Whether a text is a media type without parameters (RFC 6838, 4.2). */
export const isMediaType = (text: string): boolean => text.length <= LIMITS.name && MEDIA_TYPE.test(text)
