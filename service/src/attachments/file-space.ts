import { NoRoomError } from '../limits/no-room.ts'

export interface Held {
  readonly size: number
  /** Bytes of it that have arrived. */
  readonly written: number
}

/** The last progress of an upload: when it was, and how far the upload had come. */
interface Progress {
  at: number
  bytes: number
}

interface Known {
  readonly size: number
  written: number
  readonly progress: Progress
}

/** What counts as progress: this part of the file, at most this many bytes. */
const PROGRESS_PART = 1 / 100
const PROGRESS_BYTES = 640 * 1024

/** Files as the store and the folder have them. */
interface StoredFiles {
  /** Bytes of the files that are there as a whole. */
  readonly whole: number
  /** Uploads that have their room and are not whole. */
  readonly open: ReadonlyMap<string, Held>
}

/**
 * The room of all files together, of all nodes. A file takes its whole size from the moment it is announced, so
 * all announced files fit, however slowly they arrive.
 */
export class FileSpace {
  readonly #limit: number
  readonly #now: () => number
  readonly #held = new Map<string, Known>()
  /** Bytes of files that are counted together. */
  #whole = 0
  #total = 0
  #missing = 0

  constructor(limitBytes: number, now: () => number) {
    this.#limit = limitBytes
    this.#now = now
  }

  /** Bytes of all files, including those that have not arrived yet. */
  get total(): number {
    return this.#total
  }

  /** Bytes that have not arrived yet. */
  get missing(): number {
    return this.#missing
  }

  /** Counts a file that exists already. */
  add(id: string, held: Held): void {
    this.#held.set(id, { ...held, progress: { at: this.#now(), bytes: held.written } })
    this.#total += held.size
    this.#missing += held.size - held.written
  }

  /** Ids that it counts one by one. */
  get ids(): readonly string[] {
    return [...this.#held.keys()]
  }

  /** What it counts of an upload; null where it does not. */
  find(id: string): Held | null {
    return this.#held.get(id) ?? null
  }

  /** Counts anew. `before`: ids that it counted when the store was asked; later ones stay. */
  recount({ whole, open }: StoredFiles, before: readonly string[]): void {
    for (const id of before) if (!open.has(id)) this.release(id)
    this.#total += whole - this.#whole
    this.#whole = whole
    for (const [id, held] of open) {
      if (!this.#held.has(id)) this.add(id, held)
      this.wrote(id, held.written)
    }
  }

  /** Whether a file has its room already, or enough is left. `freeBytes`: what the disk has for files. */
  fits(id: string, size: number, freeBytes: number): boolean {
    return this.#held.has(id) || (this.#total + size <= this.#limit && this.#missing + size <= freeBytes)
  }

  /** @throws {@link NoRoomError} */
  reserve(id: string, size: number, freeBytes: number): void {
    if (!this.fits(id, size, freeBytes)) throw new NoRoomError()
    if (!this.#held.has(id)) this.add(id, { size, written: 0 })
  }

  /** Uploads that have made no progress for so long: the slowest first. A trickle of bytes is no progress. */
  stalled(forMs: number): readonly string[] {
    const before = this.#now() - forMs
    return [...this.#held]
      .filter(([, { size, written, progress }]) => written < size && progress.at <= before)
      .toSorted(([, one], [, other]) => one.progress.at - other.progress.at)
      .map(([id]) => id)
  }

  /** So many bytes of the file have arrived by now. */
  wrote(id: string, bytes: number): void {
    const held = this.#held.get(id)
    if (!held) return
    this.#missing -= bytes - held.written
    held.written = bytes
    if (bytes - held.progress.bytes < Math.min(PROGRESS_BYTES, held.size * PROGRESS_PART)) return
    held.progress.at = this.#now()
    held.progress.bytes = bytes
  }

  /** The file is gone. */
  release(id: string): void {
    const held = this.#held.get(id)
    if (!held) return
    this.#held.delete(id)
    this.#total -= held.size
    this.#missing -= held.size - held.written
  }
}
