export interface HoldNoticesOptions {
  /** Tells the other side over the attempt that is made. */
  readonly send: (type: 'hold' | 'resume') => void
  /** The other side holds the call, or goes on. */
  readonly held: (on: boolean) => void
}

/**
 * Tells the other side whether this one holds the call, also over a next connection; and hears it of the
 * other.
 */
export class HoldNotices {
  readonly #options: HoldNoticesOptions
  #isHolding = false
  /** The other side was told of a hold in this call, and may have missed its end. */
  #hasHeld = false
  #isHeldThere = false

  constructor(options: HoldNoticesOptions) {
    this.#options = options
  }

  /** This side holds the call, or goes on. */
  hold(on: boolean, isMade: boolean): void {
    this.#isHolding = on
    if (isMade) this.#tell()
  }

  /** A new connection is made. */
  made(): void {
    if (this.#isHolding || this.#hasHeld) this.#tell()
  }

  /** The other side holds the call, or goes on. */
  receive(type: 'hold' | 'resume'): void {
    const on = type === 'hold'
    if (on === this.#isHeldThere) return
    this.#isHeldThere = on
    this.#options.held(on)
  }

  /** The call is over: the next one begins anew. */
  forget(): void {
    this.#hasHeld = this.#isHeldThere = false
  }

  #tell(): void {
    this.#hasHeld ||= this.#isHolding
    this.#options.send(this.#isHolding ? 'hold' : 'resume')
  }
}
