/** Bytes, their encodings, and the parts that authenticated data consists of (big-endian throughout). */
import util from 'tweetnacl-util'
import { ContactError } from '../../protocol/index.ts'

/** Bytes with a buffer of their own, as the Web Crypto API takes them. */
export type Bytes = Uint8Array<ArrayBuffer>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const LONE_SURROGATE = /\p{Cs}/u // §1

/** Fresh random bytes of the browser. */
export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** UTF-8 of a text that is known to be well-formed: labels, ids and names of the protocol. */
export const ascii = (text: string): Bytes => encoder.encode(text)

/**
 * UTF-8 of a text.
 * @throws {@link ContactError} `invalid_argument` — it has a lone surrogate, which UTF-8 cannot say
 */
export function utf8Bytes(text: string): Bytes {
  if (LONE_SURROGATE.test(text))
    // §1
    throw new ContactError('invalid_argument', 'unable to encrypt the text; it has a lone surrogate')
  return encoder.encode(text)
}

/** The text of UTF-8 bytes, or null where they are none. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** The bytes one after the other. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/**
 * Two bytes of length and the UTF-8 bytes of a text.
 * @throws {@link ContactError} `invalid_argument` — over 65,535 bytes
 */
export function lengthPrefixed(text: string): Bytes {
  const bytes = utf8Bytes(text)
  if (bytes.length > 0xffff)
    // §1
    throw new ContactError('invalid_argument', 'unable to encrypt; a name is too long')
  return concat(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes)
}

/** Four bytes. @throws {@link ContactError} `invalid_argument` — not a whole number of 0 to 2³² − 1 */
export function uint32(value: number): Bytes {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    // §1
    throw new ContactError('invalid_argument', `unable to encrypt; ${value} is no 32-bit number`)
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** Base64, standard alphabet, padded (RFC 4648 section 4). */
export const base64 = (bytes: Uint8Array): string => util.encodeBase64(bytes)

/** The bytes of base64 in its only form: alphabet, padding and unused bits zero. Null for anything else. */
export function fromBase64(text: string): Bytes | null {
  try {
    const bytes = Uint8Array.from(util.decodeBase64(text))
    return util.encodeBase64(bytes) === text ? bytes : null // §1
  } catch {
    return null
  }
}
