import { createWriteStream } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { mkdir, open, opendir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { Upload } from '@tus/server'
import { NoRoomError } from '../limits/no-room.ts'
import { codeOf } from '../start-error.ts'
import { FileSpace } from './file-space.ts'
import type { Held } from './file-space.ts'
import { isElsewhere, isGone } from './upload-errors.ts'

/** What a file is announced with; null where there is none of this id. */
export type FindUpload = (id: string) => Promise<{ readonly size: number } | null>

/** Bytes of the files that are there as a whole, and the sizes of those that are announced, by id. */
export interface StoredSizes {
  readonly whole: number
  readonly open: ReadonlyMap<string, number>
}

export interface FolderParts {
  readonly find: FindUpload
  /** What the store has of all files. */
  readonly sizes: () => Promise<StoredSizes>
  /** Whether this process has the store for itself: nobody else announces files or sends bytes of them. */
  readonly isAlone: () => boolean
  /** Does something while no other node does. */
  readonly atOneNode: (work: () => Promise<void>) => Promise<void>
  /** Gives an upload up. */
  readonly drop: (id: string) => Promise<void>
  /** Whether the next bytes of an upload may be written here. */
  readonly mayWrite: (id: string) => boolean
  /** For all files together. */
  readonly spaceBytes: number
  readonly now: () => number
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])
/** Left free for the database and the rest of the machine: so much, and so much of the disk. */
const RESERVE_BYTES = 64 * 1024 * 1024
const RESERVE_PART = 0.05
/** Who has the store for itself counts so often: files that are removed make room. */
const COUNT_MS = 60_000
/** Where room is short, an upload without progress for so long makes way. */
const STALLED_MS = 10 * 60_000

/**
 * The folder of files, one for each id, as tus sees it. What is announced stands in the database; the size of
 * a file says how far its upload has come.
 */
export class FileFolder extends FileStore {
  readonly #parts: FolderParts
  readonly #space: FileSpace
  /** Requests that bring bytes of a file: at most one for each, as tus locks it. */
  readonly #writers = new Map<string, WriteStream>()
  #counted: Promise<void> | null = null
  #countedAt = Number.NEGATIVE_INFINITY
  /** The announcements before: among several nodes they find room one after the other. */
  #before: Promise<unknown> = Promise.resolve()

  constructor(directory: string, parts: FolderParts) {
    const get = async (id: string): Promise<Upload | undefined> => {
      const found = await parts.find(id)
      return found ? new Upload({ id, size: found.size, offset: 0 }) : undefined
    }
    super({ directory, configstore: { get, set: async () => {}, delete: async () => {} } })
    this.#parts = parts
    this.#space = new FileSpace(parts.spaceBytes, parts.now)
    this.extensions = ['termination']
  }

  pathOf = (id: string): string => join(this.directory, id)

  /** Bytes of all files, including those that have not arrived yet. */
  get total(): number {
    return this.#space.total
  }

  /**
   * Creates the file where there is none, and reserves room for it. Where room is short, stalled uploads are
   * given up. Of several nodes one at a time looks and reserves, so that no two take the same room.
   *
   * @throws {@link NoRoomError}
   */
  async prepare(id: string, size: number): Promise<void> {
    const { isAlone, atOneNode } = this.#parts
    if (isAlone()) return this.#prepare(id, size)
    const prepared = this.#before.then(() => atOneNode(() => this.#prepare(id, size)))
    this.#before = prepared.catch(() => {})
    return prepared
  }

  async #prepare(id: string, size: number): Promise<void> {
    try {
      await mkdir(this.directory, { recursive: true })
      // A count that has begun before may have missed what another node has reserved.
      if (!this.#parts.isAlone()) await this.#counted?.catch(() => {})
      if (!this.#parts.isAlone() || this.#parts.now() - this.#countedAt >= COUNT_MS) await this.count()
      const { bavail, bsize, blocks } = await statfs(this.directory)
      const freeBytes = bavail * bsize - Math.max(RESERVE_BYTES, blocks * bsize * RESERVE_PART)
      await this.#makeRoom(id, size, freeBytes)
      this.#space.reserve(id, size, freeBytes)
      await (await open(this.pathOf(id), 'a')).close()
    } catch (thrown) {
      if (FULL.has(codeOf(thrown))) throw new NoRoomError(thrown)
      throw thrown
    }
  }

  async #makeRoom(id: string, size: number, freeBytes: number): Promise<void> {
    if (this.#space.fits(id, size, freeBytes)) return
    await this.count()
    if (this.#space.fits(id, size, freeBytes)) return
    for (const stalled of this.#space.stalled(STALLED_MS)) {
      await this.#parts.drop(stalled)
      if (this.#space.fits(id, size, freeBytes)) return
    }
  }

  /** Counts what all nodes have. Who asks while it is being counted has the same answer. */
  count(): Promise<void> {
    this.#counted ??= this.#countAll().finally(() => (this.#counted = null))
    return this.#counted
  }

  /** An upload without a file has no room yet. */
  async #countAll(): Promise<void> {
    const before = this.#space.ids
    this.#countedAt = this.#parts.now()
    const { whole, open } = await this.#parts.sizes()
    const held = new Map<string, Held>()
    for (const [id, size] of open) {
      const written = await this.#sizeIfThere(id)
      if (written !== null) held.set(id, { size: Math.max(size, written), written })
    }
    this.#space.recount({ whole, open: held }, before)
  }

  async has(id: string): Promise<boolean> {
    return (await stat(this.pathOf(id)).catch(() => null)) !== null
  }

  async sizeOf(id: string): Promise<number> {
    return (await this.#sizeIfThere(id)) ?? 0
  }

  /** A folder that several nodes share tells what the others have written when a file is opened. */
  async #sizeIfThere(id: string): Promise<number | null> {
    const file = await open(this.pathOf(id), 'r').catch(() => null)
    if (!file) return null
    try {
      return (await file.stat()).size
    } finally {
      await file.close()
    }
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = await super.getUpload(id)
    upload.offset = await this.sizeOf(id)
    return upload
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(this.pathOf(id), { flags: 'r+', start: offset })
    this.#writers.set(id, file)
    try {
      await pipeline(readable, this.#counting(id, offset), file)
    } catch (thrown) {
      if (!FULL.has(codeOf(thrown))) throw thrown
      await this.#parts.drop(id)
      throw new NoRoomError(thrown)
    } finally {
      if (this.#writers.get(id) === file) this.#writers.delete(id)
      this.#space.wrote(id, await this.sizeOf(id))
    }
    return offset + file.bytesWritten
  }

  /** Counts the bytes of a file as they arrive, while they may be written here. */
  #counting(id: string, offset: number): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
    const space = this.#space
    const { mayWrite } = this.#parts
    return async function* counted(source) {
      let bytes = offset
      for await (const chunk of source) {
        if (!mayWrite(id)) throw isElsewhere()
        bytes += chunk.length
        space.wrote(id, bytes)
        yield chunk
      }
    }
  }

  /** The sender gives the upload up. */
  override remove(id: string): Promise<void> {
    return this.#parts.drop(id)
  }

  /** Removes a file. A request that still brings bytes of it ends. */
  async unlink(id: string): Promise<void> {
    this.#writers.get(id)?.destroy(isGone())
    await rm(this.pathOf(id), { force: true })
    this.#space.release(id)
  }

  /** Ids of all files that are there, some at a time. */
  async *slices(size = 1_000): AsyncGenerator<readonly string[]> {
    const files = await opendir(this.directory).catch(() => null)
    if (!files) return
    let ids: string[] = []
    for await (const { name } of files) {
      if (ids.push(name) < size) continue
      yield ids
      ids = []
    }
    if (ids.length > 0) yield ids
  }
}
