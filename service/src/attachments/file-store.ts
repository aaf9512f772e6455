import { Transform, pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { DataStore, Upload } from '@tus/server'
import { ContactError } from '../../../protocol/index.ts'
import { NoRoomError } from '../limits/no-room.ts'
import { codeOf } from '../start-error.ts'
import { FileSpace } from './file-space.ts'
import type { Held } from './file-space.ts'
import type { FileStorage } from './file-storage.ts'
import { isElsewhere, isGone } from './upload-errors.ts'

/** What a file is announced with; null where there is none of this id. */
export type FindUpload = (id: string) => Promise<{ readonly size: number } | null>

/** Bytes of the files that are there as a whole, and the sizes of those that are announced, by id. */
export interface StoredSizes {
  readonly whole: number
  readonly open: ReadonlyMap<string, number>
}

export interface FileParts {
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
/** Who has the store for itself counts so often: files that are removed make room. */
const COUNT_MS = 60_000
/** Where room is short, an upload without progress for so long makes way. */
const STALLED_MS = 10 * 60_000
/** Uploads whose bytes are asked for at the same time. */
const ASKED_AT_ONCE = 16

/**
 * The files, as tus sees them. What is announced stands in the database; the size of a file says how far its
 * upload has come.
 */
export class FileStore extends DataStore {
  readonly storage: FileStorage
  readonly #parts: FileParts
  readonly #space: FileSpace
  /** Requests that bring bytes of a file: at most one for each, as tus locks it. */
  readonly #sources = new Map<string, Readable>()
  #counted: Promise<void> | null = null
  #countedAt = Number.NEGATIVE_INFINITY
  /** The announcements before: among several nodes they find room one after the other. */
  #before: Promise<unknown> = Promise.resolve()

  constructor(storage: FileStorage, parts: FileParts) {
    super()
    this.storage = storage
    this.#parts = parts
    this.#space = new FileSpace(parts.spaceBytes, parts.now)
    this.extensions = ['termination']
  }

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
      const freeBytes = await this.storage.free()
      const recount = await (this.#parts.isAlone() ? this.#countAtTimes() : this.#countAtTurn())
      await this.#makeRoom({ id, size, freeBytes, recount })
      this.#space.reserve(id, size, freeBytes)
      await this.storage.create(id, size)
    } catch (thrown) {
      if (FULL.has(codeOf(thrown))) throw new NoRoomError(thrown)
      throw thrown
    }
  }

  /** Gives what counts anew where room is short. */
  async #countAtTimes(): Promise<Recount> {
    if (this.#parts.now() - this.#countedAt < COUNT_MS) return () => this.count()
    await this.count()
    return async () => {}
  }

  /**
   * While other nodes wait, the storage is asked about uploads that this node does not know yet; about all of
   * them where room is short.
   */
  async #countAtTurn(): Promise<Recount> {
    // A count that has begun before may have missed what another node has reserved.
    await this.#counted?.catch(() => {})
    const before = this.#space.ids
    const sizes = await this.#parts.sizes()
    await this.#recount(sizes, before, (id) => this.#space.find(id))
    return () => this.#recount(sizes, before)
  }

  async #makeRoom({ id, size, freeBytes, recount }: RoomAsked): Promise<void> {
    const fits = (): boolean => this.#space.fits(id, size, freeBytes)
    if (fits()) return
    await recount()
    if (fits()) return
    for (const stalled of this.#space.stalled(STALLED_MS)) {
      await this.#parts.drop(stalled)
      if (fits()) return
    }
  }

  /** Counts what all nodes have. Who asks while it is being counted has the same answer. */
  count(): Promise<void> {
    this.#counted ??= this.#countAll().finally(() => (this.#counted = null))
    return this.#counted
  }

  async #countAll(): Promise<void> {
    const before = this.#space.ids
    this.#countedAt = this.#parts.now()
    await this.#recount(await this.#parts.sizes(), before)
  }

  /** An upload without a file has no room yet. The storage is asked about uploads that are not `known`. */
  async #recount(
    { whole, open }: StoredSizes,
    before: readonly string[],
    known: (id: string) => Held | null = () => null,
  ): Promise<void> {
    const held = new Map<string, Held>()
    const asked = open.entries()
    const askOn = async (): Promise<void> => {
      for (const [id, size] of asked) {
        const written = known(id)?.written ?? (await this.storage.sizeOf(id))
        if (written !== null) held.set(id, { size: Math.max(size, written), written })
      }
    }
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askOn))
    this.#space.recount({ whole, open: held }, before)
  }

  async sizeOf(id: string): Promise<number> {
    return (await this.storage.sizeOf(id)) ?? 0
  }

  override async getUpload(id: string): Promise<Upload> {
    const found = await this.#parts.find(id)
    if (!found) throw isGone()
    const offset = await this.storage.sizeOf(id)
    if (offset === null) throw isGone()
    return new Upload({ id, size: found.size, offset })
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const source = this.#counting(readable, id, offset)
    this.#sources.set(id, source)
    let arrived: number | null = null
    try {
      arrived = await this.storage.write(id, { source, offset, mayWrite: () => this.#parts.mayWrite(id) })
      return arrived
    } catch (thrown) {
      // What has ended the source says why.
      if (source.errored instanceof ContactError) throw source.errored
      if (!FULL.has(codeOf(thrown))) throw thrown
      await this.#parts.drop(id)
      throw new NoRoomError(thrown)
    } finally {
      if (this.#sources.get(id) === source) this.#sources.delete(id)
      await this.#wrote(id, arrived)
    }
  }

  /** Where the upload was given up meanwhile, nothing of it stays. */
  async #wrote(id: string, arrived: number | null): Promise<void> {
    if (await this.#parts.find(id)) this.#space.wrote(id, arrived ?? (await this.sizeOf(id)))
    else await this.unlink(id)
  }

  /** Counts the bytes of a file as they arrive, while they may be written here. */
  #counting(readable: Readable, id: string, offset: number): Readable {
    let bytes = offset
    const counting = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (!this.#parts.mayWrite(id)) return done(isElsewhere())
        bytes += chunk.length
        this.#space.wrote(id, bytes)
        done(null, chunk)
      },
    })
    // Who reads it hears of an error.
    return pipeline(readable, counting, () => {})
  }

  /** The sender gives the upload up. */
  override remove(id: string): Promise<void> {
    return this.#parts.drop(id)
  }

  /** Removes a file. A request that still brings bytes of it ends. */
  async unlink(id: string): Promise<void> {
    this.#sources.get(id)?.destroy(isGone())
    await this.storage.remove(id)
    this.#space.release(id)
  }
}

interface RoomAsked {
  readonly id: string
  readonly size: number
  readonly freeBytes: number
  readonly recount: Recount
}

type Recount = () => Promise<void>
