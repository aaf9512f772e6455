import { ContactError, UNKNOWN_TYPE, encryptedFile, storedSize, isAllowedType } from '../protocol/index.ts'
import type { AttachmentBody, Calls, FileRules } from '../protocol/index.ts'
import type { Uploader } from '../sdk/attachments/uploader.ts'
import type { MemoryContact } from './memory-contact.ts'
import type { Party } from './party.ts'
import { awaited } from './test-clock.ts'

type Asked = Omit<Calls['attachment.open']['args'], 'contact' | 'session'>

interface MemoryFile {
  readonly id: string
  readonly contact: MemoryContact
  readonly party: Party
  readonly asked: Asked
  readonly chunks: Uint8Array<ArrayBuffer>[]
  seq: number | null
  sha256: string
}

/** What becomes of a part of an upload: it arrives, or the connection is cut before it does. */
export type PartFate = 'pass' | 'cut'

const LIFE_MS = 300_000
const PART_BYTES = 65_536
const MEBIBYTE = 1_048_576

/** Files of the service in memory. Their download URLs are `data:` URLs. */
export class MemoryFiles {
  readonly #files = new Map<string, MemoryFile>()
  /** What may be sent. */
  rules: FileRules = { maxFileSize: 16 * MEBIBYTE, types: ['*/*'] }
  /** Asked before each part of 64 KiB. */
  onPart: (party: Party, offsetBytes: number) => PartFate = () => 'pass'

  /** Announces a file, or tells how it stands. */
  open(contact: MemoryContact, party: Party, asked: Asked): Calls['attachment.open']['result'] {
    const known = [...this.#files.values()].find(
      (file) =>
        file.contact === contact && file.party.id === party.id && file.asked.request === asked.request,
    )
    const file = known ?? this.#announce(contact, party, asked)
    const { id, seq } = file
    return seq === null
      ? { id, state: 'open', path: `/v1/uploads/${id}`, token: id, expiresInMs: LIFE_MS }
      : { id, state: 'stored', seq, url: urlOf(file) }
  }

  /** Where a file of the contact is. */
  url(contact: MemoryContact, id: string): Calls['attachment.url']['result'] {
    const file = this.#files.get(id)
    if (file?.contact !== contact || file.seq === null)
      throw new ContactError('not_found', 'unable to find the file; there is none of this id')
    return { url: urlOf(file), expiresInMs: LIFE_MS }
  }

  /** An entry as it is sent, with its URL. */
  shown = <T extends { readonly type: string; readonly body: unknown }>(entry: T): T => {
    const file = entry.type === 'attachment' ? this.#files.get((entry.body as AttachmentBody).id) : undefined
    return file ? { ...entry, body: { ...(entry.body as AttachmentBody), url: urlOf(file) } } : entry
  }

  /** Takes what of a file is missing yet, part by part, as an upload by tus would bring it. */
  upload: Uploader = async (source, { url, cancelled, stopped, onProgress }) => {
    const stored = this.#files.get(url.split('/').at(-1) ?? '')
    if (!stored) throw new ContactError('not_found', 'unable to upload the file; it was not announced')
    for (let offset = sizeOf(stored); offset < source.size; offset = sizeOf(stored)) {
      if (this.onPart(stored.party, offset) === 'cut')
        throw new ContactError('offline', 'unable to upload the file; the connection was lost')
      const slice = await awaited(Promise.resolve(source.slice(offset, offset + PART_BYTES)))
      const part = new Uint8Array(await awaited(slice.arrayBuffer()))
      if (cancelled.aborted) return this.#drop(stored)
      if (stopped.aborted) return
      stored.chunks.push(part)
      onProgress(offset + part.length)
    }
    await this.#finish(stored)
  }

  #announce(contact: MemoryContact, party: Party, asked: Asked): MemoryFile {
    const { secure } = contact.record(party.slot)
    const { maxFileSize } = this.rules
    if (asked.size > (secure ? storedSize(maxFileSize) : maxFileSize))
      throw new ContactError('too_large', 'unable to take the file; it is too large')
    if (!secure && !isAllowedType(this.rules.types, asked.mimetype))
      throw new ContactError('not_supported', 'unable to take the file; files of this type may not be sent')
    const file: MemoryFile = {
      id: `file-${this.#files.size + 1}`,
      contact,
      party,
      asked: secure ? encryptedFile(asked) : asked,
      chunks: [],
      seq: null,
      sha256: '',
    }
    this.#files.set(file.id, file)
    return file
  }

  #drop(file: MemoryFile): void {
    if (file.seq === null) this.#files.delete(file.id)
  }

  async #finish(file: MemoryFile): Promise<void> {
    const bytes = await awaited(new Blob(file.chunks).arrayBuffer())
    const digest = await awaited(crypto.subtle.digest('SHA-256', bytes))
    file.sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
    file.seq ??= file.contact.attach(bodyOf(file))
  }
}

const sizeOf = ({ chunks }: MemoryFile): number => chunks.reduce((sum, { length }) => sum + length, 0)

function bodyOf({ id, party, asked, sha256 }: MemoryFile): AttachmentBody {
  const { name, mimetype, size, desc, referenceId } = asked
  return {
    ...{
      id,
      slot: party.slot,
      from: { id: party.id, ...(party.nick !== undefined && { nick: party.nick }) },
      originalName: name,
      mimetype: mimetype || UNKNOWN_TYPE,
      size,
      sha256,
    },
    ...(desc !== undefined && { desc }),
    ...(referenceId !== undefined && { referenceId }),
  }
}

function urlOf({ chunks, asked }: MemoryFile): string {
  const text = chunks.map((chunk) => Array.from(chunk, (byte) => String.fromCharCode(byte)).join('')).join('')
  return `data:${asked.mimetype};base64,${btoa(text)}`
}
