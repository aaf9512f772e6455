import { toContactError } from '../../protocol/index.ts'
import type { Clock, ContactError, ErrorCode, JsonValue, RelayFrame } from '../../protocol/index.ts'
import type { FrameSealing, Sendable } from '../crypto/interface.ts'
import { LAPSE_MS, WINDOW, requireFit, requireRoom } from './frame-size.ts'
import { RelayPace } from './relay-pace.ts'
import { contain } from '../async/contain.ts'

/** An acknowledgement goes out after so many frames, or with the next frame. */
const ACK_EVERY = 16
/** How long to wait where the service does not say, milliseconds. */
const PAUSE_MS = 500
/**
 * What is missing is asked for at the first frame after a gap, and again after so many that still do not
 * follow.
 */
const ASK_EVERY = 128
const EMPTY = 'empty'
/** Codes after which the other side is asked again for what is missing. */
const ASK_AGAIN: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'internal'])

export interface SessionRelayOptions {
  readonly clock: Clock
  /** Hands one frame to the service; rejects with `offline` or `peer_left`. */
  readonly send: (to: string, frame: Sendable<RelayFrame>) => Promise<unknown>
  /** Of a secure contact. */
  readonly sealing?: FrameSealing | null
  /** Frames that can no longer be delivered. */
  readonly onLost: (kinds: readonly string[]) => void
}

/**
 * The ephemeral relay between two sessions: in order, each frame once, sent again after a reconnection, never
 * stored. `RelayPace` says how fast.
 */
export class SessionRelay {
  readonly #options: SessionRelayOptions
  readonly #handlers = new Map<string, (body: JsonValue | undefined) => void>()
  readonly #peers = new Set<(peer: string | null, before: string | null) => void>()
  #peer: string | null = null
  #sent = 0
  #received = 0
  #acked = 0
  #unacked: RelayFrame[] = []
  /** By number: until when a frame means something. */
  readonly #lapses = new Map<number, number>()
  /** The service did not take it that the other side was asked for what is missing. */
  #mustAsk = false
  #unsentAcks = 0
  /** Frames since the gap. */
  #early = 0
  /** Number of the frame to be put next. */
  #next = 1
  readonly #pace: RelayPace
  /** Why nothing is sent any more. */
  #end: ContactError | null = null
  /** Answers to frames of an earlier pair of sessions count no more. */
  #pair = 0

  constructor(options: SessionRelayOptions) {
    this.#options = options
    this.#pace = new RelayPace(options.clock)
  }

  /** Who takes the frames of a kind. */
  on(kind: string, handler: (body: JsonValue | undefined) => void): void {
    this.#handlers.set(kind, handler)
  }

  /**
   * `handler` is told of each session that is spoken to from then on, null of none, and of the one before it:
   * what was built on the relay has to start anew.
   */
  onPeer(handler: (peer: string | null, before: string | null) => void): void {
    this.#peers.add(handler)
  }

  /** Talks to another session from now on: numbering starts anew, what was under way is lost. */
  bind(peer: string | null): void {
    if (peer === this.#peer || this.#end) return
    const lost = this.#unacked.map(({ kind }) => kind)
    const before = this.#peer
    this.#peer = peer
    this.#pair++
    this.#sent = this.#received = this.#acked = this.#unsentAcks = this.#early = 0
    this.#next = 1
    this.#unacked = []
    this.#lapses.clear()
    this.#mustAsk = false
    this.#pace.reset()
    if (lost.length > 0) this.#options.onLost(lost)
    for (const handler of this.#peers) handler(peer, before)
  }

  /** Whether there is somebody to speak to. */
  get isBound(): boolean {
    return this.#peer !== null
  }

  /**
   * Sends a frame; `window`: how many may wait.
   * @throws {@link ContactError} `peer_left` — nobody is there; `too_large` — it is, or too much waits.
   */
  send(kind: string, body: JsonValue, window = WINDOW): void {
    if (this.#end) throw this.#end
    requireRoom(kind, this.#peer, { waiting: this.#unacked.length, window })
    this.#requireFit(kind, body)
    const frame = { n: ++this.#sent, ack: this.#received, kind, body }
    this.#unacked.push(frame)
    const lapsesAfter = LAPSE_MS[kind]
    if (lapsesAfter !== undefined) this.#lapses.set(frame.n, this.#options.clock.now() + lapsesAfter)
    this.#flush()
  }

  /**
   * As `send`; what cannot be sent now is lost, like frames of a session that is over.
   * @throws {@link ContactError} `too_large` — it never can
   */
  trySend(kind: string, body: JsonValue, window = WINDOW): void {
    this.#requireFit(kind, body)
    try {
      this.send(kind, body, window)
    } catch {
      this.#options.onLost([kind])
    }
  }

  /**
   * A frame of the bound session. Repeated ones are passed over; after a gap the other side is asked to send
   * again.
   */
  receive(from: string, frame: RelayFrame): void {
    if (from !== this.#peer || (frame.n > 0 && !this.#mayGo())) return
    this.#acked = Math.max(this.#acked, Math.min(frame.ack, this.#sent))
    this.#unacked = this.#unacked.filter(({ n }) => n > this.#acked)
    for (const n of this.#lapses.keys()) if (n <= this.#acked) this.#lapses.delete(n)
    if (frame.n === 0) {
      if (frame.kind === 'resume') this.#pace.asked(() => this.#resend())
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
    const { sealing } = this.#options
    const opened = sealing && frame.kind !== EMPTY ? sealing.openFrame(from, frame) : frame
    if (opened) this.#hand(opened)
  }

  /** Nothing is sent any more. */
  close(error: ContactError): void {
    this.bind(null)
    this.#end = error
  }

  #mayGo = (): boolean => this.#options.sealing?.mayRelay !== false

  #requireFit = (kind: string, body: JsonValue): void =>
    requireFit(kind, body, Boolean(this.#options.sealing))

  /** What an engine or a channel fails at is theirs: the frame was taken. */
  #hand({ kind, body }: RelayFrame): void {
    contain(() => this.#handlers.get(kind)?.(body))
  }

  /** After a reconnection: both sides send again what the other has not seen. */
  resume(): void {
    if (this.#peer === null) return
    this.#control('resume')
    this.#resend()
  }

  #resend(): void {
    this.#next = this.#acked + 1
    this.#flush()
  }

  #control(kind: 'ack' | 'resume'): void {
    this.#unsentAcks = 0
    if (kind === 'resume') this.#mustAsk = false
    this.#put({ n: 0, ack: this.#received, kind })
  }

  /** Puts what waits, as much as the service bears. */
  #flush(): void {
    if (!this.#mayGo()) return
    for (const frame of this.#unacked) {
      if (!this.#pace.hasRoom) return
      if (frame.n < this.#next) continue
      this.#next = frame.n + 1
      this.#unsentAcks = 0
      this.#put({ ...this.#current(frame), ack: this.#received })
    }
  }

  #current(frame: RelayFrame): RelayFrame {
    const isOver = (this.#lapses.get(frame.n) ?? Number.POSITIVE_INFINITY) <= this.#options.clock.now()
    return isOver ? { n: frame.n, ack: frame.ack, kind: EMPTY } : frame
  }

  #put(frame: RelayFrame): void {
    const [peer, pair] = [this.#peer, this.#pair]
    if (peer === null) return
    this.#pace.sent()
    this.#sealedAndSent(peer, frame).then(
      () => this.#answered(pair, () => this.#taken()),
      (thrown: unknown) =>
        this.#answered(pair, () =>
          this.#refused(frame, toContactError(thrown, 'internal', 'unable to send a frame')),
        ),
    )
  }

  #sealedAndSent(peer: string, frame: RelayFrame): Promise<unknown> {
    const { sealing, send } = this.#options
    try {
      return send(peer, sealing ? sealing.sealFrame(peer, frame) : (frame as Sendable<RelayFrame>))
    } catch (thrown) {
      return Promise.reject(toContactError(thrown, 'internal', 'unable to send a frame'))
    }
  }

  #answered(pair: number, then: () => void): void {
    if (pair !== this.#pair) return
    this.#pace.answered()
    then()
  }

  #taken(): void {
    this.#pace.taken()
    this.#flush()
  }

  #refused(frame: RelayFrame, { code, retryAfterMs = PAUSE_MS }: ContactError): void {
    if (frame.kind === 'resume') this.#mustAsk = ASK_AGAIN.has(code)
    if (code === 'rate_limited' || this.#mustAsk) this.#slowDown(frame.n, retryAfterMs)
    else if (code !== 'offline' && code !== 'timeout' && code !== 'peer_left') this.#giveUp(frame)
  }

  /**
   * What the service did not take is put again, and all that follows it: the other side has passed that over.
   */
  #slowDown(n: number, waitMs: number): void {
    if (n > 0) this.#next = Math.min(this.#next, n)
    this.#pace.refused(waitMs, () => {
      if (this.#mustAsk) this.#control('resume')
      this.#flush()
    })
  }

  /** The service refuses a frame for good: an empty one takes its number, so that the others follow. */
  #giveUp({ n, kind }: RelayFrame): void {
    if (kind === EMPTY || !this.#unacked.some((waiting) => waiting.n === n)) return
    const empty = { n, ack: this.#received, kind: EMPTY }
    this.#unacked = this.#unacked.map((waiting) => (waiting.n === n ? empty : waiting))
    this.#options.onLost([kind])
    this.#put(empty)
  }
}
