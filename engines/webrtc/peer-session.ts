import { createActor } from 'xstate'
import { deferred } from '../../protocol/index.ts'
import type { ContactError, Deferred, JsonValue } from '../../protocol/index.ts'
import { engineError, lossError } from './errors.ts'
import type { EngineControls } from '../media-engine.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ControlNotices } from './control-notices.ts'
import { isInitiator, isOnItsWay } from './glare.ts'
import { ServerSupply, toIceServers } from './ice-servers.ts'
import { IceRestarts, isIceRestart } from './ice-restarts.ts'
import type { MediaTransceiver } from './media-transceivers.ts'
import { unlessAborted } from './operations.ts'
import { PeerAttempt } from './peer-attempt.ts'
import { peerSessionMachine } from './peer-session.machine.ts'
import type { PeerSessionActor } from './peer-session.machine.ts'
import type { PeerLoss, PeerSessionEmitted } from './peer-session.types.ts'
import { Peer } from './peer.ts'
import type { PeerEvents } from './peer.ts'
import { RemoteAttempts } from './remote-attempts.ts'
import { SignalReader } from './signal-reader.ts'
import { isNotice, toJson } from './signals.ts'
import type { AttemptSignal, RecoveryStep, Signal } from './signals.ts'

/**
 * The connection with the other party's engine: carries out what its machine decides
 * (`peer-session.machine.ts`), and tells it what happens. It holds what a machine cannot: the attempt with
 * its `RTCPeerConnection`, and the Promise of the operation that waits.
 */
export class PeerSession {
  readonly #options: ConnectionOptions
  readonly #isInitiator: boolean
  readonly #actor: PeerSessionActor
  readonly #restarts: IceRestarts
  readonly #servers: ServerSupply
  readonly #notices: ControlNotices
  readonly #signals: SignalReader
  readonly #remote = new RemoteAttempts()
  #attempt: PeerAttempt | undefined
  #waiter: Deferred | undefined
  /** What the attempt before was ended by. */
  #cause: unknown
  /** Signals that were malformed, too many, of an attempt that is over, or did not fit. */
  dropped = 0

  constructor(options: ConnectionOptions) {
    const { host } = options
    this.#options = options
    this.#isInitiator = isInitiator(host.slot)
    this.#servers = new ServerSupply(host)
    this.#signals = new SignalReader(host.clock)
    this.#restarts = new IceRestarts({
      host,
      isInitiator: this.#isInitiator,
      isCurrent: (attempt) => this.#attempt === attempt,
      dropped: (count) => void (this.dropped += count),
    })
    this.#notices = new ControlNotices({
      send: (notice) => this.#attempt && this.#send({ attempt: this.#attempt.id, ...notice }),
      heard: (event) => host.report(event),
    })
    this.#actor = createActor(peerSessionMachine, {
      input: { isInitiator: this.#isInitiator },
      clock: {
        setTimeout: (run: () => void, ms: number) => host.clock.setTimeout(run, ms) as number,
        clearTimeout: (timer) => host.clock.clearTimeout(timer),
      },
    })
    this.#actor.on('*', (command) => this.#carryOut(command))
    this.#actor.start()
  }

  /** The transceivers of the attempt; none while there is no attempt. */
  get lines(): readonly MediaTransceiver[] {
    return this.#attempt?.lines ?? []
  }

  /** Whether a connection was made and is not closed; its network may be gone for the moment. */
  get isMade(): boolean {
    return this.#actor.getSnapshot().matches({ connection: { attempt: 'made' } })
  }

  /** The real connection and its lines while media can flow. */
  get up(): { readonly real: RTCPeerConnection; readonly lines: readonly MediaTransceiver[] } | undefined {
    const { real, lines } = this
    return real && this.#isUp ? { real, lines } : undefined
  }

  /** The real connection of the attempt, as soon as there is one. */
  get real(): RTCPeerConnection | undefined {
    return this.#attempt?.peer?.connection
  }

  /** Whether media could flow over TURN servers only, and do not yet. */
  get canRelay(): boolean {
    return this.#attempt?.peer?.canRelay === true
  }

  /**
   * Resolves when media can flow.
   * @throws `engine_failed` after the limit, or when the connection cannot be made; `left` when aborted.
   */
  async connect(limitMs: number, signal: AbortSignal): Promise<void> {
    this.want()
    if (this.#isUp) return
    const waiter = deferred()
    this.#waiter = waiter
    this.#actor.send({ type: 'wait.begin', limitMs })
    try {
      await unlessAborted(waiter.promise, signal)
    } finally {
      if (this.#waiter === waiter) {
        this.#waiter = undefined
        this.#actor.send({ type: 'wait.end' })
      }
    }
  }

  /** A call may follow: fetches the ICE servers ahead. */
  foresee(): void {
    if (!this.#attempt) this.#servers.foresee()
    this.#actor.send({ type: 'call.foresee' })
  }

  /**
   * This side has agreed to a call that is not decided yet: the ends look for their way to each other
   * meanwhile.
   */
  agree(): void {
    this.#actor.send({ type: 'call.agree' })
  }

  /** Starts to connect where there is no connection, and lets the other side start. */
  want(): void {
    this.#actor.send({ type: 'call.want' })
  }

  /** Ends the connection, if any; the other side is told. */
  close(): void {
    this.#notices.forget()
    this.#actor.send({ type: 'call.close' })
  }

  /** Takes a step that may make media flow again, or asks the side that can. */
  recover(step: RecoveryStep): void {
    const attempt = this.#attempt
    if (!attempt) return
    if (this.#isInitiator) void this.#restarts.carryOut(attempt, step)
    else this.#send({ attempt: attempt.id, type: step })
  }

  /** Whether anything arrives, as counters say: the browser notices a loss later, and not every return. */
  arrives(on: boolean): void {
    this.#actor.send({ type: on ? 'peer.heard' : 'peer.silent' })
  }

  /** Tells the other side what this one has muted and holds, also over a next connection. */
  tell(controls: EngineControls): void {
    this.#notices.tell(controls, this.isMade)
  }

  /** Takes a signal of the other side. */
  receive(data: JsonValue): void {
    const signal = this.#signals.read(data)
    const attempt = this.#attempt
    if (!signal) this.dropped++
    else if (!('attempt' in signal)) this.#wanted()
    else if (signal.attempt === attempt?.id) this.#take(attempt, signal)
    else this.#arrived(signal)
  }

  get #isUp(): boolean {
    return this.#actor.getSnapshot().hasTag('up')
  }

  #carryOut(command: PeerSessionEmitted): void {
    switch (command.type) {
      case 'begin':
        return this.#begin()
      case 'agree':
        return this.#attempt?.agree()
      case 'ask':
        return this.#send({ type: 'want' })
      case 'discard':
        return this.#discard(command.tells)
      case 'up':
        if (command.isFirst) this.#notices.made()
        return this.#waiter?.resolve()
      case 'restart':
        return this.recover('restart')
      case 'fail':
        return this.#waiter?.reject(this.#errorOf(command.loss))
      case 'broke':
        return this.#options.events.broke(this.#errorOf(command.loss))
    }
  }

  #begin(): void {
    const { environment, host } = this.#options
    const attempt = this.#isInitiator
      ? new PeerAttempt(environment.newId(), host.clock.now())
      : this.#remote.take()
    if (!attempt) return
    this.#attempt = attempt
    this.#cause = undefined
    if (this.#actor.getSnapshot().matches({ call: 'agreed' })) attempt.agree()
    void this.#open(attempt)
  }

  async #open(attempt: PeerAttempt): Promise<void> {
    const { environment, iceTransportPolicy } = this.#options
    try {
      const { implementation } = environment
      if (!implementation) throw engineError('there is no WebRTC')
      const iceServers = await this.#servers.take()
      if (this.#attempt !== attempt) return
      const peer = new Peer({
        initiator: this.#isInitiator,
        implementation,
        configuration: { iceServers: toIceServers(iceServers), iceTransportPolicy },
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
      connected: current(() => this.#actor.send({ type: 'peer.connected' })),
      interrupted: current(() => this.#actor.send({ type: 'peer.interrupted' })),
      refused: current(() => void this.dropped++),
      closed: (error) => this.#closed(attempt, error),
    }
  }

  #closed(attempt: PeerAttempt, cause: unknown): void {
    if (this.#attempt !== attempt) return
    this.#cause = cause
    this.#actor.send({ type: 'peer.closed' })
  }

  #discard(tells: boolean): void {
    const attempt = this.#attempt
    if (!attempt) return
    this.#attempt = undefined
    this.#remote.ended(attempt.id)
    attempt.peer?.destroy()
    if (tells) this.#send({ attempt: attempt.id, type: 'bye' })
    if (attempt.lines.length > 0) this.#options.events.lines([])
  }

  #errorOf(loss: PeerLoss): ContactError {
    const { limitMs } = this.#actor.getSnapshot().context
    return lossError(loss, { limitMs, trouble: this.#attempt?.peer?.trouble, cause: this.#cause })
  }

  /** The other side says that it has no attempt. */
  #wanted(): void {
    const attempt = this.#attempt
    const nowMs = this.#options.host.clock.now()
    this.#actor.send({
      type: 'remote.wants',
      isOnItsWay: attempt !== undefined && isOnItsWay(attempt, nowMs),
    })
  }

  /** A signal of the attempt that both sides take part in. */
  #take(attempt: PeerAttempt, signal: AttemptSignal): void {
    if ('peer' in signal) {
      const { peer } = attempt
      if (peer && !this.#isInitiator && isIceRestart(signal.peer, peer.remoteSdp))
        void this.#restarts.refresh(attempt, peer)
      if (!attempt.accept(signal.peer)) this.dropped++
    } else if (signal.type === 'bye') this.#actor.send({ type: 'remote.hungUp' })
    else if (isNotice(signal)) this.#notices.receive(signal)
    else void this.#restarts.carryOut(attempt, signal.type)
  }

  /** A signal of another attempt. */
  #arrived(signal: AttemptSignal): void {
    const arrival = this.#remote.receive(signal, !this.#isInitiator)
    if (arrival === 'dropped') this.dropped++
    else if (arrival === 'new') this.#actor.send({ type: 'remote.offered' })
    else if (arrival === 'withdrawn') this.#actor.send({ type: 'remote.withdrew' })
  }

  #send(signal: Signal): void {
    this.#options.host.signal(toJson(signal))
  }
}
