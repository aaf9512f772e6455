import { deferred } from '../../protocol/index.ts'
import type { ContactError, Deferred, JsonValue } from '../../protocol/index.ts'
import { RemoteAttempts } from './remote-attempts.ts'
import { PeerAttempt } from './peer-attempt.ts'
import { engineError } from './classify.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ServerSupply, toIceServers } from './ice-servers.ts'
import type { MediaTransceiver } from './media-transceivers.ts'
import { loadPeer } from './load-peer.ts'
import type { PeerEvents } from './peer.ts'
import { Recovery } from './recovery.ts'
import { Restarts } from './restarts.ts'
import { unlessAborted } from './operations.ts'
import { parseSignal, toJson } from './signals.ts'
import type { Remedy, Signal } from './signals.ts'

type Waiter = Omit<Deferred, 'promise'>

/** The other side may hang up a little before this side reads that the call is over. */
const HANG_UP_GRACE_MS = 5_000
/** An offer of this side has arrived by then. */
const ARRIVED_AFTER_MS = 2_000
/**
 * An attempt that began before the call was decided may know only addresses that are gone: it has this long
 * from then on.
 */
const EARLY_LIMIT_MS = 5_000

/**
 * How far this side is with a call. What its connection may do grows with it: read what the other side says;
 * answer, and start; carry media.
 */
const [APART, FORESEEN, AGREED, WANTED] = [0, 1, 2, 3]

/**
 * The connection with the other party's engine. The visitor's side starts attempts, each with its own id, and
 * the agent's side answers them: either as soon as its own side has agreed to a call, while the log still
 * decides, and not before, so that nobody learns addresses without consent. Media wait for the decision.
 */
export class PeerSession {
  readonly #options: ConnectionOptions
  readonly #isInitiator: boolean
  readonly #recovery: Recovery
  readonly #restarts: Restarts
  readonly #servers: ServerSupply
  readonly #arrivals = new RemoteAttempts()
  #step = APART
  #isHolding = false
  /** The other side was told so in this call, and may have missed that it goes on. */
  #hasHeld = false
  #isHeldThere = false
  #attempt: PeerAttempt | undefined
  #waiter: Waiter | undefined
  #grace: unknown
  #earlyLimit: unknown
  /** Signals that were malformed, of an attempt that is over, or did not fit. */
  dropped = 0

  constructor(options: ConnectionOptions) {
    const { clock, slot } = options.host
    this.#options = options
    this.#isInitiator = slot === 'visitor'
    this.#servers = new ServerSupply(options.host)
    this.#restarts = new Restarts({
      host: options.host,
      isInitiator: this.#isInitiator,
      isCurrent: (attempt) => this.#attempt === attempt,
      dropped: (count) => void (this.dropped += count),
    })
    this.#recovery = new Recovery({
      clock,
      restart: () => this.takeRecoveryStep('restart'),
      giveUp: () => this.#giveUp(),
    })
  }

  get lines(): readonly MediaTransceiver[] {
    return this.#attempt?.lines ?? []
  }

  /** Whether a connection was made and is not closed; its network may be gone for the moment. */
  get isMade(): boolean {
    return this.#attempt?.wasUp === true
  }

  /** The real connection and its lines while media can flow. */
  get up(): { readonly real: RTCPeerConnection; readonly lines: readonly MediaTransceiver[] } | undefined {
    const { isUp = false, lines = [] } = this.#attempt ?? {}
    return isUp && this.real ? { real: this.real, lines } : undefined
  }

  get real(): RTCPeerConnection | undefined {
    return this.#attempt?.peer?.connection
  }

  /**
   * Resolves when media can flow.
   * @throws `engine_failed` after the limit, or when the connection cannot be made; `left` when aborted.
   */
  async connect(limitMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.host
    this.want()
    if (this.#attempt?.isUp) return
    const { promise, ...waiter } = deferred()
    const timer = clock.setTimeout(() => this.#tooLate(limitMs), limitMs)
    this.#waiter = waiter
    try {
      await unlessAborted(promise, signal)
    } finally {
      if (this.#waiter === waiter) this.#waiter = undefined
      clock.clearTimeout(timer)
    }
  }

  /** A connection may be wanted soon. */
  foresee(): void {
    if (!this.#attempt) this.#servers.foresee()
    this.#reach(FORESEEN)
  }

  /**
   * This side has agreed to a call that is not decided yet: the ends look for their way to each other
   * meanwhile.
   */
  agree(): void {
    this.#reach(AGREED)
  }

  /** Starts to connect where there is no connection, and lets the other side start. */
  want(): void {
    const { clock } = this.#options.host
    clock.clearTimeout(this.#grace)
    const isEarly = this.#isInitiator && this.#step < WANTED && this.#attempt?.wasUp === false
    if (isEarly) this.#earlyLimit = clock.setTimeout(() => this.#beginAfresh(), EARLY_LIMIT_MS)
    this.#reach(WANTED)
  }

  /** Whether media could flow over TURN servers only, and do not yet. */
  get canRelay(): boolean {
    return this.#attempt?.peer?.canRelay === true
  }

  /** Tries to make media flow again, or asks the side that can. */
  takeRecoveryStep(remedy: Remedy): void {
    const attempt = this.#attempt
    if (!attempt) return
    if (this.#isInitiator) void this.#restarts.carryOut(attempt, remedy)
    else this.#send({ attempt: attempt.id, type: remedy })
  }

  /** Whether anything arrives, as counters say: the browser notices a loss later, and not every return. */
  arrives(on: boolean): void {
    if (!on) this.#recovery.start()
    else if (this.#attempt?.isUp) this.#recovery.stop()
  }

  /** Tells the other side that this one holds the call, also over a next connection. */
  hold(on: boolean): void {
    this.#isHolding = on
    if (this.#attempt?.wasUp) this.#tellHold(this.#attempt)
  }

  #tellHold(attempt: PeerAttempt): void {
    this.#hasHeld ||= this.#isHolding
    this.#send({ attempt: attempt.id, type: this.#isHolding ? 'hold' : 'resume' })
  }

  /** Ends the connection, if any; the other side is told. */
  close(): void {
    this.#step = APART
    this.#hasHeld = this.#isHeldThere = false
    this.#options.host.clock.clearTimeout(this.#grace)
    if (this.#attempt) this.#discard(this.#attempt, true)
  }

  receive(data: JsonValue): void {
    const signal = parseSignal(data)
    if (!signal) this.dropped++
    else if (!('attempt' in signal)) this.#beginAgain()
    else if (signal.attempt === this.#attempt?.id) this.#take(this.#attempt, signal)
    else this.#arrived(signal)
  }

  #reach(step: number): void {
    this.#step = Math.max(this.#step, step)
    if (this.#step >= AGREED) this.#attempt?.agree()
    if (!this.#attempt) this.#begin()
  }

  #begin(): void {
    const { environment, host } = this.#options
    const mayStart = this.#step >= AGREED
    const attempt = this.#isInitiator
      ? mayStart && new PeerAttempt(environment.newId(), host.clock.now())
      : this.#arrivals.take()
    if (!attempt) return this.#isInitiator || this.#step < WANTED ? undefined : this.#send({ type: 'want' })
    this.#attempt = attempt
    if (mayStart) attempt.agree()
    void this.#open(attempt)
  }

  /** The other side has no attempt. One that it has not answered yet may still be on its way to it. */
  #beginAgain(): void {
    const { clock } = this.#options.host
    const attempt = this.#attempt
    if (
      !this.#isInitiator ||
      this.#step < AGREED ||
      (attempt && !attempt.isAnswered && clock.now() - attempt.begunAtMs < ARRIVED_AFTER_MS)
    )
      return
    this.#beginAfresh()
  }

  #beginAfresh(): void {
    if (this.#attempt) this.#discard(this.#attempt, true)
    this.#begin()
  }

  async #open(attempt: PeerAttempt): Promise<void> {
    const { environment, iceTransportPolicy } = this.#options
    try {
      const { implementation } = environment
      if (!implementation) throw engineError('there is no WebRTC')
      const [Loaded, iceServers] = await Promise.all([loadPeer(), this.#servers.take()])
      if (this.#attempt !== attempt) return
      const configuration: RTCConfiguration = { iceServers: toIceServers(iceServers), iceTransportPolicy }
      const peer = new Loaded({
        initiator: this.#isInitiator,
        implementation,
        configuration,
        agreed: attempt.agreed,
        events: this.#eventsOf(attempt),
      })
      this.dropped += attempt.open(peer)
    } catch (cause) {
      this.#closed(attempt, cause)
    }
  }

  #eventsOf(attempt: PeerAttempt): PeerEvents {
    const current = <A extends unknown[]>(run: (...args: A) => void) => {
      return (...args: A): void => (this.#attempt === attempt ? run(...args) : undefined)
    }
    return {
      signal: current((peer) => this.#send({ attempt: attempt.id, peer })),
      lines: current((lines) => {
        attempt.lines = lines
        this.#options.events.lines(lines)
      }),
      connected: current(() => this.#up(attempt)),
      interrupted: current(() => {
        attempt.isUp = false
        if (attempt.wasUp) this.#recovery.start()
      }),
      refused: current(() => void this.dropped++),
      closed: current((error) => this.#closed(attempt, error)),
    }
  }

  #up(attempt: PeerAttempt): void {
    if (!attempt.wasUp && (this.#isHolding || this.#hasHeld)) this.#tellHold(attempt)
    if (!attempt.isUp) this.#recovery.stop()
    this.#options.host.clock.clearTimeout(this.#earlyLimit)
    attempt.isUp = true
    attempt.wasUp = true
    this.#waiter?.resolve()
  }

  #take(attempt: PeerAttempt, signal: Exclude<Signal, { readonly type: 'want' }>): void {
    if ('peer' in signal) {
      if (attempt.peer?.isRestart(signal.peer)) void this.#restarts.refresh(attempt, attempt.peer)
      this.dropped += attempt.accept(signal.peer) ? 0 : 1
    } else if (signal.type === 'bye') this.#lost(attempt, engineError('the other side hung up'))
    else if (signal.type === 'hold' || signal.type === 'resume') this.#heldThere(signal.type === 'hold')
    else void this.#restarts.carryOut(attempt, signal.type)
  }

  #heldThere(on: boolean): void {
    if (on === this.#isHeldThere) return
    this.#isHeldThere = on
    this.#options.events.held(on)
  }

  #arrived(signal: Exclude<Signal, { readonly type: 'want' }>): void {
    const arrival = this.#arrivals.receive(signal, !this.#isInitiator)
    if (arrival === 'dropped') this.dropped++
    if (arrival !== 'new' || this.#step === APART) return
    if (this.#attempt) this.#discard(this.#attempt, false)
    this.#begin()
  }

  /** The attempt ended by itself. */
  #closed(attempt: PeerAttempt, cause: unknown): void {
    if (this.#attempt !== attempt) return
    const { wasUp } = attempt
    this.#discard(attempt, true)
    const error = engineError(wasUp ? 'the connection closed' : 'the connection could not be made', cause)
    if (!this.#waiter) this.#linger(error)
    else if (wasUp) this.#begin()
    else this.#waiter.reject(error)
  }

  /** The other side ended the attempt: mostly the end of the call, which this side reads in a moment. */
  #lost(attempt: PeerAttempt, error: ContactError): void {
    this.#discard(attempt, false)
    if (!this.#waiter) this.#linger(error)
  }

  #linger(error: ContactError): void {
    if (this.#step < WANTED) return
    const { clock } = this.#options.host
    clock.clearTimeout(this.#grace)
    this.#grace = clock.setTimeout(() => {
      const isWanted = this.#step === WANTED && !this.#attempt && !this.#waiter
      if (isWanted) this.#options.events.broke(error)
    }, HANG_UP_GRACE_MS)
  }

  #tooLate(limitMs: number): void {
    const attempt = this.#attempt
    const waiter = this.#waiter
    if (attempt && !attempt.wasUp) this.#discard(attempt, true)
    const trouble = attempt?.peer?.trouble
    waiter?.reject(
      engineError(
        `no connection within ${limitMs} ms: network or TURN server out of reach${trouble === undefined ? '' : `: ${trouble}`}`,
      ),
    )
  }

  #discard(attempt: PeerAttempt, tell: boolean): void {
    this.#attempt = undefined
    this.#options.host.clock.clearTimeout(this.#earlyLimit)
    this.#recovery.stop()
    this.#arrivals.ended(attempt.id)
    attempt.peer?.destroy()
    if (tell) this.#send({ attempt: attempt.id, type: 'bye' })
    if (attempt.lines.length > 0) this.#options.events.lines([])
  }

  #giveUp(): void {
    if (this.#attempt) this.#discard(this.#attempt, true)
    const error = engineError('the connection was lost')
    if (this.#waiter) this.#waiter.reject(error)
    else if (this.#step === WANTED) this.#options.events.broke(error)
  }

  #send(signal: Signal): void {
    this.#options.host.signal(toJson(signal))
  }
}
