/**
 * What crosses between the channels of two parties, over a direct connection as bytes and over the relay as
 * base64 of the same bytes.
 */

/**
 * A piece of one party's stream of a channel, or how far the other's has been read. Streams are numbered by
 * the party that writes them.
 */
export interface Frame {
  readonly kind: 'bytes' | 'ack'
  readonly stream: number
  /** Of the first byte; of an `ack`, number of bytes read. */
  readonly offset: number
  /** Empty for an `ack`. */
  readonly bytes: Uint8Array
}

/** Bytes of a frame before its content: kind, stream, offset. */
export const FRAME_HEAD = 13
const KINDS = ['bytes', 'ack'] as const

/** A frame as bytes; its content is copied from `parts`. */
export function encodeFrame(
  { kind, stream, offset }: Omit<Frame, 'bytes'>,
  parts: readonly Uint8Array[] = [],
): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(parts.reduce((size, { length }) => size + length, FRAME_HEAD))
  const head = new DataView(frame.buffer)
  head.setUint8(0, KINDS.indexOf(kind))
  head.setUint32(1, stream)
  head.setFloat64(5, offset)
  let at = FRAME_HEAD
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}

/** The frame in bytes from outside; nothing where it is none. */
export function decodeFrame(frame: Uint8Array): Frame | undefined {
  if (frame.length < FRAME_HEAD) return undefined
  const head = new DataView(frame.buffer, frame.byteOffset, FRAME_HEAD)
  const kind = KINDS[head.getUint8(0)]
  const offset = head.getFloat64(5)
  if (!kind || !Number.isSafeInteger(offset) || offset < 0) return undefined
  return { kind, stream: head.getUint32(1), offset, bytes: frame.subarray(FRAME_HEAD) }
}

const PIECE = 8_192

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}

/** Bytes of base64 from outside; nothing where it is none. */
export function fromBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
