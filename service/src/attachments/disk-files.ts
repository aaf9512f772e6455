import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, open, opendir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileStorage, Writing } from './file-storage.ts'

/** Left free for the database and the rest of the machine: so much, and so much of the disk. */
const RESERVE_BYTES = 64 * 1024 * 1024
const RESERVE_PART = 0.05
const CHUNK_BYTES = 256 * 1024

/** Files in a folder, which several nodes may share. */
export class DiskFiles implements FileStorage {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Null where the folder is there, or could be made, and takes files; else why not. */
  async check(): Promise<unknown> {
    try {
      await mkdir(this.#folder, { recursive: true })
      await access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK)
      return null
    } catch (cause) {
      return cause
    }
  }

  async free(): Promise<number> {
    await mkdir(this.#folder, { recursive: true })
    const { bavail, bsize, blocks } = await statfs(this.#folder)
    return bavail * bsize - Math.max(RESERVE_BYTES, blocks * bsize * RESERVE_PART)
  }

  async create(id: string): Promise<void> {
    await (await open(this.#pathOf(id), 'a')).close()
  }

  /** A folder that several nodes share tells what the others have written when a file is opened. */
  async sizeOf(id: string): Promise<number | null> {
    const file = await open(this.#pathOf(id), 'r').catch(() => null)
    if (!file) return null
    try {
      return (await file.stat()).size
    } finally {
      await file.close()
    }
  }

  async has(id: string): Promise<boolean> {
    return (await stat(this.#pathOf(id)).catch(() => null)) !== null
  }

  async write(id: string, { source, offset }: Writing): Promise<number> {
    const file = createWriteStream(this.#pathOf(id), { flags: 'r+', start: offset })
    await pipeline(source, file)
    return offset + file.bytesWritten
  }

  async whole(id: string): Promise<AsyncIterable<Uint8Array>> {
    const file = await open(this.#pathOf(id), 'r+')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    return createReadStream(this.#pathOf(id), { highWaterMark: CHUNK_BYTES })
  }

  /** By `@fastify/static`, which the routes of downloads register. */
  async send(id: string, _request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return reply.sendFile(id, this.#folder)
  }

  async remove(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true })
  }

  async *slices(size = 1_000): AsyncGenerator<readonly string[]> {
    const files = await opendir(this.#folder).catch(() => null)
    if (!files) return
    let ids: string[] = []
    for await (const { name } of files) {
      if (ids.push(name) < size) continue
      yield ids
      ids = []
    }
    if (ids.length > 0) yield ids
  }

  #pathOf(id: string): string {
    return join(this.#folder, id)
  }
}
