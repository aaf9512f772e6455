/** Files of a secure contact (encryption.md section 8). Loaded for secure contacts only. */
import { ContactError, isUnopened, safeFileName } from '../../protocol/index.ts'
import type { Entry, PartyEntry, Slot } from '../../protocol/index.ts'
import { fromBase64 } from '../crypto/bytes.ts'
import { EncryptedFile, requireSubtle } from '../crypto/encrypted-file.ts'
import { openedFile, storedSize } from '../crypto/files.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { HISTORY_BYTES } from './file-encryption.ts'
import type { EncryptedSource, FileEncryption, FileOpening } from './file-encryption.ts'

type EntryOf<T extends Entry['type']> = Extract<Entry, { readonly type: T }>

export interface SecureFilesOptions {
  /** An entry with its members decrypted; null: this page has not its key, or it is malformed. */
  readonly open: (entry: PartyEntry) => PartyEntry | null
  /** The other party, or the service, has told something of a file that cannot be so. */
  readonly onMalformed: () => void
}

/**
 * What is stored, as the service tells by `attachment`, and what its sender tells of it by `file`. The service's
 * entry tells nobody: it has no name and no type, and only its sender knows the key.
 */
export class SecureFiles implements FileEncryption {
  readonly #options: SecureFilesOptions
  readonly #stored = new Map<string, EntryOf<'attachment'>>()
  readonly #told = new Map<string, EntryOf<'file'>>()

  constructor(options: SecureFilesOptions) {
    this.#options = options
  }

  /** How many stored files nobody has told of. */
  get untold(): number {
    return this.#stored.size - this.#told.size
  }

  /** Hears of each entry of the log that was read, in order, also of those that are not told any more. */
  read({ entry, fact }: ReadEntry): void {
    if (fact.kind === 'void') return
    if (entry.type === 'attachment' && !this.#stored.has(entry.id)) this.#stored.set(entry.id, entry)
    if (entry.type === 'file' && this.#stored.has(entry.body.file) && !this.#told.has(entry.body.file))
      this.#told.set(entry.body.file, entry)
  }

  /**
   * What is told to the application of an entry that was read: of a file what its sender says, under the file's
   * id. Null: nothing.
   */
  told(read: ReadEntry): ReadEntry | null {
    const { entry, fact } = read
    if (entry.type === 'attachment') return null
    if (entry.type !== 'file' || fact.kind === 'void' || isUnopened(entry)) return read
    const attachment = this.#attachmentOf(entry)
    if (attachment) return { ...read, entry: attachment }
    this.#options.onMalformed()
    return null
  }

  history(slot: Slot): string | null {
    for (const [id, entry] of [...this.#told].toReversed()) {
      const opened = entry.slot !== slot ? null : isUnopened(entry) ? this.#options.open(entry) : entry
      if (opened?.type === 'file' && isHistory(opened.body.meta)) return id
    }
    return null
  }

  encryptFile(file: Blob): Promise<EncryptedSource> {
    return EncryptedFile.of(file)
  }

  openFile(id: string): FileOpening {
    const subtle = requireSubtle('open')
    const entry = this.#told.get(id)
    if (!entry) throw new ContactError('not_found', 'unable to open the file; nobody has told of it')
    const opened = isUnopened(entry) ? this.#options.open(entry) : entry
    const key = opened?.type === 'file' ? fromBase64(opened.body.meta.key) : null
    if (opened?.type !== 'file' || !key)
      throw new ContactError('invalid_key', 'unable to open the file; this page has not its key')
    return { size: opened.body.meta.size, through: openedFile(subtle, key) }
  }

  /** The entry that a plain contact has for such a file. */
  #attachmentOf({ seq, time, slot, from, body: { file, meta } }: EntryOf<'file'>): Entry | null {
    const stored = this.#stored.get(file)
    if (!stored || stored.body.slot !== slot || stored.body.size !== storedSize(meta.size)) return null // §8
    const { key: _key, kind: _kind, name, ...rest } = meta
    const told = { ...rest, ...(isHistory(meta) && { kind: 'history' as const }) }
    const { sha256, url } = stored.body
    const known = { id: file, sha256, ...(url !== undefined && { url }) }
    const body = { ...known, ...told, originalName: safeFileName(name), slot, from, encrypted: true as const }
    return { type: 'attachment', slot: 'service', seq, time, id: file, body }
  }
}

const isHistory = ({ kind, size }: EntryOf<'file'>['body']['meta']): boolean =>
  kind === 'history' && size <= HISTORY_BYTES
