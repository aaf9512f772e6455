import type { JsonValue } from '../../protocol/index.ts'
import { PIPE_WATERMARKS } from '../data-pipe.ts'
import type { DataPipe, DataPipeEvents, DataPipeHost, MakeDataPipe } from '../data-pipe.ts'
import { RemoteAttempts } from './remote-attempts.ts'
import { PeerAttempt } from './peer-attempt.ts'
import { isInitiator } from './glare.ts'
import { toIceServers } from './ice-servers.ts'
import { environmentOf } from './environment.ts'
import type { Environment, WebRtcImplementation, WebRtcOptions } from './environment.ts'
import { Peer } from './peer.ts'
import { SignalReader } from './signal-reader.ts'
import { toJson } from './signals.ts'
import type { AttemptSignal, Signal } from './signals.ts'

/** Small enough that channels take turns, large enough to be as fast as larger ones. */
const FRAME_BYTES = 65_536
/** Least size of a message that the other side must take: with less, a frame would be little more than its head. */
const LEAST_FRAME_BYTES = 1_024

interface PipeOptions {
  readonly host: DataPipeHost
  readonly events: DataPipeEvents
  readonly environment: Environment
  readonly implementation: WebRtcImplementation
  readonly iceTransportPolicy: RTCIceTransportPolicy
}

/** Makes pipes over WebRTC; null where there is none. */
export function webRtcPipes(options: WebRtcOptions = {}): MakeDataPipe | null {
  const environment = environmentOf(options)
  const { implementation } = environment
  const { iceTransportPolicy = 'all' } = options
  return implementation
    ? (host, events) => new WebRtcPipe({ host, events, environment, implementation, iceTransportPolicy })
    : null
}

/** A peer connection for data alone. The visitor's side starts attempts; the agent's asks for one. */
class WebRtcPipe implements DataPipe {
  readonly #options: PipeOptions
  readonly #signals: SignalReader
  readonly #arrivals = new RemoteAttempts()
  #attempt: PeerAttempt | undefined
  /** The attempt whose channel has opened. */
  #opened: PeerAttempt | undefined
  #channel: RTCDataChannel | undefined

  constructor(options: PipeOptions) {
    this.#options = options
    this.#signals = new SignalReader(options.host.clock)
  }

  get isOpen(): boolean {
    return this.#isOpened && this.#channel?.readyState === 'open'
  }

  get bufferedBytes(): number {
    return this.#channel?.bufferedAmount ?? 0
  }

  get frameBytes(): number {
    return Math.min(FRAME_BYTES, this.#attempt?.peer?.connection?.sctp?.maxMessageSize ?? FRAME_BYTES)
  }

  connect(): void {
    if (this.#attempt) return
    if (isInitiator(this.#options.host.slot)) this.#begin()
    else this.#signal({ type: 'want' })
  }

  receive(data: JsonValue): void {
    const signal = this.#signals.read(data)
    if (!signal) return
    if (!('attempt' in signal)) return this.#wanted()
    if (signal.attempt !== this.#attempt?.id) this.#meet(signal)
    else if ('peer' in signal) this.#attempt.accept(signal.peer)
    else if (signal.type === 'bye') this.#lose(this.#attempt, false)
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    if (!this.#channel) throw new Error('there is no connection')
    this.#channel.send(bytes)
  }

  close(): void {
    if (this.#attempt) this.#discard(this.#attempt, true)
  }

  get #isOpened(): boolean {
    return this.#attempt !== undefined && this.#attempt === this.#opened
  }

  /** The other side asks for an attempt. One that was up is lost there. */
  #wanted(): void {
    if (!isInitiator(this.#options.host.slot)) return
    if (this.#attempt && this.#isOpened) this.#lose(this.#attempt, true)
    if (!this.#attempt) this.#begin()
  }

  /** An attempt that is not known: a new one, if it starts with an offer. */
  #meet(signal: AttemptSignal): void {
    const attempt =
      this.#arrivals.receive(signal, !isInitiator(this.#options.host.slot)) === 'new' && this.#arrivals.take()
    if (!attempt) return
    if (this.#attempt) this.#lose(this.#attempt, false)
    void this.#open(attempt)
  }

  #begin(): void {
    void this.#open(new PeerAttempt(this.#options.environment.newId()))
  }

  async #open(attempt: PeerAttempt): Promise<void> {
    const { host, implementation, iceTransportPolicy } = this.#options
    this.#attempt = attempt
    try {
      const iceServers = await host.iceServers()
      if (this.#attempt !== attempt) return
      const peer = new Peer({
        initiator: isInitiator(host.slot),
        implementation,
        configuration: { iceServers: toIceServers(iceServers), iceTransportPolicy },
        onData: (channel, over) => this.#watch(attempt, channel, over),
        events: {
          signal: (signal) =>
            this.#attempt === attempt && this.#signal({ attempt: attempt.id, peer: signal }),
          lines: () => {},
          connected: () => {},
          interrupted: () => this.#lose(attempt, true),
          refused: () => {},
          closed: () => this.#lose(attempt, true),
        },
      })
      attempt.open(peer)
    } catch {
      this.#lose(attempt, true)
    }
  }

  #watch(attempt: PeerAttempt, channel: RTCDataChannel, signal: AbortSignal): void {
    const { events } = this.#options
    this.#channel = channel
    channel.binaryType = 'arraybuffer'
    channel.bufferedAmountLowThreshold = PIPE_WATERMARKS.low
    const listen = (name: string, run: (event: Event) => void): void =>
      channel.addEventListener(name, (event) => this.#attempt === attempt && run(event), { signal })
    listen('open', () => {
      if (this.frameBytes < LEAST_FRAME_BYTES) return this.#lose(attempt, true)
      this.#opened = attempt
      events.opened()
    })
    listen('message', (event) => {
      const { data } = event as MessageEvent<unknown>
      if (data instanceof ArrayBuffer) events.message(new Uint8Array(data))
    })
    listen('bufferedamountlow', () => events.drained())
    listen('close', () => this.#lose(attempt, true))
  }

  #lose(attempt: PeerAttempt, tell: boolean): void {
    if (this.#attempt !== attempt) return
    this.#discard(attempt, tell)
    this.#options.events.closed()
  }

  #discard(attempt: PeerAttempt, tell: boolean): void {
    this.#attempt = this.#opened = this.#channel = undefined
    this.#arrivals.ended(attempt.id)
    attempt.peer?.destroy()
    if (tell) this.#signal({ attempt: attempt.id, type: 'bye' })
  }

  #signal(signal: Signal): void {
    this.#options.host.signal(toJson(signal))
  }
}
