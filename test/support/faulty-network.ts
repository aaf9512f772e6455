import type { WebRtcImplementation } from '../../engines/index.ts'

/** WebRTC whose connections seem to lose the network whenever a test says so. Everything else is real. */
export class FaultyNetwork {
  readonly wrtc: WebRtcImplementation
  readonly #connections: RTCPeerConnection[] = []
  #state: RTCPeerConnectionState | undefined
  /**
   * What the statistics of a connection say, if not the truth: then paths are not looked for anew either,
   * which would be seen.
   */
  report: (() => RTCStatsReport) | undefined
  /** ICE servers of each `setConfiguration`, and each `restartIce`. */
  readonly restarts: RTCIceServer[][] = []

  constructor(wrtc: WebRtcImplementation) {
    const Faulty = (configuration?: RTCConfiguration): RTCPeerConnection =>
      this.#make(new wrtc.RTCPeerConnection(configuration))
    this.wrtc = {
      ...wrtc,
      RTCPeerConnection: function (configuration?: RTCConfiguration) {
        return Faulty(configuration)
      } as unknown as typeof RTCPeerConnection,
    }
  }

  cut(state: RTCPeerConnectionState = 'disconnected'): void {
    this.#say(state)
  }

  heal(): void {
    this.#say(undefined)
  }

  #say(state: RTCPeerConnectionState | undefined): void {
    this.#state = state
    for (const connection of this.#connections)
      connection.dispatchEvent({ type: 'connectionstatechange' } as Event)
  }

  #make(real: RTCPeerConnection): RTCPeerConnection {
    this.#connections.push(real)
    return new Proxy(real, {
      get: (target, name) => {
        if (name === 'connectionState') return this.#state ?? target.connectionState
        if (name === 'getStats')
          return () => (this.report ? Promise.resolve(this.report()) : target.getStats())
        if (name === 'restartIce' && this.report) return () => {}
        if (name === 'setConfiguration') {
          return ({ iceServers = [] }: RTCConfiguration) => {
            this.restarts.push(iceServers)
            if (!this.report)
              target.setConfiguration({ iceServers, bundlePolicy: 'max-bundle', iceTransportPolicy: 'all' })
          }
        }
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    })
  }
}
