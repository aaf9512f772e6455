import { createWriteStream } from 'node:fs'
import { mkdir, open, opendir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { Upload } from '@tus/server'
import { NoRoomError } from '../limits/no-room.ts'
import { codeOf } from '../start-error.ts'

/** What a file is announced with; null where there is none of this id. */
export type FindUpload = (id: string) => Promise<{ readonly size: number } | null>

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])
/** Left free for the database and the rest of the machine. */
const RESERVE_BYTES = 64 * 1024 * 1024

/** The folder of files, one for each id, as tus sees it. What is announced stands in the database; the size of a file says how far its upload has come. */
export class FileFolder extends FileStore {
  readonly #drop: (id: string) => Promise<void>

  /** `drop` gives an upload up. */
  constructor(directory: string, find: FindUpload, drop: (id: string) => Promise<void>) {
    const get = async (id: string): Promise<Upload | undefined> => {
      const found = await find(id)
      return found ? new Upload({ id, size: found.size, offset: 0 }) : undefined
    }
    super({ directory, configstore: { get, set: async () => {}, delete: async () => {} } })
    this.#drop = drop
    this.extensions = ['termination']
  }

  pathOf = (id: string): string => join(this.directory, id)

  /** Makes the file where there is none. @throws {@link NoRoomError} */
  async prepare(id: string, size: number): Promise<void> {
    try {
      await mkdir(this.directory, { recursive: true })
      const { bavail, bsize } = await statfs(this.directory)
      if (bavail * bsize < size - (await this.sizeOf(id)) + RESERVE_BYTES) throw new NoRoomError()
      await (await open(this.pathOf(id), 'a')).close()
    } catch (thrown) {
      if (FULL.has(codeOf(thrown))) throw new NoRoomError(thrown)
      throw thrown
    }
  }

  async sizeOf(id: string): Promise<number> {
    const found = await stat(this.pathOf(id)).catch(() => null)
    return found?.size ?? 0
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(this.pathOf(id), { flags: 'r+', start: offset })
    try {
      await pipeline(readable, file)
    } catch (thrown) {
      if (!FULL.has(codeOf(thrown))) throw thrown
      await this.#drop(id)
      throw new NoRoomError(thrown)
    }
    return offset + file.bytesWritten
  }

  /** The sender does not want it any more. */
  override remove(id: string): Promise<void> {
    return this.#drop(id)
  }

  async unlink(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true })
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
