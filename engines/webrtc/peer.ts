/** The only importer of simple-peer. Loaded when a connection is first needed. */
import SimplePeer from 'simple-peer'
import type { WebRtcImplementation } from './environment.ts'
import { Gathering } from './gathering.ts'
import { fits } from './glare.ts'
import { hasRelay } from './ice-servers.ts'
import { MEDIA_TRANSCEIVERS } from './media-transceivers.ts'
import type { MediaTransceiver } from './media-transceivers.ts'
import type { CandidateInit, PeerSignal } from './signals.ts'
import { wrapImplementation } from './wrapped-connection.ts'

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
  /** Makes a connection without lines, for data alone: gives its channel, which opens with the connection. */
  readonly onData?: (channel: RTCDataChannel) => void
}

/** Beside simple-peer's own channel, whose stream would be in the way. */
const DATA_CHANNEL: RTCDataChannelInit = { negotiated: true, id: 1 }

const ICE_COMPLETE_TIMEOUT_MS = 100

/** One attempt at a connection with all its lines. */
export class Peer {
  readonly #initiator: boolean
  readonly #configuration: RTCConfiguration
  readonly #implementation: WebRtcImplementation
  readonly #events: PeerEvents
  readonly #simple: SimplePeer.Instance
  readonly #watch = (): void => this.#report()
  readonly #gathering: Gathering
  #real: RTCPeerConnection | undefined
  #destroyed = false

  constructor({ initiator, implementation, configuration, events, agreed, onData }: PeerOptions) {
    this.#initiator = initiator
    this.#events = events
    this.#implementation = implementation
    this.#configuration = { bundlePolicy: 'max-bundle', ...configuration }
    this.#gathering = new Gathering(
      (reason) => configuration.iceTransportPolicy === 'relay' && this.#end(new Error(reason)),
    )
    this.#simple = new SimplePeer({
      initiator,
      objectMode: true,
      channelConfig: { negotiated: true, id: 0 },
      config: this.#configuration,
      iceCompleteTimeout: ICE_COMPLETE_TIMEOUT_MS,
      wrtc: wrapImplementation(implementation, {
        made: (real) => {
          this.#hold(real)
          onData?.(real.createDataChannel('data', DATA_CHANNEL))
        },
        described: async (real, type) => {
          if (type !== 'offer') return
          if (!onData) this.#openLines(real)
          await agreed
        },
        refused: () => events.refused(),
      }),
    })
    this.#simple.on('signal', (data) => this.#send(data))
    // The stream keeps what nobody reads, and the remote may send without end.
    this.#simple.on('data', () => {})
    this.#simple.on('error', (error) => this.#end(error))
    this.#simple.on('close', () => this.#end(undefined))
    if (initiator && this.#real && !onData) this.#makeLines(this.#real)
  }

  /** The real connection, for statistics. */
  get connection(): RTCPeerConnection | undefined {
    return this.#destroyed ? undefined : this.#real
  }

  /**
   * Takes a signal of the other side; false where it does not fit the state of the connection and was
   * dropped.
   */
  accept(signal: PeerSignal): boolean {
    if (this.#destroyed || !this.#real) return false
    if (signal.type === 'candidate')
      this.#simple.signal({ type: 'candidate', candidate: signal.candidate as RTCIceCandidate })
    else if (!fits(signal.type, this.#initiator, this.#real.signalingState)) return false
    else this.#simple.signal(signal)
    return true
  }

  /** Why addresses of this side are missing, as the browser says. */
  get trouble(): string | undefined {
    return this.#gathering.trouble
  }

  /** The description of the other side that is in force. */
  get remoteSdp(): string | undefined {
    return this.#real?.currentRemoteDescription?.sdp
  }

  /** Servers for the next search for paths. */
  refresh(iceServers: RTCIceServer[]): void {
    if (!this.#destroyed) this.#real?.setConfiguration({ ...this.#configuration, iceServers })
  }

  /** Whether there are TURN servers that are not used alone already. */
  get canRelay(): boolean {
    const { iceServers, iceTransportPolicy } = this.#real?.getConfiguration() ?? {}
    return iceTransportPolicy !== 'relay' && hasRelay(iceServers)
  }

  /**
   * Finds new paths through the network; with `relay` only through TURN servers, until the next restart. Of
   * the initiator only.
   */
  restart(iceServers: RTCIceServer[], iceTransportPolicy = this.#configuration.iceTransportPolicy): void {
    if (this.#destroyed || !this.#real) return
    this.#real.setConfiguration({
      ...this.#configuration,
      iceServers,
      ...(iceTransportPolicy && { iceTransportPolicy }),
    })
    this.#real.restartIce()
    this.renegotiate()
  }

  /** Exchanges descriptions once more. Of the initiator only. */
  renegotiate(): void {
    if (!this.#destroyed) (this.#simple as SimplePeer.Instance & { negotiate(): void }).negotiate()
  }

  /** Closes the connection at once; no event follows. */
  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#real?.removeEventListener('connectionstatechange', this.#watch)
    this.#real?.removeEventListener('iceconnectionstatechange', this.#watch)
    this.#gathering.stop()
    this.#simple.destroy()
    this.#real?.close()
  }

  #hold(real: RTCPeerConnection): void {
    this.#real = real
    real.addEventListener('connectionstatechange', this.#watch)
    real.addEventListener('iceconnectionstatechange', this.#watch)
    this.#gathering.watch(real)
  }

  #report(): void {
    const { connectionState, iceConnectionState } = this.#real ?? {}
    if (
      connectionState === 'connected' &&
      (iceConnectionState === 'connected' || iceConnectionState === 'completed')
    )
      this.#events.connected()
    else if (
      [connectionState, iceConnectionState].some((state) => state === 'disconnected' || state === 'failed')
    )
      this.#events.interrupted()
  }

  #makeLines(real: RTCPeerConnection): void {
    const streams = this.#groups()
    const lines = MEDIA_TRANSCEIVERS.map((line) => ({
      ...line,
      transceiver: real.addTransceiver(line.kind, { direction: 'sendrecv', streams: streams(line.group) }),
    }))
    this.#events.lines(lines)
  }

  /**
   * The initiator's offer makes this side's transceivers, which would only receive. Later offers find them
   * open.
   */
  #openLines(real: RTCPeerConnection): void {
    const transceivers = real.getTransceivers()
    if (transceivers.every(({ direction }) => direction === 'sendrecv')) return
    const streams = this.#groups()
    const lines = MEDIA_TRANSCEIVERS.map((line, index) => {
      const transceiver = transceivers[index]
      if (transceiver?.receiver.track.kind !== line.kind)
        throw new Error(`the other side has no ${line.kind} line for ${line.medium}`)
      transceiver.direction = 'sendrecv'
      transceiver.sender.setStreams?.(...streams(line.group))
      return { ...line, transceiver }
    })
    this.#events.lines(lines)
  }

  #groups(): (group: number) => MediaStream[] {
    const streams = new Map(
      MEDIA_TRANSCEIVERS.map(({ group }) => [group, new this.#implementation.MediaStream()]),
    )
    return (group) => [streams.get(group) ?? new this.#implementation.MediaStream()]
  }

  #send(data: SimplePeer.SignalData): void {
    if (this.#destroyed) return
    const type = data.type
    if (type === 'candidate')
      this.#events.signal({ type, candidate: { ...(data.candidate as CandidateInit) } })
    else if ((type === 'offer' || type === 'answer') && data.sdp !== undefined)
      this.#events.signal({ type, sdp: data.sdp })
  }

  #end(error: unknown): void {
    if (this.#destroyed) return
    this.destroy()
    this.#events.closed(error)
  }
}
