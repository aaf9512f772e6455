/** A user who is asked for something, and may let the questions wait. */
export class PatientUser {
  #waiting: (() => void)[] | undefined

  /** From now on nobody answers, until {@link answer}. */
  hold(): void {
    this.#waiting = []
  }

  /** Answers what was asked since {@link hold}. */
  answer(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const go of waiting) go()
  }

  /** Resolves when the user answers a question that is asked now. */
  protected async answered(): Promise<void> {
    const waiting = this.#waiting
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve))
  }
}
