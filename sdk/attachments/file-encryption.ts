import type { Slot } from '../../protocol/index.ts'
import type { UploadSource } from './uploader.ts'

/** Bytes of what is told of an earlier contact, at most: the newest of it. */
export const HISTORY_BYTES = 1_048_576 // §3

/** A file as it is stored, and the key that opens it: base64 of 32 bytes. */
export interface EncryptedSource extends UploadSource {
  readonly key: string
}

/** How a stored file is opened. */
export interface FileOpening {
  /** Bytes of the file. */
  readonly size: number
  /** Makes them of the stored bytes, and fails with `tampered` where these are not what was stored. */
  readonly through: TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>
}

/** What files ask of the encryption of a secure contact. */
export interface FileEncryption {
  /** @throws {@link ContactError} `no_crypto` */
  encryptFile(file: Blob): Promise<EncryptedSource>
  /** @throws {@link ContactError} `no_crypto`, `not_found`, `invalid_key` — this page has not the key of its entry */
  openFile(id: string): FileOpening
  /** The newest file of a party in which it tells what was said before a transfer; null where there is none. */
  history(slot: Slot): string | null
}
