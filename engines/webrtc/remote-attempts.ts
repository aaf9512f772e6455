import { PeerAttempt } from './peer-attempt.ts'
import type { AttemptSignal } from './signals.ts'

const REMEMBERED_ATTEMPTS = 16

/**
 * Signals of attempts that this side takes no part in: of one that it may join, and of those that are over.
 */
export class RemoteAttempts {
  readonly #over: string[] = []
  #early: PeerAttempt | undefined

  /** Whether the signal starts a new attempt, withdraws that, is taken, or does not fit. */
  receive(signal: AttemptSignal, mayStart: boolean): 'new' | 'withdrawn' | 'taken' | 'dropped' {
    const isBye = 'type' in signal && signal.type === 'bye'
    if (signal.attempt === this.#early?.id) {
      if (isBye) {
        this.#early = undefined
        return 'withdrawn'
      }
      return 'peer' in signal && this.#early?.accept(signal.peer) ? 'taken' : 'dropped'
    }
    if (
      !mayStart ||
      !('peer' in signal) ||
      signal.peer.type !== 'offer' ||
      this.#over.includes(signal.attempt)
    )
      return isBye ? 'taken' : 'dropped'
    this.#early = new PeerAttempt(signal.attempt)
    this.#early.accept(signal.peer)
    return 'new'
  }

  /** Takes the attempt that this side may join. */
  take(): PeerAttempt | undefined {
    const early = this.#early
    this.#early = undefined
    return early
  }

  /** Later signals of this attempt are dropped. */
  ended(attempt: string): void {
    this.#over.push(attempt)
    if (this.#over.length > REMEMBERED_ATTEMPTS) this.#over.shift()
  }
}
