/** How long the service may be silent: after that the connection is lost. Nothing is counted before `broken`. */
export class Silence {
  readonly #lost: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  limitMs: number

  constructor(lost: () => void, limitMs: number) {
    this.#lost = lost
    this.limitMs = limitMs
  }

  /** Something has arrived, or the connection begins. */
  broken(limitMs = this.limitMs): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#lost, limitMs)
  }

  /** A message that may take so long is on its way, milliseconds: nothing of it is seen before it is whole. */
  expect(ms: number): void {
    this.broken(this.limitMs + ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
