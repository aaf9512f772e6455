/** Items that are rendered at first, and more each time that somebody scrolls to the first of them. */
const STEP = 100

/** Which items of a long list are rendered: the last ones, as many as somebody has scrolled back to. */
export class ItemWindow {
  #size = STEP
  #count = 0

  /** Index of the first item that is rendered. `isAtEnd`: nobody reads earlier items now. */
  start(count: number, isAtEnd: boolean): number {
    if (isAtEnd) this.#size = STEP
    else if (count > this.#count) this.#size += count - this.#count
    this.#count = count
    return Math.max(0, count - this.#size)
  }

  /** Renders earlier items too; false where there are none. */
  extend(): boolean {
    if (this.#size >= this.#count) return false
    this.#size += STEP
    return true
  }

  reset(): void {
    this.#size = STEP
    this.#count = 0
  }
}
