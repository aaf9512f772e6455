import { NoRoomError } from '../limits/no-room.ts'

interface Held {
  readonly size: number
  /** Bytes of it that have come. */
  written: number
}

/** How an upload goes. */
interface Course {
  /** Requests that bring bytes of it now. */
  writers: number
  /** When something of it came last. */
  moved: number
}

/**
 * The room of all files together. One that is announced has its whole size from then on, so that all that are
 * announced fit, however slowly they come.
 */
export class FileSpace {
  readonly #limit: number
  readonly #now: () => number
  readonly #held = new Map<string, Held & Course>()
  #total = 0
  #missing = 0

  constructor(limitBytes: number, now: () => number) {
    this.#limit = limitBytes
    this.#now = now
  }

  /** Bytes of all files, those that are still to come included. */
  get total(): number {
    return this.#total
  }

  /** Bytes that are still to come. */
  get missing(): number {
    return this.#missing
  }

  /** Counts a file that is there already. */
  add(id: string, held: Held): void {
    this.#held.set(id, { ...held, writers: 0, moved: this.#now() })
    this.#total += held.size
    this.#missing += held.size - held.written
  }

  /** Whether a file has its room, or there is enough. `freeBytes`: what the disk has for files. */
  fits(id: string, size: number, freeBytes: number): boolean {
    return this.#held.has(id) || (this.#total + size <= this.#limit && this.#missing + size <= freeBytes)
  }

  /** @throws {@link NoRoomError} */
  reserve(id: string, size: number, freeBytes: number): void {
    if (!this.fits(id, size, freeBytes)) throw new NoRoomError()
    if (!this.#held.has(id)) this.add(id, { size, written: 0 })
  }

  /** Uploads of which nothing has come for so long, and nothing comes now: the first of them first. */
  idle(forMs: number): readonly string[] {
    const before = this.#now() - forMs
    return [...this.#held]
      .filter(([, { size, written, writers, moved }]) => written < size && writers === 0 && moved <= before)
      .toSorted(([, one], [, other]) => one.moved - other.moved)
      .map(([id]) => id)
  }

  /** Bytes of a file begin to come. */
  writes(id: string): void {
    const held = this.#held.get(id)
    if (held) held.writers += 1
  }

  /** They have come: so many bytes of it are there now. */
  wrote(id: string, bytes: number): void {
    const held = this.#held.get(id)
    if (!held) return
    this.#missing -= bytes - held.written
    if (bytes > held.written) held.moved = this.#now()
    held.written = bytes
    held.writers = Math.max(0, held.writers - 1)
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
