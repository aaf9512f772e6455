/** A file as it is stored: encrypted anew wherever it is read, and equal each time (encryption.md 8). */
import { ContactError } from '../../protocol/index.ts'
import { base64 } from './bytes.ts'
import { CHUNK, FileCipher, KEY, SALT, TAG, storedSize, storedParts } from './files.ts'
import type { Bytes } from './bytes.ts'
import { equalBytes } from './hash.ts'

/** What a page has for it: `subtle` is missing where the page did not come over https. */
type PageCrypto = Pick<Crypto, 'getRandomValues'> & Partial<Pick<Crypto, 'subtle'>>

/**
 * The stored bytes of a file under a key of its own, as an upload reads them: in any parts, any number of times.
 * The tags of chunks made so far are kept: where the file has changed, a nonce would cover two plaintexts.
 */
export class EncryptedFile {
  /** The file's key, base64 of 32 bytes, as `meta` tells it. */
  readonly key: string
  /** Stored bytes. */
  readonly size: number
  readonly #file: Blob
  readonly #cipher: FileCipher
  readonly #tags: Uint8Array
  readonly #made: Uint8Array

  private constructor(file: Blob, cipher: FileCipher, inputKey: Uint8Array) {
    this.key = base64(inputKey)
    this.size = storedSize(file.size)
    this.#file = file
    this.#cipher = cipher
    this.#made = new Uint8Array(Math.floor(file.size / CHUNK) + 1)
    this.#tags = new Uint8Array(this.#made.length * TAG)
  }

  /** @throws {@link ContactError} `no_crypto` — the page has no `crypto.subtle` */
  static async of(file: Blob, crypto: PageCrypto = globalThis.crypto): Promise<EncryptedFile> {
    const subtle = requireSubtle('attach', crypto)
    const inputKey = crypto.getRandomValues(new Uint8Array(KEY))
    const salt = crypto.getRandomValues(new Uint8Array(SALT))
    return new EncryptedFile(file, await FileCipher.forWriting(subtle, { inputKey, salt }), inputKey)
  }

  /**
   * Stored bytes from `start` to before `end`.
   * @throws {@link ContactError} `invalid_argument` — the file has changed, or cannot be read any more
   */
  async slice(start: number, end: number): Promise<Blob> {
    const cipher = { header: this.#cipher.header, encrypt: this.#encrypt }
    return new Blob([...(await storedParts(this.#file, cipher, { start, end }).catch(unreadable))])
  }

  #encrypt = async (chunk: number, plaintext: Bytes): Promise<Bytes> => {
    const stored = await this.#cipher.encrypt(chunk, plaintext)
    const tag = stored.subarray(stored.length - TAG)
    const known = this.#tags.subarray(chunk * TAG, (chunk + 1) * TAG)
    if (this.#made[chunk] === 1 && !equalBytes(known, tag)) throw changed() // §8
    known.set(tag)
    this.#made[chunk] = 1
    return stored
  }
}

/** @throws {@link ContactError} `no_crypto` */
export function requireSubtle(
  operation: 'attach' | 'open',
  { subtle }: Partial<Pick<Crypto, 'subtle'>> = globalThis.crypto,
): Pick<Crypto, 'subtle'> {
  if (subtle) return { subtle } // §8
  throw new ContactError(
    'no_crypto',
    `unable to ${operation} the file; the browser encrypts only in pages that come over https`,
  )
}

const changed = (cause?: unknown): ContactError =>
  new ContactError('invalid_argument', 'unable to attach the file; it has changed since it was chosen', {
    cause,
  })

function unreadable(thrown: unknown): never {
  throw thrown instanceof ContactError ? thrown : changed(thrown)
}
