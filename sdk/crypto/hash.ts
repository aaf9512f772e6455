/** SHA-512, HMAC (RFC 2104) and HKDF (RFC 5869) over it, and a comparison in constant time. */
import nacl from 'tweetnacl'
import { concat } from './bytes.ts'
import type { Bytes } from './bytes.ts'

/** Bytes of a block of SHA-512. */
const BLOCK = 128 // §4
/** Bytes of its output. */
const OUTPUT = 64 // §4

/** SHA-512 (FIPS 180-4). */
export const sha512 = (bytes: Uint8Array): Bytes => Uint8Array.from(nacl.hash(bytes))

/** The first 32 bytes of SHA-512. */
export const sha512Half = (bytes: Uint8Array): Bytes => sha512(bytes).slice(0, 32)

/** HMAC-SHA-512, 64 bytes. */
export function hmacSha512(key: Uint8Array, message: Uint8Array): Bytes {
  const block = new Uint8Array(BLOCK)
  block.set(key.length > BLOCK ? sha512(key) : key)
  const inner = sha512(
    concat(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  )
  return sha512(
    concat(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  )
}

/** HKDF-Extract of a pseudorandom key, 64 bytes. */
export const hkdfExtract = (salt: Uint8Array, secret: Uint8Array): Bytes => hmacSha512(salt, secret)

/** HKDF-Expand to `length` bytes, 16,320 at most. */
export function hkdfExpand(key: Uint8Array, info: Uint8Array, length: number): Bytes {
  if (length > 255 * OUTPUT) throw new RangeError('HKDF gives 16,320 bytes at most')
  const output = new Uint8Array(length)
  let block: Bytes = new Uint8Array()
  for (let at = 0, count = 1; at < length; at += OUTPUT, count += 1) {
    block = hmacSha512(key, concat(block, info, Uint8Array.of(count)))
    output.set(block.subarray(0, length - at), at)
  }
  return output
}

/** Whether two byte strings are equal, in a time that their content does not change. */
export const equalBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.length > 0 && nacl.verify(one, other) // §1
