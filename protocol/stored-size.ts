/** Sizes of an encrypted file (https://c2sp.org/chunked-encryption, v1), bytes. */
export const ENCRYPTED_FILE = {
  /** Salt and commitment. */
  header: 56, // §8
  /** A part of the file that is encrypted by itself; the last one has fewer. */
  chunk: 16_384, // §8
  /** The tag of each chunk. */
  tag: 16, // §8
} as const

/** Bytes that are stored for a file of so many in a secure contact. */
export const storedSize = (size: number): number =>
  ENCRYPTED_FILE.header + size + ENCRYPTED_FILE.tag * (Math.floor(size / ENCRYPTED_FILE.chunk) + 1)
