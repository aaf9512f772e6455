interface Piece {
  readonly start: number
  readonly bytes: Uint8Array
}

/**
 * What this party writes into a channel: kept until the other side has read it, taken in pieces of any size.
 */
export class OutStream {
  #pieces: Piece[] = []
  /** Index of the piece that has the next byte to send. */
  #at = 0
  #end = 0
  #next = 0
  /** Highest byte ever sent. */
  #sent = 0
  #acked = 0

  /** Bytes written so far. */
  get size(): number {
    return this.#end
  }

  /** Bytes that the other side has not acknowledged. */
  get pending(): number {
    return this.#end - this.#acked
  }

  /** Bytes on their way. */
  get underWay(): number {
    return this.#next - this.#acked
  }

  get hasMore(): boolean {
    return this.#next < this.#end
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push({ start: this.#end, bytes })
    this.#end += bytes.length
  }

  /** The next bytes, `limit` at most. */
  take(limit: number): { readonly offset: number; readonly parts: readonly Uint8Array[] } {
    const offset = this.#next
    const stop = Math.min(this.#end, offset + limit)
    const parts: Uint8Array[] = []
    while (this.#next < stop) {
      const piece = this.#pieces[this.#at]
      if (!piece) break
      const part = piece.bytes.subarray(this.#next - piece.start, stop - piece.start)
      parts.push(part)
      this.#next += part.length
      if (this.#next === piece.start + piece.bytes.length) this.#at++
    }
    this.#sent = Math.max(this.#sent, this.#next)
    return { offset, parts }
  }

  /** The other side has read so many bytes. */
  acknowledge(read: number): void {
    this.#acked = Math.max(this.#acked, Math.min(read, this.#sent))
    const kept = this.#pieces.findIndex(({ start, bytes }) => start + bytes.length > this.#acked)
    const done = kept < 0 ? this.#pieces.length : kept
    this.#pieces.splice(0, done)
    this.#at = Math.max(0, this.#at - done)
    if (this.#next < this.#acked) this.#rewindTo(this.#acked)
  }

  /** Everything that is not acknowledged is to be sent again. */
  rewind = (): void => this.#rewindTo(this.#acked)

  #rewindTo(offset: number): void {
    this.#next = offset
    this.#at = 0
  }
}
