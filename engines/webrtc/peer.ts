import type { WebRtcImplementation } from './environment.ts'
import { Gathering } from './gathering.ts'
import { hasRelay } from './ice-servers.ts'
import { MEDIA_TRANSCEIVERS } from './media-transceivers.ts'
import type { MediaTransceiver } from './media-transceivers.ts'
import { OfferAnswer } from './offer-answer.ts'
import type { PeerSignal } from './signals.ts'

export interface PeerEvents {
  signal(signal: PeerSignal): void
  /** The lines are there, and tracks can be set. */
  lines(lines: readonly MediaTransceiver[]): void
  connected(): void
  /** The network is gone for now. */
  interrupted(): void
  /** The browser refused a candidate of the other side. */
  refused(): void
  /** Over, and not by `destroy`. */
  closed(error: unknown): void
}

export interface PeerOptions {
  readonly initiator: boolean
  readonly implementation: WebRtcImplementation
  readonly configuration: RTCConfiguration
  readonly events: PeerEvents
  /** An offer is answered when this side has agreed. */
  readonly agreed?: Promise<void>
  /**
   * Makes a connection without lines, for data alone: gives its channel, which opens with the connection, and
   * a signal that ends the channel's listeners with the connection.
   */
  readonly onData?: (channel: RTCDataChannel, over: AbortSignal) => void
}

/** Carries nothing: it closes where the other side closes the connection, which no state tells at once. */
const LIVENESS_CHANNEL: RTCDataChannelInit = { negotiated: true, id: 0 }
const DATA_CHANNEL: RTCDataChannelInit = { negotiated: true, id: 1 }

/** One attempt at a connection with all its lines. */
export class Peer {
  readonly #configuration: RTCConfiguration
  readonly #implementation: WebRtcImplementation
  readonly #events: PeerEvents
  readonly #real: RTCPeerConnection
  readonly #exchange: OfferAnswer
  readonly #gathering: Gathering
  /** The lines of the answering side are open. */
  #hasLines = false
  /**
   * Aborted by `destroy`, and with it goes every listener: Chromium may keep a closed connection in memory,
   * and would keep all that its listeners reach.
   */
  readonly #ending = new AbortController()

  /** @throws what the browser throws where it cannot make the connection */
  constructor({ initiator, implementation, configuration, events, agreed, onData }: PeerOptions) {
    this.#events = events
    this.#implementation = implementation
    this.#configuration = { bundlePolicy: 'max-bundle', ...configuration }
    const { signal } = this.#ending
    this.#gathering = new Gathering(
      (reason) => configuration.iceTransportPolicy === 'relay' && this.#end(new Error(reason)),
    )
    const real = new implementation.RTCPeerConnection(this.#configuration)
    this.#real = real
    this.#exchange = new OfferAnswer(real, {
      initiator,
      over: signal,
      events: {
        signal: (told) => events.signal(told),
        offered: () => {
          if (!onData) this.#openLines()
          return agreed
        },
        refused: () => events.refused(),
        failed: (error) => this.#end(error),
      },
    })
    try {
      this.#gathering.watch(real, signal)
      for (const name of ['connectionstatechange', 'iceconnectionstatechange'])
        real.addEventListener(name, () => this.#report(), { signal })
      this.#watchLiveness(real.createDataChannel('liveness', LIVENESS_CHANNEL))
      onData?.(real.createDataChannel('data', DATA_CHANNEL), signal)
      if (initiator && !onData) this.#makeLines()
    } catch (error) {
      this.destroy()
      throw error
    }
    if (initiator) this.#exchange.offer()
  }

  get #isDestroyed(): boolean {
    return this.#ending.signal.aborted
  }

  /** The real connection, for statistics. */
  get connection(): RTCPeerConnection | undefined {
    return this.#isDestroyed ? undefined : this.#real
  }

  /**
   * Takes a signal of the other side; false where it does not fit the state of the connection and was
   * dropped.
   */
  accept(signal: PeerSignal): boolean {
    return this.#exchange.accept(signal)
  }

  /** Why addresses of this side are missing, as the browser says. */
  get trouble(): string | undefined {
    return this.#gathering.trouble
  }

  /** The description of the other side that is in force. */
  get remoteSdp(): string | undefined {
    return this.#real.currentRemoteDescription?.sdp
  }

  /** Servers for the next search for paths; where the browser refuses them, those of before stay in use. */
  refresh(iceServers: RTCIceServer[], iceTransportPolicy = this.#configuration.iceTransportPolicy): void {
    if (this.#isDestroyed) return
    try {
      this.#real.setConfiguration({
        ...this.#configuration,
        iceServers,
        ...(iceTransportPolicy && { iceTransportPolicy }),
      })
    } catch {
      // A search with the servers of before may find a path, too.
    }
  }

  /** Whether there are TURN servers that are not used alone already. */
  get canRelay(): boolean {
    const { iceServers, iceTransportPolicy } = this.#real.getConfiguration()
    return iceTransportPolicy !== 'relay' && hasRelay(iceServers)
  }

  /**
   * Finds new paths through the network; with `relay` only through TURN servers, until the next restart. Of
   * the initiator only.
   */
  restart(iceServers: RTCIceServer[], iceTransportPolicy?: RTCIceTransportPolicy): void {
    if (this.#isDestroyed) return
    this.refresh(iceServers, iceTransportPolicy)
    this.#real.restartIce()
    this.renegotiate()
  }

  /** Exchanges descriptions once more. Of the initiator only. */
  renegotiate(): void {
    this.#exchange.offer()
  }

  /** Closes the connection at once; no event follows. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#ending.abort()
    this.#real.close()
  }

  /** Some browsers stay in `closing`, and never tell `close`. */
  #watchLiveness(channel: RTCDataChannel): void {
    for (const name of ['closing', 'close', 'error'])
      channel.addEventListener(name, (event) => this.#end((event as Partial<RTCErrorEvent>).error), {
        signal: this.#ending.signal,
      })
  }

  #report(): void {
    if (this.#isDestroyed) return
    const { connectionState, iceConnectionState } = this.#real
    const isFound = iceConnectionState === 'connected' || iceConnectionState === 'completed'
    const isLost = [connectionState, iceConnectionState].some(
      (state) => state === 'disconnected' || state === 'failed',
    )
    if (connectionState === 'closed' || iceConnectionState === 'closed')
      this.#end(new Error('the browser closed the connection'))
    else if (connectionState === 'connected' && isFound) this.#events.connected()
    else if (isLost) this.#events.interrupted()
  }

  #makeLines(): void {
    const streams = this.#groups()
    const lines = MEDIA_TRANSCEIVERS.map((line) => ({
      ...line,
      transceiver: this.#real.addTransceiver(line.kind, {
        direction: 'sendrecv',
        streams: streams(line.group),
      }),
    }))
    this.#events.lines(lines)
  }

  /**
   * The initiator's first offer makes this side's transceivers, which would only receive. Lines that a later
   * version adds stay so.
   */
  #openLines(): void {
    if (this.#hasLines) return
    const transceivers = this.#real.getTransceivers()
    const streams = this.#groups()
    const lines = MEDIA_TRANSCEIVERS.map((line, index) => {
      const transceiver = transceivers[index]
      if (transceiver?.receiver.track.kind !== line.kind)
        throw new Error(`the other side has no ${line.kind} line for ${line.medium}`)
      transceiver.direction = 'sendrecv'
      transceiver.sender.setStreams?.(...streams(line.group))
      return { ...line, transceiver }
    })
    this.#hasLines = true
    this.#events.lines(lines)
  }

  #groups(): (group: number) => MediaStream[] {
    const streams = new Map(
      MEDIA_TRANSCEIVERS.map(({ group }) => [group, new this.#implementation.MediaStream()]),
    )
    return (group) => [streams.get(group) ?? new this.#implementation.MediaStream()]
  }

  #end(error: unknown): void {
    if (this.#isDestroyed) return
    this.destroy()
    this.#events.closed(error)
  }
}
