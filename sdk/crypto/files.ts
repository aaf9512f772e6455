/**
 * Encryption of files: https://c2sp.org/chunked-encryption (v1) with SHA-512 and AES-256-GCM, context
 * `duolog/1 file`.
 *
 *   salt (24) ‖ commitment (32) ‖ chunks of 16 KiB + 16, the last one of fewer
 *
 * Any chunk can be encrypted and opened by itself, so that an upload resumes at any offset with the same bytes.
 */
import { ContactError, ENCRYPTED_FILE } from '../../protocol/index.ts'
import { ascii, concat } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { equalBytes, hkdfExpand } from './hash.ts'

export { storedSize } from '../../protocol/index.ts'

/** Bytes of a chunk of the file; the last one has fewer. */
export const CHUNK = ENCRYPTED_FILE.chunk // §8
/** Bytes of the tag of each chunk. */
export const TAG = ENCRYPTED_FILE.tag // §8
/** Bytes of the salt. */
export const SALT = 24 // §8
/** Salt and commitment. */
const HEADER = ENCRYPTED_FILE.header // §8
const NONCE = 12 // §8
/** Bytes of the key of a file. */
export const KEY = 32 // §8
const AEAD = 'AEAD_AES_256_GCM' // §8
const CONTEXT = 'duolog/1 file' // §8

/**
 * Size of the file in so many stored bytes.
 * @throws {@link ContactError} `tampered` — no file has so many
 */
export function fileSize(stored: number): number {
  const last = (stored - HEADER) % (CHUNK + TAG)
  if (stored < HEADER + TAG || last < TAG) throw truncated() // §8
  return stored - HEADER - TAG * (Math.floor((stored - HEADER) / (CHUNK + TAG)) + 1)
}

const truncated = (): ContactError => new ContactError('tampered', 'unable to open the file; it is not whole')
const changed = (): ContactError =>
  new ContactError('tampered', 'unable to open the file; it is not what its sender stored')

/** What is derived from a file's key: key and nonces of its chunks, and what commits to both. */
interface Derived {
  readonly key: CryptoKey
  readonly baseNonce: Bytes
  readonly commitment: Bytes
}

/** What a file is encrypted with: 32 random bytes of its own, 24 random bytes, and what the key is for. */
interface FileSecret {
  readonly inputKey: Uint8Array
  readonly salt: Uint8Array
  readonly context?: string
}

async function derive(
  { subtle }: Pick<Crypto, 'subtle'>,
  { inputKey, salt, context = CONTEXT }: FileSecret,
): Promise<Derived> {
  const info = concat(
    ascii(`c2sp.org/chunked-encryption@v1+${AEAD}`), // §8
    new Uint8Array(1),
    salt,
    ascii(context),
  )
  const bytes = hkdfExpand(inputKey, info, KEY + NONCE + 32)
  const key = await subtle.importKey('raw', bytes.slice(0, KEY), 'AES-GCM', false, ['encrypt', 'decrypt'])
  return { key, baseNonce: bytes.slice(KEY, KEY + NONCE), commitment: bytes.slice(KEY + NONCE) }
}

/** The base nonce XOR the chunk's number, which fits its last eight bytes. */
function nonceOf(baseNonce: Bytes, chunk: number): Bytes {
  const nonce = baseNonce.slice()
  const last = new DataView(nonce.buffer, NONCE - 8)
  last.setBigUint64(0, last.getBigUint64(0) ^ BigInt(chunk)) // §8
  return nonce
}

/** Encrypts or opens the chunks of one file. */
export class FileCipher {
  /** Salt and commitment: the first 56 stored bytes. */
  readonly header: Bytes
  readonly #crypto: Pick<Crypto, 'subtle'>
  readonly #derived: Derived

  private constructor(crypto: Pick<Crypto, 'subtle'>, salt: Uint8Array, derived: Derived) {
    this.#crypto = crypto
    this.#derived = derived
    this.header = concat(salt, derived.commitment)
  }

  /** For a file that is to be stored. */
  static async forWriting(crypto: Pick<Crypto, 'subtle'>, secret: FileSecret): Promise<FileCipher> {
    if (secret.inputKey.length !== KEY || secret.salt.length !== SALT)
      throw new RangeError('a key has 32 bytes, a salt 24')
    return new FileCipher(crypto, secret.salt, await derive(crypto, secret))
  }

  /**
   * For a stored file.
   * @param header its first 56 bytes
   * @throws {@link ContactError} `tampered` — the header does not commit to this key
   */
  static async forReading(
    crypto: Pick<Crypto, 'subtle'>,
    { header, ...secret }: Omit<FileSecret, 'salt'> & { readonly header: Uint8Array },
  ): Promise<FileCipher> {
    if (secret.inputKey.length !== KEY || header.length !== HEADER) throw truncated() // §8
    const salt = header.slice(0, SALT)
    const derived = await derive(crypto, { ...secret, salt })
    if (!equalBytes(derived.commitment, header.subarray(SALT))) throw changed() // §8
    return new FileCipher(crypto, salt, derived)
  }

  /** A stored chunk: 16 KiB of the file, the last one fewer (also none), and 16 bytes of tag. */
  encrypt = async (chunk: number, plaintext: Bytes): Promise<Bytes> =>
    new Uint8Array(await this.#crypto.subtle.encrypt(this.#algorithm(chunk), this.#derived.key, plaintext))

  /** @throws {@link ContactError} `tampered` */
  async decrypt(chunk: number, stored: Bytes): Promise<Bytes> {
    const opened = await this.#crypto.subtle
      .decrypt(this.#algorithm(chunk), this.#derived.key, stored)
      .catch(() => {
        throw changed() // §8
      })
    return new Uint8Array(opened)
  }

  #algorithm(chunk: number): AesGcmParams {
    return { name: 'AES-GCM', iv: nonceOf(this.#derived.baseNonce, chunk), tagLength: TAG * 8 }
  }
}

/**
 * The stored bytes of a file from `start` to before `end`, one part after the other, made as they are asked for:
 * what is read, and what is made of it, is in memory.
 */
export async function storedParts(
  file: Blob,
  { header, encrypt }: Pick<FileCipher, 'header' | 'encrypt'>,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<readonly Bytes[]> {
  const stored = CHUNK + TAG
  const first = Math.floor(Math.max(0, start - HEADER) / stored)
  const behind = Math.min(Math.floor(file.size / CHUNK) + 1, Math.ceil(Math.max(0, end - HEADER) / stored))
  const plaintext = new Uint8Array(await file.slice(first * CHUNK, behind * CHUNK).arrayBuffer())
  const chunks = await Promise.all(
    Array.from({ length: Math.max(0, behind - first) }, (_, at) =>
      encrypt(first + at, plaintext.subarray(at * CHUNK, (at + 1) * CHUNK)),
    ),
  )
  const from = HEADER + first * stored
  const parts = chunks.map((chunk, at) => {
    const begin = from + at * stored
    return chunk.subarray(Math.max(0, start - begin), end - begin)
  })
  return [header.subarray(start, end), ...parts]
}

/** The same bytes together. */
export const storedSlice = async (...given: Parameters<typeof storedParts>): Promise<Bytes> =>
  concat(...(await storedParts(...given)))

/**
 * Opens a stored file while it comes. Nothing of the last chunk is passed on before the end has shown that it
 * is the last.
 */
export function openedFile(
  crypto: Pick<Crypto, 'subtle'>,
  inputKey: Uint8Array,
): TransformStream<Bytes, Bytes> {
  let cipher: FileCipher | null = null
  let waiting: Bytes = new Uint8Array()
  let chunk = 0
  /** Opens the whole chunks of what waits. */
  const open = async (reader: FileCipher): Promise<readonly Bytes[]> => {
    const whole = Math.floor(waiting.length / (CHUNK + TAG))
    const stored = Array.from({ length: whole }, (_, at) =>
      reader.decrypt(chunk + at, waiting.subarray(at * (CHUNK + TAG), (at + 1) * (CHUNK + TAG))),
    )
    const opened = await Promise.all(stored)
    waiting = waiting.slice(whole * (CHUNK + TAG))
    chunk += whole
    return opened
  }
  return new TransformStream({
    async transform(bytes, controller) {
      waiting = concat(waiting, bytes)
      if (!cipher) {
        if (waiting.length < HEADER) return
        cipher = await FileCipher.forReading(crypto, { inputKey, header: waiting.slice(0, HEADER) })
        waiting = waiting.slice(HEADER)
      }
      for (const opened of await open(cipher)) controller.enqueue(opened)
    },
    async flush(controller) {
      if (!cipher || waiting.length < TAG) throw truncated() // §8
      controller.enqueue(await cipher.decrypt(chunk, waiting))
    },
  })
}
