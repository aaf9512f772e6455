import { LIMITS } from './limits.ts'
import type { Slot } from './media.ts'

/** What is known of a file that was sent. */
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
  /** Hexadecimal. */
  readonly sha256: string
}

/** Body of the entry that the service writes when a file is there as a whole. */
export interface AttachmentBody extends Omit<AttachmentMeta, 'ref'> {
  readonly slot: Slot
  readonly from: { readonly id: string; readonly nick?: string }
  /**
   * Where this reader gets the file, for a while; relative to the service. Not part of what is stored: the
   * service adds it whenever it sends the entry.
   */
  readonly url?: string
}

/** What files a service takes. */
export interface FileRules {
  /** Bytes. */
  readonly maxFileSize: number
  /** Media types such as `image/png`; an asterisk stands for any. */
  readonly types: readonly string[]
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

/** Whether a text is a media type without parameters (RFC 6838, 4.2). */
export const isMediaType = (text: string): boolean => text.length <= LIMITS.name && MEDIA_TYPE.test(text)

/** Whether a media type is one of those allowed. */
export function isAllowedType(types: readonly string[], mimetype: string): boolean {
  const wanted = mimetype.toLowerCase()
  return types.some(
    (type) =>
      type === '*/*' || type === wanted || (type.endsWith('/*') && wanted.startsWith(type.slice(0, -1))),
  )
}

/** What a file is taken for where nothing is known of it. */
export const UNKNOWN_TYPE = 'application/octet-stream'
