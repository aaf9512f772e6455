/** Runs in the page: one WebRTC engine, driven by a test. */
import { WebRtcEngine } from '../../engines/index.ts'
import type { EngineEvent, WebRtcOptions } from '../../engines/index.ts'
import type { JsonValue, Observation, PartialMediaState, Slot } from '../../protocol/index.ts'

type Outcome = 'done' | { readonly code: string; readonly message: string }

export interface EnginePage {
  readonly engine: WebRtcEngine
  readonly events: EngineEvent[]
  readonly observations: Observation[]
  readonly connections: RTCPeerConnection[]
  /** Intervals that run. */
  readonly intervals: ReadonlySet<unknown>
  /** Tracks that a device gave. */
  readonly captured: MediaStreamTrack[]
  attach(
    slot: Slot,
    iceServers?: readonly {
      readonly urls: readonly string[]
      readonly username?: string
      readonly credential?: string
    }[],
  ): void
  transit(from: PartialMediaState, to: PartialMediaState): Promise<Outcome>
  /** Streams by medium. */
  rx(medium: string): MediaStream | undefined
  tx(medium: string): MediaStream | undefined
}

declare global {
  interface Window {
    page: EnginePage
    /** Gives a signal to the other page. Set by the test. */
    relay(data: JsonValue): Promise<void>
    makePage(options?: WebRtcOptions): void
  }
}

const connections: RTCPeerConnection[] = []
const captured: MediaStreamTrack[] = []
const intervals = new Set<unknown>()
const startInterval = window.setInterval.bind(window)
const endInterval = window.clearInterval.bind(window)
window.setInterval = ((run: () => void, ms?: number) => {
  const handle = startInterval(run, ms)
  intervals.add(handle)
  return handle
}) as typeof window.setInterval
window.clearInterval = (handle) => {
  intervals.delete(handle)
  endInterval(handle)
}
const Real = window.RTCPeerConnection
window.RTCPeerConnection = class extends Real {
  constructor(configuration?: RTCConfiguration) {
    super(configuration)
    connections.push(this)
  }
}
for (const name of ['getUserMedia', 'getDisplayMedia'] as const) {
  const real = navigator.mediaDevices[name].bind(navigator.mediaDevices)
  navigator.mediaDevices[name] = async (constraints?: MediaStreamConstraints) => {
    const stream = await real(constraints)
    captured.push(...stream.getTracks())
    return stream
  }
}

window.makePage = (options) => {
  const engine = new WebRtcEngine(options)
  const events: EngineEvent[] = []
  const observations: Observation[] = []
  window.page = {
    engine,
    events,
    observations,
    connections,
    captured,
    intervals,
    attach: (slot, iceServers = []) =>
      engine.attach({
        slot,
        signal: (data) => void window.relay(data),
        iceServers: () => Promise.resolve(iceServers),
        report: (event) => void events.push(event),
        observed: (observation) => void observations.push(observation),
        clock: {
          now: () => performance.now(),
          setTimeout: (run, ms) => window.setTimeout(run, ms),
          clearTimeout: (handle) => window.clearTimeout(handle as number),
        },
      }),
    transit: (from, to) =>
      engine
        .transit({ from, to, wasOffered: false, restore: false, signal: new AbortController().signal })
        .then(
          () => 'done' as const,
          ({ code, message }: { code: string; message: string }) => ({ code, message }),
        ),
    rx: (medium) => engine.data()[medium]?.rx_stream,
    tx: (medium) => engine.data()[medium]?.tx_stream,
  }
}
