/** WebRTC in Node with devices whose picture and tone a test can recognise on the other side. */
import wrtc from '@roamhq/wrtc'
import type { CaptureDevices, WebRtcImplementation } from '../../engines/index.ts'
import type { Colour } from './camera.ts'
import { i420 } from './camera.ts'
import { PatientUser } from '../../testing/patient-user.ts'

const { RTCAudioSink, RTCAudioSource, RTCVideoSink, RTCVideoSource } = wrtc.nonstandard

const SIZE = { width: 160, height: 120 }
const RATE = 48_000

/** Node's WebRTC, which counts the connections that are not closed. */
export function countingImplementation(): {
  readonly wrtc: WebRtcImplementation
  readonly made: readonly RTCPeerConnection[]
  readonly open: () => number
} {
  const made: RTCPeerConnection[] = []
  const Counted = function (configuration?: RTCConfiguration): RTCPeerConnection {
    const connection = new wrtc.RTCPeerConnection(configuration)
    made.push(connection)
    return connection
  }
  return {
    wrtc: {
      RTCPeerConnection: Counted as unknown as typeof RTCPeerConnection,
      MediaStream: wrtc.MediaStream,
    },
    made,
    open: () => made.filter(({ signalingState }) => signalingState !== 'closed').length,
  }
}

export function film(colour: Colour): MediaStreamTrack {
  const source = new RTCVideoSource()
  const track = source.createTrack()
  const data = i420(colour, SIZE.width, SIZE.height)
  const timer = setInterval(
    () => (track.readyState === 'live' ? source.onFrame({ ...SIZE, data }) : clearInterval(timer)),
    30,
  )
  return track
}

export function tone(hz: number): MediaStreamTrack {
  const source = new RTCAudioSource()
  const track = source.createTrack()
  let at = 0
  const timer = setInterval(() => {
    if (track.readyState !== 'live') return clearInterval(timer)
    const samples = Int16Array.from(
      { length: RATE / 100 },
      () => 12_000 * Math.sin((2 * Math.PI * hz * at++) / RATE),
    )
    source.onData({
      samples,
      sampleRate: RATE,
      bitsPerSample: 16,
      channelCount: 1,
      numberOfFrames: samples.length,
    })
  }, 10)
  return track
}

export interface NodeDevicesOptions {
  readonly camera?: Colour
  readonly screen?: Colour
  readonly toneHz?: number
}

/**
 * A microphone, a camera and a screen. What they are asked is in `asked`; every track that was ever given is
 * in `tracks`.
 */
export class NodeDevices extends PatientUser implements CaptureDevices {
  readonly #options: Required<NodeDevicesOptions>
  readonly asked: (MediaStreamConstraints | DisplayMediaStreamOptions)[] = []
  readonly tracks: MediaStreamTrack[] = []
  /** Thrown by the next calls, one each. */
  readonly failures: unknown[] = []

  constructor(options: NodeDevicesOptions = {}) {
    super()
    this.#options = { camera: [208, 32, 32], screen: [32, 64, 208], toneHz: 600, ...options }
  }

  get live(): number {
    return this.tracks.filter(({ readyState }) => readyState === 'live').length
  }

  async getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream> {
    this.asked.push(constraints)
    await this.#decide()
    const { camera, toneHz } = this.#options
    return this.#give([
      ...(constraints.audio ? [tone(toneHz)] : []),
      ...(constraints.video ? [film(camera)] : []),
    ])
  }

  async getDisplayMedia(options: DisplayMediaStreamOptions = {}): Promise<MediaStream> {
    this.asked.push(options)
    await this.#decide()
    return this.#give([film(this.#options.screen)])
  }

  /** The device of a track goes away, as when it is unplugged or its share is stopped at the browser. */
  unplug(kind: string): void {
    for (const track of this.tracks) {
      if (track.kind !== kind || track.readyState !== 'live') continue
      track.stop()
      track.dispatchEvent({ type: 'ended' } as Event)
    }
  }

  stopAll(): void {
    for (const track of this.tracks) track.stop()
  }

  async #decide(): Promise<void> {
    await this.answered()
    if (this.failures.length > 0) throw this.failures.shift()
  }

  #give(tracks: readonly MediaStreamTrack[]): MediaStream {
    this.tracks.push(...tracks)
    return new wrtc.MediaStream([...tracks])
  }
}

export interface Watcher {
  /** Frames since it was made. */
  frames: number
  /** Y, U, V of the middle of the last frame. */
  yuv: Colour | undefined
  stop(): void
}

/** The track of a kind in a stream that has to have one. */
export function trackOf(stream: MediaStream | undefined, kind: 'audio' | 'video'): MediaStreamTrack {
  const track = stream?.getTracks().find((one) => one.kind === kind)
  if (!track) throw new Error(`there is no ${kind}`)
  return track
}

/** Looks at a video track. */
export function watch(track: MediaStreamTrack): Watcher {
  const sink = new RTCVideoSink(track)
  const watcher: Watcher = { frames: 0, yuv: undefined, stop: () => sink.stop() }
  sink.onframe = ({
    frame: { width, height, data },
  }: {
    frame: { width: number; height: number; data: Uint8Array }
  }) => {
    const chroma = (height / 4) * (width / 2) + width / 4
    watcher.frames++
    watcher.yuv = [
      data[(height / 2) * width + width / 2] ?? 0,
      data[width * height + Math.floor(chroma)] ?? 0,
      data[width * height * 1.25 + Math.floor(chroma)] ?? 0,
    ]
  }
  return watcher
}

/** Whether a watcher shows a colour now. */
export function shows(watcher: Watcher, colour: Colour): boolean {
  const picture = i420(colour, 2, 2)
  const wanted = [picture[0] ?? 0, picture[4] ?? 0, picture[5] ?? 0]
  return (
    watcher.yuv !== undefined &&
    watcher.yuv.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) < 24)
  )
}

export interface Listener {
  /** Loudest sample of the last tenth of a second, 0 to 32,767; -1 before the first one. */
  level: number
  /** Loudest sample since it was made. */
  loudest: number
  stop(): void
}

/** Listens to an audio track. */
export function listen(track: MediaStreamTrack): Listener {
  const sink = new RTCAudioSink(track)
  const peaks: number[] = []
  const listener: Listener = { level: -1, loudest: 0, stop: () => sink.stop() }
  sink.ondata = ({ samples }: { samples: Int16Array }) => {
    peaks.push(samples.reduce((peak: number, sample: number) => Math.max(peak, Math.abs(sample)), 0))
    if (peaks.length > 10) peaks.shift()
    listener.loudest = Math.max(listener.loudest, ...peaks)
    listener.level = peaks.length < 10 ? -1 : Math.max(...peaks)
  }
  return listener
}

/** Waits until a condition holds; polls, with a deadline. */
export async function until(what: string, condition: () => boolean, deadlineMs = 5_000): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
