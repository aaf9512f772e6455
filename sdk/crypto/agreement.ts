/** Commitment, X25519 and the key schedule of an agreement (encryption.md sections 3 and 4). */
import nacl from 'tweetnacl'
import { ContactError } from '../../protocol/index.ts'
import { ascii, base64, concat, lengthPrefixed } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import type { CipherKeys } from './cipher.ts'
import { equalBytes, hkdfExpand, hkdfExtract, sha512, sha512Half } from './hash.ts'

/** An ephemeral key pair of X25519 (RFC 7748), 32 bytes each. Used for one commit or one share, never stored. */
export interface KeyPair {
  readonly publicKey: Bytes
  readonly secretKey: Bytes
}

/** Keys with which one party writes and the other reads. */
export interface DirectionKeys extends CipherKeys {
  /** 32 bytes, of the seals. */
  readonly seal: Bytes
}

/** Who agrees, and on what (the visitor's key is hidden behind its commitment until the agent's is known). */
export interface Transcript {
  readonly contact: string
  readonly visitorSession: string
  readonly agentSession: string
  readonly commit: Uint8Array
  readonly agentKey: Uint8Array
  readonly visitorKey: Uint8Array
  /** Id of the key that is resumed, base64 of 8 bytes, and its resume secret of 32 bytes. */
  readonly resumed: { readonly id: Uint8Array; readonly secret: Uint8Array } | null
}

/** What an agreement gives both parties. */
export interface AgreedKey {
  /** Base64 of 8 bytes. */
  readonly id: string
  readonly visitor: DirectionKeys
  readonly agent: DirectionKeys
  /** 32 bytes that the next agreement of these parties mixes in. */
  readonly resume: Bytes
  /** 6 bytes, of which people compare 42 bits. */
  readonly code: Bytes
}

const NOTHING_RESUMED = { id: new Uint8Array(8), secret: new Uint8Array(32) } // §4

/** A fresh key pair. @param secretKey 32 random bytes */
export function keyPair(secretKey: Uint8Array): KeyPair {
  const pair = nacl.box.keyPair.fromSecretKey(secretKey)
  return { publicKey: Uint8Array.from(pair.publicKey), secretKey: Uint8Array.from(pair.secretKey) }
}

/** What the visitor says of its key before it knows the agent's, 32 bytes. */
export const commitOf = (contact: string, visitorSession: string, visitorKey: Uint8Array): Bytes =>
  sha512Half(
    concat(
      ascii('duolog/1 commit'), // §4
      lengthPrefixed(contact),
      lengthPrefixed(visitorSession),
      visitorKey,
    ),
  )

/**
 * The secret of both key pairs, 32 bytes.
 * @throws {@link ContactError} `tampered` — a key of low order, which makes the secret zero (RFC 7748 section
 *   6.1), the own key, or no key
 */
export function sharedSecret(own: KeyPair, theirs: Uint8Array): Bytes {
  const refused = (): ContactError =>
    new ContactError('tampered', 'unable to agree on a key; that of the other party is refused')
  if (theirs.length !== nacl.box.publicKeyLength || equalBytes(own.publicKey, theirs)) throw refused() // §4
  const secret = Uint8Array.from(nacl.scalarMult(own.secretKey, theirs))
  if (secret.every((byte) => byte === 0)) throw refused() // §4
  return secret
}

/**
 * The schedule. Nothing that the service can choose after the share was written enters it: no number of an
 * entry and no time, else it could try places in the log until a code fits.
 */
export function deriveKey(secret: Uint8Array, transcript: Transcript): AgreedKey {
  const { contact, visitorSession, agentSession, commit, agentKey, visitorKey } = transcript
  const resumed = transcript.resumed ?? NOTHING_RESUMED
  const salt = sha512(
    concat(
      ascii('duolog/1 keys'), // §4
      lengthPrefixed(contact),
      lengthPrefixed(visitorSession),
      lengthPrefixed(agentSession),
      commit,
      agentKey,
      visitorKey,
      resumed.id,
    ),
  )
  const pseudorandom = hkdfExtract(salt, concat(secret, resumed.secret)) // §4
  const expand = (label: string, length: number): Bytes =>
    hkdfExpand(pseudorandom, ascii(`duolog/1 ${label}`), length) // §4
  const direction = (label: string): DirectionKeys => {
    const bytes = expand(label, 96) // §4
    return { seal: bytes.slice(0, 32), mac: bytes.slice(32, 64), cipher: bytes.slice(64) }
  }
  return {
    id: base64(expand('id', 8)), // §4
    visitor: direction('visitor'), // §4
    agent: direction('agent'), // §4
    resume: expand('resume', 32), // §4
    code: expand('code', 6), // §4
  }
}

/** A code as people compare it. */
export interface ComparedCode {
  /** 13 decimal digits. */
  readonly digits: string
  /** Seven numbers of 0 to 63: places in the list of symbols. */
  readonly symbols: readonly number[]
}

/** The first 42 bits of a code, twice. */
export function comparedCode(code: Uint8Array): ComparedCode {
  const bits = code.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n) >> 6n // §6
  return {
    digits: bits.toString().padStart(13, '0'), // §6
    // §6
    symbols: Array.from({ length: 7 }, (_, at) => Number((bits >> BigInt(6 * (6 - at))) & 63n)),
  }
}
