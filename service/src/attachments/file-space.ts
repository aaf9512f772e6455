import { NoRoomError } from '../limits/no-room.ts'

interface Held {
  readonly size: number
  /** Bytes of it that have come. */
  written: number
}

/**
 * The room of all files together. One that is announced has its whole size from then on, so that all that are
 * announced fit, however slowly they come.
 */
export class FileSpace {
  readonly #limit: number
  readonly #held = new Map<string, Held>()
  #total = 0
  #missing = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
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
    this.#held.set(id, held)
    this.#total += held.size
    this.#missing += held.size - held.written
  }

  /** `freeBytes`: what the disk has for files. @throws {@link NoRoomError} */
  reserve(id: string, size: number, freeBytes: number): void {
    if (this.#held.has(id)) return
    if (this.#total + size > this.#limit || this.#missing + size > freeBytes) throw new NoRoomError()
    this.add(id, { size, written: 0 })
  }

  /** So many bytes of a file are there now. */
  wrote(id: string, bytes: number): void {
    const held = this.#held.get(id)
    if (!held) return
    this.#missing -= bytes - held.written
    held.written = bytes
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
