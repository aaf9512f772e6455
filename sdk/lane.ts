import { ContactError, toContactError } from '../protocol/index.ts'
import type { JsonValue, LaneFrame } from '../protocol/index.ts'

/** Frames that wait for the other side's acknowledgement, at most. */
const WINDOW = 512
/** An acknowledgement goes out after so many frames, or with the next frame. */
const ACK_EVERY = 16
/** What is missing is asked for at the first frame after a gap, and again after so many that still do not follow. */
const ASK_EVERY = 128
const EMPTY = 'empty'

export interface LaneOptions {
  /** Hands one frame to the service; rejects with `offline` or `peer_left`. */
  readonly send: (to: string, frame: LaneFrame) => Promise<unknown>
  /** Frames that can no longer be delivered. */
  readonly onLost: (kinds: readonly string[]) => void
}

/** The ephemeral lane between two sessions: in order, each frame once, sent again after a reconnection, never stored. */
export class Lane {
  readonly #options: LaneOptions
  readonly #handlers = new Map<string, (body: JsonValue | undefined) => void>()
  #peer: string | null = null
  #sent = 0
  #received = 0
  #acked = 0
  #unacked: LaneFrame[] = []
  #unsentAcks = 0
  /** Frames since the gap. */
  #early = 0

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** Who takes the frames of a kind. */
  on(kind: string, handler: (body: JsonValue | undefined) => void): void {
    this.#handlers.set(kind, handler)
  }

  /** Talks to another session from now on: numbering starts anew, what was under way is lost. */
  bind(peer: string | null): void {
    if (peer === this.#peer) return
    const lost = this.#unacked.map(({ kind }) => kind)
    this.#peer = peer
    this.#sent = this.#received = this.#acked = this.#unsentAcks = this.#early = 0
    this.#unacked = []
    if (lost.length > 0) this.#options.onLost(lost)
  }

  /** Sends a frame. @throws {@link ContactError} `peer_left` — nobody is there; `too_large` — too much waits. */
  send(kind: string, body: JsonValue): void {
    if (this.#peer === null) throw new ContactError('peer_left', `unable to send ${kind}; the other party is not there`)
    if (this.#unacked.length >= WINDOW) throw new ContactError('too_large', `unable to send ${kind}; ${WINDOW} frames wait already`)
    const frame = { n: ++this.#sent, ack: this.#received, kind, body }
    this.#unacked.push(frame)
    this.#unsentAcks = 0
    this.#put(frame)
  }

  /** A frame of the bound session. Repeated ones are passed over; after a gap the other side is asked to send again. */
  receive(from: string, frame: LaneFrame): void {
    if (from !== this.#peer) return
    this.#acked = Math.max(this.#acked, Math.min(frame.ack, this.#sent))
    this.#unacked = this.#unacked.filter(({ n }) => n > this.#acked)
    if (frame.n === 0) {
      if (frame.kind === 'resume') this.#resend()
      return
    }
    if (frame.n <= this.#received) return
    if (frame.n > this.#received + 1) {
      if (this.#early++ % ASK_EVERY === 0) this.#control('resume')
      return
    }
    this.#early = 0
    this.#received = frame.n
    if (++this.#unsentAcks >= ACK_EVERY) this.#control('ack')
    this.#handlers.get(frame.kind)?.(frame.body)
  }

  /** After a reconnection: both sides send again what the other has not seen. */
  resume(): void {
    if (this.#peer === null) return
    this.#control('resume')
    this.#resend()
  }

  #resend(): void {
    for (const frame of this.#unacked) this.#put({ ...frame, ack: this.#received })
  }

  #control(kind: 'ack' | 'resume'): void {
    this.#unsentAcks = 0
    this.#put({ n: 0, ack: this.#received, kind })
  }

  #put(frame: LaneFrame): void {
    const peer = this.#peer
    if (peer === null) return
    this.#options.send(peer, frame).catch((thrown: unknown) => {
      const { code } = toContactError(thrown, 'internal', 'unable to send a frame')
      if (code !== 'offline' && code !== 'timeout' && code !== 'peer_left' && peer === this.#peer) this.#giveUp(frame)
    })
  }

  /** The service refuses a frame for good: an empty one takes its number, so that the others follow. */
  #giveUp({ n, kind }: LaneFrame): void {
    if (kind === EMPTY || !this.#unacked.some((waiting) => waiting.n === n)) return
    const empty = { n, ack: this.#received, kind: EMPTY }
    this.#unacked = this.#unacked.map((waiting) => (waiting.n === n ? empty : waiting))
    this.#options.onLost([kind])
    this.#put(empty)
  }
}
