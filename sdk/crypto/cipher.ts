/**
 * The ciphertext of encryption.md section 1: A256CBC-HS512 (RFC 7518 section 5.2), in base64
 *
 *   0x10 | slot of the writer (1) ‖ key id (8) ‖ IV (16) ‖ ciphertext (16·(⌊n/16⌋+1)) ‖ tag (32)
 *
 * The tag is compared before anything is decrypted.
 */
import AES from 'crypto-js/aes.js'
import CryptoJS from 'crypto-js/core.js'
import { ContactError } from '../../protocol/index.ts'
import type { JsonValue, Slot } from '../../protocol/index.ts'
import { base64, concat, fromBase64, utf8Bytes, utf8Text } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { equalBytes, hmacSha512 } from './hash.ts'

/** What one direction encrypts with. */
export interface CipherKeys {
  /** 32 bytes, of the tag. */
  readonly mac: Uint8Array
  /** 32 bytes, of AES. */
  readonly cipher: Uint8Array
}

/** A ciphertext taken apart; nothing of it is authenticated. */
export interface ParsedCiphertext {
  /** The party that wrote it. */
  readonly slot: Slot
  /** Id of its key, base64. */
  readonly key: string
  readonly iv: Bytes
  readonly body: Bytes
  readonly tag: Bytes
}

const VERSION = 0x10 // §1
const BLOCK = 16 // §1
const ID_AT = 1 // §1
const IV_AT = 9 // §1
const BODY_AT = 25 // §1
const TAG_BYTES = 32 // §1
/** An empty value with its kind. */
const FEWEST_BYTES = BODY_AT + BLOCK + TAG_BYTES // §1
const KEY_BYTES = 32 // §1
const KIND = { text: 0, json: 1 } as const // §1

/** One byte for each party. */
export const slotByte = (slot: Slot): number => (slot === 'visitor' ? 0 : 1) // §1

const tampered = (): ContactError =>
  new ContactError('tampered', 'unable to decrypt; the ciphertext is not what the owner of the key wrote')

function toWords(bytes: Uint8Array): CryptoJS.lib.WordArray {
  const words: number[] = []
  for (const [at, byte] of bytes.entries())
    words[at >>> 2] = (words[at >>> 2] ?? 0) | (byte << (24 - (at % 4) * 8))
  return CryptoJS.lib.WordArray.create(words, bytes.length)
}

function fromWords({ words, sigBytes }: CryptoJS.lib.WordArray): Bytes {
  return Uint8Array.from(
    { length: sigBytes },
    (_, at) => ((words[at >>> 2] ?? 0) >>> (24 - (at % 4) * 8)) & 0xff,
  )
}

/** PKCS#7 (RFC 5652 section 6.3) is written and checked here: crypto-js believes any padding. */
const NO_PADDING = { pad: () => {}, unpad: () => {} } // §1

function padded(bytes: Uint8Array): Bytes {
  const count = BLOCK - (bytes.length % BLOCK)
  return concat(bytes, new Uint8Array(count).fill(count))
}

function withoutPadding(bytes: Bytes): Bytes {
  const count = bytes.at(-1) ?? 0
  const isPadding = count >= 1 && count <= BLOCK && bytes.subarray(-count).every((byte) => byte === count)
  if (!isPadding) throw tampered() // §1
  return bytes.slice(0, -count)
}

/** RFC 7518 section 5.2.2.1: over AAD, IV, ciphertext and the AAD's length in bits. */
function tagOf(
  { mac }: CipherKeys,
  aad: Uint8Array,
  { iv, body }: Pick<ParsedCiphertext, 'iv' | 'body'>,
): Bytes {
  const bits = new Uint8Array(8)
  new DataView(bits.buffer).setBigUint64(0, BigInt(aad.length) * 8n)
  return hmacSha512(mac, concat(aad, iv, body, bits)).slice(0, TAG_BYTES) // §1
}

/** crypto-js takes keys of any length, and reads a string as a password. */
function checkKeys({ mac, cipher }: CipherKeys): void {
  if (mac.length !== KEY_BYTES || cipher.length !== KEY_BYTES) throw new RangeError('a key has 32 bytes') // §1
}

/** A256CBC-HS512 of RFC 7518: ciphertext and tag. */
export function encryptBytes(
  keys: CipherKeys,
  { iv, aad }: { readonly iv: Bytes; readonly aad: Uint8Array },
  plaintext: Uint8Array,
): { readonly body: Bytes; readonly tag: Bytes } {
  checkKeys(keys)
  const { ciphertext } = AES.encrypt(toWords(padded(plaintext)), toWords(keys.cipher), {
    iv: toWords(iv),
    padding: NO_PADDING,
  })
  const body = fromWords(ciphertext)
  return { body, tag: tagOf(keys, aad, { iv, body }) }
}

/** @throws {@link ContactError} `tampered` — the tag is another, or the padding is none */
export function decryptBytes(
  keys: CipherKeys,
  { iv, body, tag }: Pick<ParsedCiphertext, 'iv' | 'body' | 'tag'>,
  aad: Uint8Array,
): Bytes {
  checkKeys(keys)
  if (!equalBytes(tagOf(keys, aad, { iv, body }), tag)) throw tampered() // §1
  const words = AES.decrypt(
    CryptoJS.lib.CipherParams.create({ ciphertext: toWords(body) }),
    toWords(keys.cipher),
    { iv: toWords(iv), padding: NO_PADDING },
  )
  return withoutPadding(fromWords(words))
}

/** @throws {@link ContactError} `tampered` */
function valueOf(plaintext: Bytes): JsonValue {
  const text = utf8Text(plaintext.subarray(1))
  if (text === null) throw tampered() // §1
  if (plaintext[0] === KIND.text) return text
  if (plaintext[0] !== KIND.json) throw tampered() // §1
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw tampered() // §1
  }
}

/** Who encrypts, with what, and what for. */
export interface Sealing {
  readonly slot: Slot
  /** Id of the key, base64 of 8 bytes. */
  readonly key: string
  readonly keys: CipherKeys
  /** Says where the ciphertext stands; nowhere else it opens. */
  readonly aad: Uint8Array
  /** 16 random bytes. */
  readonly iv: Bytes
}

/**
 * Encrypts a text.
 * @returns base64
 * @throws {@link ContactError} `invalid_argument` — a text has a lone surrogate
 */
export const encryptText = (text: string, sealing: Sealing): string =>
  sealed(concat(Uint8Array.of(KIND.text), utf8Bytes(text)), sealing)

/** Encrypts a value as JSON; otherwise as `encryptText`. */
export const encryptJson = (value: JsonValue, sealing: Sealing): string =>
  sealed(concat(Uint8Array.of(KIND.json), utf8Bytes(JSON.stringify(value))), sealing)

function sealed(plaintext: Bytes, sealing: Sealing): string {
  const id = fromBase64(sealing.key)
  if (id?.length !== IV_AT - ID_AT || sealing.iv.length !== BODY_AT - IV_AT)
    throw new RangeError('an id has 8 bytes, an IV 16') // §1
  const { body, tag } = encryptBytes(sealing.keys, sealing, plaintext)
  return base64(concat(Uint8Array.of(VERSION | slotByte(sealing.slot)), id, sealing.iv, body, tag))
}

/** @throws {@link ContactError} `tampered` — no ciphertext of this version in canonical base64 */
export function parseCiphertext(text: string): ParsedCiphertext {
  const bytes = fromBase64(text)
  if (!bytes || bytes.length < FEWEST_BYTES || (bytes.length - FEWEST_BYTES) % BLOCK !== 0) throw tampered() // §1
  const [first = 0] = bytes
  if (first !== VERSION && first !== (VERSION | 1)) throw tampered() // §1
  return {
    slot: first === VERSION ? 'visitor' : 'agent',
    key: base64(bytes.subarray(ID_AT, IV_AT)),
    iv: bytes.slice(IV_AT, BODY_AT),
    body: bytes.slice(BODY_AT, -TAG_BYTES),
    tag: bytes.slice(-TAG_BYTES),
  }
}

/** @throws {@link ContactError} `tampered` */
export const decryptValue = (parsed: ParsedCiphertext, keys: CipherKeys, aad: Uint8Array): JsonValue =>
  valueOf(decryptBytes(keys, parsed, aad))
