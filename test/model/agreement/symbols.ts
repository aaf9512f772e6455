/**
 * Symbolic primitives in the place of tweetnacl: public keys, secrets and signatures are bytes whose making is
 * remembered, so that what somebody can know follows from how it was made. Hashes are real.
 */
import { createHash } from 'node:crypto'
import type { Bytes } from '../../../sdk/crypto/bytes.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const digest = (name: string, ...parts: readonly Uint8Array[]): Bytes => {
  const hash = createHash('sha512').update(name)
  for (const part of parts) hash.update(part)
  return Uint8Array.from(hash.digest())
}

/** Random bytes of who runs now, the same in every replay. */
export class Randomness {
  readonly #name: string
  #count = 0

  constructor(name: string) {
    this.#name = name
  }

  /** Secrets of the key pairs that were made, by their public keys. */
  readonly pairs = new Map<string, string>()

  next(length: number): Bytes {
    return digest(`random ${this.#name} ${this.#count++}`).slice(0, length)
  }
}

let drawer: Randomness | null = null

/** Runs with the random bytes of somebody. */
export function drawing<T>(random: Randomness, run: () => T): T {
  const before = drawer
  drawer = random
  try {
    return run()
  } finally {
    drawer = before
  }
}

/** What was made of what. */
const secretOfPublic = new Map<string, string>()
const secretsOfShared = new Map<string, readonly [string, string]>()
const signed = new Set<string>()

const publicOf = (secret: Uint8Array): Bytes => {
  const made = digest('public', secret).slice(0, 32)
  secretOfPublic.set(hex(made), hex(secret))
  drawer?.pairs.set(hex(made), hex(secret))
  return made
}

/** X25519: the secret of two pairs is the same from either side; a key of low order gives zeros. */
function scalarMult(secret: Uint8Array, theirs: Uint8Array): Bytes {
  if (theirs.every((byte) => byte === 0)) return new Uint8Array(32)
  const other = secretOfPublic.get(hex(theirs))
  if (other === undefined) return digest('garbage', secret, theirs).slice(0, 32)
  const pair = [hex(secret), other].toSorted() as [string, string]
  const shared = digest('shared', Buffer.from(pair.join(''), 'hex')).slice(0, 32)
  secretsOfShared.set(hex(shared), pair)
  return shared
}

/** A signature of the organisation, whose secret nobody else has. */
export function signatureOf(message: Uint8Array, signer: Uint8Array): Bytes {
  const bytes = digest('signature', signer, message)
  bytes[63] = 0
  signed.add(hex(bytes))
  return bytes
}

/** Whether the service can work out the secret of two pairs: it has one of their secrets, or it is zero. */
export function isKnownShared(shared: Uint8Array, known: ReadonlySet<string>): boolean {
  if (shared.every((byte) => byte === 0)) return true
  return secretsOfShared.get(hex(shared))?.some((secret) => known.has(secret)) === true
}

/** Bytes by their name. */
export const nameOf = hex

/** What the production code takes for `crypto`. */
export const crypto = {
  getRandomValues: (into: Uint8Array): Uint8Array => {
    if (!drawer) throw new Error('nobody runs who may draw random bytes')
    into.set(drawer.next(into.length))
    return into
  },
}

/** As the production code imports it. */
export const nacl = {
  hash: (bytes: Uint8Array): Bytes => Uint8Array.from(createHash('sha512').update(bytes).digest()),
  verify: (one: Uint8Array, other: Uint8Array): boolean => hex(one) === hex(other),
  box: {
    publicKeyLength: 32,
    keyPair: {
      fromSecretKey: (secretKey: Uint8Array) => ({ publicKey: publicOf(secretKey), secretKey }),
    },
  },
  scalarMult,
  sign: {
    publicKeyLength: 32,
    detached: {
      verify: (message: Uint8Array, signature: Uint8Array, signer: Uint8Array): boolean => {
        const right = digest('signature', signer, message)
        right[63] = 0
        return signed.has(hex(signature)) && hex(right) === hex(signature)
      },
    },
  },
}
