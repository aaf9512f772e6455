/** Signatures of an organisation over the keys of its agents (Ed25519, RFC 8032; encryption.md section 6). */
import nacl from 'tweetnacl'
import { ascii, concat, fromBase64, lengthPrefixed } from './bytes.ts'
import type { Bytes } from './bytes.ts'

/** What is signed: one key of one agent for one agreement. The commit is fresh, so it needs no date. */
export interface SignedShare {
  readonly contact: string
  readonly agent: string
  readonly agentSession: string
  readonly commit: Uint8Array
  readonly agentKey: Uint8Array
}

/** What an organisation's key server answers, base64. */
export interface AgentSignature {
  /** Its public key, 32 bytes. */
  readonly signer: string
  /** 64 bytes. */
  readonly signature: string
}

/** Order of the group (RFC 8032 section 5.1), little-endian as the second half of a signature. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n // §6
const SIGNATURE_BYTES = 64 // §6

/** The bytes to sign. */
export const shareToSign = ({ contact, agent, agentSession, commit, agentKey }: SignedShare): Bytes =>
  concat(
    ascii('duolog/1 agent key'), // §6
    lengthPrefixed(contact),
    lengthPrefixed(agent),
    lengthPrefixed(agentSession),
    commit,
    agentKey,
  )

const littleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

/**
 * Whether a trusted key has signed the share. A signature with S ≥ L is refused, as RFC 8032 section 5.1.7
 * demands and tweetnacl does not.
 * @param trustedKeys base64 of 32 bytes each
 */
export function isSigned(
  share: SignedShare,
  { signer, signature }: AgentSignature,
  trustedKeys: readonly string[],
): boolean {
  const [key, bytes] = [fromBase64(signer), fromBase64(signature)]
  if (!trustedKeys.includes(signer) || key?.length !== nacl.sign.publicKeyLength) return false // §6
  if (bytes?.length !== SIGNATURE_BYTES || littleEndian(bytes.subarray(32)) >= ORDER) return false // §6
  return nacl.sign.detached.verify(shareToSign(share), bytes, key)
}
