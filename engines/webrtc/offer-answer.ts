import { fits } from './glare.ts'
import type { CandidateInit, PeerSignal } from './signals.ts'

/** What the exchange tells. */
export interface OfferAnswerEvents {
  /** To be sent to the other side. */
  signal(signal: PeerSignal): void
  /** The offer of the other side is in force; the answer is made when this has resolved. */
  offered(): Promise<void> | undefined
  /** The browser refused a candidate of the other side. */
  refused(): void
  /** The browser refused a description. */
  failed(error: unknown): void
}

export interface OfferAnswerOptions {
  readonly initiator: boolean
  /** Nothing is told once it is aborted. */
  readonly over: AbortSignal
  readonly events: OfferAnswerEvents
}

/**
 * The exchange of descriptions and candidates over one connection (RFC 9429, section 3; RFC 8838). One side
 * makes every offer, one at a time.
 */
export class OfferAnswer {
  readonly #connection: RTCPeerConnection
  readonly #initiator: boolean
  readonly #events: OfferAnswerEvents
  /** An offer of this side is under way; `again`: another one is wanted after it. */
  #offering: 'once' | 'again' | undefined
  /** A description of the other side is being set. */
  #isTaking = false
  /** Candidates that arrived before the first description; their number is bounded by `PeerAttempt`. */
  #early: CandidateInit[] | undefined = []
  /** Candidates of this side whose description is not told yet: they follow it. */
  #held: PeerSignal[] | undefined
  readonly #over: AbortSignal

  constructor(connection: RTCPeerConnection, { initiator, over, events }: OfferAnswerOptions) {
    this.#connection = connection
    this.#initiator = initiator
    this.#over = over
    this.#events = events
    const onCandidate = ({ candidate }: RTCPeerConnectionIceEvent): void => {
      if (!candidate) return
      const { candidate: text, sdpMid, sdpMLineIndex } = candidate
      const signal = { type: 'candidate', candidate: { candidate: text, sdpMid, sdpMLineIndex } } as const
      if (this.#held) this.#held.push(signal)
      else events.signal(signal)
    }
    connection.addEventListener('icecandidate', onCandidate, { signal: over })
  }

  /**
   * Makes an offer; where one is under way, another one after its answer. It never replaces one: no answer says
   * which offer it is for. An answer that does not come is up to the limits of the session. Of the initiator
   * only.
   */
  offer(): void {
    if (this.#over.aborted) return
    const isFree = this.#offering === undefined
    this.#offering = isFree ? 'once' : 'again'
    if (isFree) void this.#carryOut(() => this.#describe('offer'))
  }

  /** Takes a signal of the other side; false where it does not fit the state and was dropped. */
  accept(signal: PeerSignal): boolean {
    if (this.#over.aborted) return false
    if (signal.type === 'candidate') {
      if (this.#early) this.#early.push(signal.candidate)
      else void this.#add(signal.candidate)
      return true
    }
    if (this.#isTaking || !fits(signal.type, this.#initiator, this.#connection.signalingState)) return false
    this.#isTaking = true
    void this.#carryOut(() => this.#take(signal))
    return true
  }

  async #carryOut(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      if (!this.#over.aborted) this.#events.failed(error)
    }
  }

  async #describe(type: 'offer' | 'answer'): Promise<void> {
    const connection = this.#connection
    const made = await (type === 'offer' ? connection.createOffer() : connection.createAnswer())
    if (this.#over.aborted) return
    const held: PeerSignal[] = (this.#held = [])
    await connection.setLocalDescription(made)
    if (this.#over.aborted) return
    this.#held = undefined
    if (type === 'answer') this.#isTaking = false
    // Not `localDescription`, which changes with each candidate that is found: to read it meanwhile ends a
    // process of Node with its WebRTC (a race inside of it), and the candidates are told anyway.
    for (const signal of [{ type, sdp: made.sdp ?? '' }, ...held]) this.#events.signal(signal)
  }

  async #take(description: Exclude<PeerSignal, { readonly type: 'candidate' }>): Promise<void> {
    await this.#connection.setRemoteDescription(description)
    if (this.#over.aborted) return
    const early = this.#early ?? []
    this.#early = undefined
    for (const candidate of early) void this.#add(candidate)
    if (description.type === 'offer') {
      await this.#events.offered()
      if (!this.#over.aborted) await this.#describe('answer')
      return
    }
    this.#isTaking = false
    const wantsMore = this.#offering === 'again'
    this.#offering = undefined
    if (wantsMore) this.offer()
  }

  async #add(candidate: CandidateInit): Promise<void> {
    try {
      await this.#connection.addIceCandidate(candidate)
    } catch {
      if (!this.#over.aborted) this.#events.refused()
    }
  }
}
