/** Of one turn of the event loop, at most, milliseconds: what follows a handshake in its turn costs as much. */
const TURN_MS = 5

interface TurnParts {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Calls a function in the next turn of the event loop. */
  readonly later: (run: () => void) => void
}

/**
 * Handshakes in the order in which they come, a few in each turn of the event loop. Where the pages of another
 * node come all at once, those that are here are answered in between.
 */
export class HandshakeTurns {
  readonly #parts: TurnParts
  #waiting: (() => void)[] = []

  constructor(parts: TurnParts = { now: () => performance.now(), later: setImmediate }) {
    this.#parts = parts
  }

  add(handshake: () => void): void {
    if (this.#waiting.push(handshake) === 1) this.#parts.later(() => this.#turn())
  }

  #turn(): void {
    const until = this.#parts.now() + TURN_MS
    let count = 0
    while (count < this.#waiting.length && (count === 0 || this.#parts.now() < until)) {
      this.#waiting[count]?.()
      count += 1
    }
    this.#waiting = this.#waiting.slice(count)
    if (this.#waiting.length > 0) this.#parts.later(() => this.#turn())
  }
}
