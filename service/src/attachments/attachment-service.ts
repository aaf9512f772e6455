import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { ContactError, encryptedFile, storedSize, isAllowedType } from '../../../protocol/index.ts'
import type { Calls, Entry, FileRules } from '../../../protocol/index.ts'
import { tokenSubject } from '../auth/revocations.ts'
import type { Revoked } from '../auth/revocations.ts'
import { hasLeft, notFound } from '../contacts/index.ts'
import type { ContactChange } from '../contacts/index.ts'
import { serviceInsert } from '../log/entry-insert.ts'
import type { AttachmentRow, Tables } from '../store/tables.ts'
import { announce, isOver } from './upload-announcement.ts'
import type { Announcer, AnnouncingParts, UploadRequest } from './upload-announcement.ts'
import {
  agentsOf,
  bodyOf,
  dropUpload,
  findByRequest,
  findAttachment,
  findOpen,
  isSecure,
  noteToken,
  storedSizes,
  touch,
  whileReserving,
} from './attachment-rows.ts'
import { factsOf, settledType } from './file-facts.ts'
import type { FileStorage } from './file-storage.ts'
import { FileStore } from './file-store.ts'
import type { SignedLinks } from './signed-links.ts'
import type { Reader, Signature } from './signed-links.ts'
import { isGone } from './upload-errors.ts'
import { UploadLocks } from './upload-locks.ts'
import type { UploadNodes } from './upload-locks.ts'

export interface AttachmentParts extends AnnouncingParts {
  readonly db: Kysely<Tables>
  readonly storage: FileStorage
  readonly links: SignedLinks
  readonly nodes: UploadNodes
  /** This node's own monotonic time in milliseconds. */
  readonly monotonic: () => number
  readonly onFault: (thrown: unknown) => void
}

type Opened = Calls['attachment.open']['result']

/** Of what is encrypted nobody but its reader knows the type. */
const ANY_TYPE = ['*/*']
const UPLOAD_TOKEN_MS = 3_600_000
/** What is refused so never comes in. */
const GIVEN_UP: ReadonlySet<string> = new Set(['left', 'invalid_argument'])

/** Files of contacts: who may send and get which, and the entry that tells of each. */
export class AttachmentService {
  readonly files: FileStore
  /** Who takes the bytes of each upload. */
  readonly locks: UploadLocks
  readonly #parts: AttachmentParts
  readonly #finishing = new Map<string, Promise<AttachmentRow>>()

  constructor(parts: AttachmentParts) {
    this.#parts = parts
    const { db, options, clock, monotonic, random, onFault } = parts
    this.locks = new UploadLocks({ db, clock, monotonic, random, onFault, ...parts.nodes })
    const find = async (id: string): Promise<AttachmentRow | null> => (await findAttachment(db, id)) ?? null
    this.files = new FileStore(parts.storage, {
      find,
      sizes: () => storedSizes(db),
      isAlone: () => parts.nodes.isAlone(),
      atOneNode: (work) => whileReserving(db, work),
      drop: (id) => this.drop(id),
      mayWrite: (id) => this.locks.mayWrite(id),
      spaceBytes: options.spaceBytes,
      now: () => clock.now(),
    })
  }

  /** What may be sent, as the record of a contact tells it. */
  get rules(): { readonly files?: FileRules } {
    const { maxBytes, types } = this.#parts.options
    return maxBytes === 0 ? {} : { files: { maxFileSize: maxBytes, types } }
  }

  /**
   * Announces a file, or tells how one stands that was announced before. One that is whole is finished.
   *
   * @throws {@link ContactError} `not_supported`, `too_large`, `rate_limited`, `left`
   */
  async open(writer: Announcer, asked: UploadRequest): Promise<Opened> {
    const known = await findByRequest(this.#parts.db, { ...writer, request: asked.request })
    const row = known ?? (await this.#announce(writer, asked))
    if (row.seq !== null) return this.#stored(row)
    await this.files.prepare(row.id, row.size).catch(async (thrown: unknown) => {
      await this.drop(row.id)
      throw thrown
    })
    if ((await this.files.sizeOf(row.id)) >= row.size) return this.#stored(await this.finish(row.id))
    await touch(this.#parts.db, row.id, this.#parts.clock.now())
    if (writer.token !== null) await noteToken(this.#parts.db, row.id, writer.token)
    const { id } = row
    return {
      id,
      state: 'open',
      path: `/v1/uploads/${id}`,
      token: this.#parts.links.upload(id, UPLOAD_TOKEN_MS),
      expiresInMs: UPLOAD_TOKEN_MS,
    }
  }

  /**
   * Where a party gets a file of a contact that it may read.
   * @throws {@link ContactError} `not_found`, `left`
   */
  async url(reader: Reader, contact: string, id: string): Promise<Calls['attachment.url']['result']> {
    const row = await findAttachment(this.#parts.db, id)
    if (!row || row.seq === null || row.contact !== contact) throw notFound(contact)
    return { url: this.#urlFor(id, reader), expiresInMs: this.#parts.options.urlMs }
  }

  /** Entries as one party is sent them: each file with the URL that works for this party. */
  viewFor(reader: Reader): (entries: readonly Entry[]) => readonly Entry[] {
    const shown = (entry: Entry): Entry =>
      entry.type === 'attachment'
        ? { ...entry, body: { ...entry.body, url: this.#urlFor(entry.body.id, reader) } }
        : entry
    return (entries) => (entries.some((entry) => entry.type === 'attachment') ? entries.map(shown) : entries)
  }

  /**
   * Fails unless something may be uploaded to this id with this token.
   * @throws {@link ContactError} `unauthorized`, `left`
   */
  async checkUpload(id: string, token: string): Promise<void> {
    if (this.#parts.links.checkUpload(id, token) !== 'good')
      throw new ContactError(
        'unauthorized',
        'unable to take the file; the upload token is not valid, or not any more',
      )
    const row = await findAttachment(this.#parts.db, id)
    if (!row) throw isGone()
    if (row.seq !== null) return
    const contact = await this.#parts.db
      .selectFrom('contacts')
      .select(['life', 'agent'])
      .where('id', '=', row.contact)
      .executeTakeFirst()
    if (!contact || isOver(contact, row)) throw hasLeft()
    await touch(this.#parts.db, id, this.#parts.clock.now())
  }

  /** The file of a download URL. @throws {@link ContactError} `not_found`, `forbidden`, `left` */
  async checkDownload(id: string, signature: Signature): Promise<AttachmentRow> {
    const { db, links } = this.#parts
    const verdict = links.checkDownload(id, signature)
    if (verdict === 'forged')
      throw new ContactError('not_found', 'unable to give the file; there is nothing at this address')
    if (verdict === 'expired')
      throw new ContactError('forbidden', 'unable to give the file; its address was good for a while only')
    const row = await findAttachment(db, id)
    if (!row || row.seq === null || !(await this.files.storage.has(id))) throw isGone()
    const { visitor } = await db
      .selectFrom('contacts')
      .select('visitor')
      .where('id', '=', row.contact)
      .executeTakeFirstOrThrow()
    const readers: Reader[] = [
      { slot: 'visitor', principal: visitor },
      ...(await agentsOf(db, row.contact)).map((principal): Reader => ({ slot: 'agent', principal })),
    ]
    if (!readers.some((reader) => links.partyOf(reader) === signature.party))
      throw new ContactError(
        'forbidden',
        'unable to give the file; this party has no part in the contact any more',
      )
    return row
  }

  /**
   * Writes the entry of a file that is whole, once.
   * @throws {@link ContactError} `left`, `not_supported`, `not_found`
   */
  finish(id: string): Promise<AttachmentRow> {
    const running = this.#finishing.get(id) ?? this.#finish(id).finally(() => this.#finishing.delete(id))
    this.#finishing.set(id, running)
    return running
  }

  /** Gives up an upload. A file that is whole stays. */
  async drop(id: string): Promise<void> {
    await dropUpload(this.#parts.db, id)
    if (!(await findAttachment(this.#parts.db, id))) await this.files.unlink(id)
  }

  /** Gives up the unfinished uploads of a party, or of one token: their upload tokens are void. */
  giveUp({ use, id }: Revoked): Promise<void> {
    return this.#giveUp(use === 'token' ? { token: tokenSubject(id) } : { slot: use, principal: id })
  }

  /** Gives up every unfinished upload: a signing key was stolen, which may have announced any of them. */
  giveUpAll(): Promise<void> {
    return this.#giveUp('all')
  }

  async #giveUp(of: Parameters<typeof findOpen>[1]): Promise<void> {
    for (const upload of await findOpen(this.#parts.db, of)) await this.drop(upload)
  }

  /** Removes files whose rows are gone. */
  async unlink(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.files.unlink(id)
  }

  /** Removes the files that nothing tells of any more. */
  async sweep(): Promise<void> {
    for await (const ids of this.files.storage.slices()) {
      const { rows } = await sql<{ id: string }>`select id from attachments where id = any(${ids})`.execute(
        this.#parts.db,
      )
      const known = new Set(rows.map((row) => row.id))
      await this.unlink(ids.filter((id) => !known.has(id)))
    }
    await this.files.count()
  }

  async #announce(writer: Announcer, asked: UploadRequest): Promise<AttachmentRow> {
    if (!(await isSecure(this.#parts.db, writer.contact))) return announce(this.#parts, writer, asked)
    const { options } = this.#parts
    // The limit is that of the file; what is stored of it is larger.
    const maxBytes = options.maxBytes === 0 ? 0 : storedSize(options.maxBytes)
    const parts = { ...this.#parts, options: { ...options, types: ANY_TYPE, maxBytes } }
    return announce(parts, writer, encryptedFile(asked))
  }

  async #finish(id: string): Promise<AttachmentRow> {
    const { db, change, options } = this.#parts
    const row = await findAttachment(db, id)
    if (!row) throw isGone()
    if (row.seq !== null) return row
    const isEncrypted = await isSecure(db, row.contact)
    const { mimetype: found, ...facts } = await factsOf(
      await this.files.storage.whole(id, row.size),
      isEncrypted,
    )
    const mimetype = settledType(row.mimetype, found)
    if (!isEncrypted && !isAllowedType(options.types, mimetype)) {
      await this.drop(id)
      throw new ContactError(
        'not_supported',
        'unable to take the file; what it holds is of a type that may not be sent',
      )
    }
    try {
      return await change(row.contact, (open) => writeEntry(open, { ...row, ...facts, mimetype }))
    } catch (thrown) {
      if (thrown instanceof ContactError && GIVEN_UP.has(thrown.code)) await this.drop(id)
      throw thrown
    }
  }

  #stored(row: AttachmentRow): Opened {
    return { id: row.id, state: 'stored', seq: row.seq ?? 0, url: this.#urlFor(row.id, row) }
  }

  #urlFor(id: string, reader: Reader): string {
    const { links, options } = this.#parts
    return `${options.origin ?? ''}/v1/attachments/${id}?${links.download(id, reader, options.urlMs)}`
  }
}

async function writeEntry(change: ContactChange, row: AttachmentRow): Promise<AttachmentRow> {
  const { id, contact } = row
  const now = await findAttachment(change.trx, id)
  if (!now) throw isGone()
  if (now.seq !== null) return now
  if (isOver(change.row, row)) throw hasLeft()
  const [outcome] = await change.append([serviceInsert({ contact, id }, 'attachment', bodyOf(row))])
  if (outcome?.fault === 'taken')
    throw new ContactError('invalid_argument', 'unable to take the file; another entry has its id')
  if (outcome?.seq === null || outcome === undefined)
    throw new ContactError('internal', 'unable to take the file; its entry could not be written')
  const { mimetype, sha256, width, height } = row
  const { seq } = outcome
  await change.trx
    .updateTable('attachments')
    .set({ seq, mimetype, sha256, width, height })
    .where('id', '=', id)
    .execute()
  return { ...row, seq }
}
