/** Senders whose counts are kept. Of more, the one that was silent longest is forgotten. */
const SENDERS = 1_000

/** Numbers the messages to each subject, so that a receiver notices those that it does not get. */
export class SentCounts {
  readonly #counts = new Map<string, number>()

  /** The number of the next message. */
  following(subject: string): number {
    return (this.#counts.get(subject) ?? 0) + 1
  }

  /** That number is used. */
  next(subject: string): void {
    this.#counts.set(subject, this.following(subject))
  }

  /** For subjects that nobody subscribes to any more. */
  forget(subject: string): void {
    this.#counts.delete(subject)
  }
}

/** `repeated`: it was there before, or comes after a later one. `gap`: it is new, and others before it are lost. */
export type Counted = 'new' | 'gap' | 'repeated'

/** Compares the numbers of the messages that arrive on one subject. */
export class ReceivedCounts {
  readonly #last = new Map<string, number>()
  readonly #startsAtOne: boolean

  /** @param startsAtOne whether a sender's first message to this subject has the number 1 */
  constructor(startsAtOne: boolean) {
    this.#startsAtOne = startsAtOne
  }

  take(from: string, count: number): Counted {
    const last = this.#last.get(from) ?? (this.#startsAtOne ? 0 : count - 1)
    if (count <= last) return 'repeated'
    this.#last.delete(from)
    this.#last.set(from, count)
    this.#bound()
    return count === last + 1 ? 'new' : 'gap'
  }

  forget(from: string): void {
    this.#last.delete(from)
  }

  #bound(): void {
    if (this.#last.size <= SENDERS) return
    const [silent] = this.#last.keys()
    if (silent !== undefined) this.#last.delete(silent)
  }
}
