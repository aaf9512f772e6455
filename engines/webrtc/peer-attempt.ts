import { deferred } from '../../protocol/index.ts'
import type { MediaTransceiver } from './media-transceivers.ts'
import type { Peer } from './peer.ts'
import type { PeerSignal } from './signals.ts'

/** The number of signals that may wait for the connection. */
const MAX_WAITING = 128
/** The number of candidates that are taken after one description: the browser keeps each of them. */
const MAX_CANDIDATES = 256

/** One attempt at a connection, from its first signal on: its peer, and the signals that wait for it. */
export class PeerAttempt {
  readonly id: string
  readonly begunAtMs: number
  /** Set when the ICE servers are there. */
  peer: Peer | undefined
  lines: readonly MediaTransceiver[] = []
  /** The other side took part: a later `want` of it means that it has lost this attempt. */
  isAnswered = false
  restartedAtMs = -Infinity
  #isHeld = false
  #candidates = 0
  readonly #waiting: PeerSignal[] = []
  readonly #agreed = deferred()

  constructor(id: string, begunAtMs = 0) {
    this.id = id
    this.begunAtMs = begunAtMs
  }

  /** This side may answer. */
  agree(): void {
    this.#agreed.resolve()
  }

  /** Resolves when this side may answer. Until then it reads the signals of the other side and sends none. */
  get agreed(): Promise<void> {
    return this.#agreed.promise
  }

  /**
   * Hands a signal to the connection, or keeps it until there is one that is not held; false where it was
   * dropped.
   */
  accept(signal: PeerSignal): boolean {
    if (this.peer && !this.#isHeld) {
      const isCandidate = signal.type === 'candidate'
      if (isCandidate && ++this.#candidates > MAX_CANDIDATES) return false
      const accepted = this.peer.accept(signal)
      if (accepted && !isCandidate) this.#candidates = 0
      this.isAnswered ||= accepted && signal.type === 'answer'
      return accepted
    }
    if (this.#waiting.length >= MAX_WAITING) return false
    this.#waiting.push(signal)
    return true
  }

  /** From now on signals wait. */
  hold(): void {
    this.#isHeld = true
  }

  /** Hands the waiting signals to the connection. @returns how many of them it dropped */
  open(peer: Peer): number {
    this.peer = peer
    this.#isHeld = false
    return this.#waiting.splice(0).filter((signal) => !this.accept(signal)).length
  }
}
