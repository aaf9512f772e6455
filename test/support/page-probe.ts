/** Runs in the page: looks at and listens to a stream as a user would, by decoding it. */

export interface Probe {
  /** Mean colour of the middle of the picture now; nothing before the first frame. */
  colour(target: Element | MediaStream | null | undefined): readonly number[] | undefined
  /** Frames decoded since this stream was first asked about. */
  frames(target: Element | MediaStream | null | undefined): number
  /** Whether a tone stands out of what can be heard now. */
  hears(target: Element | MediaStream | null | undefined, hz: number): boolean
  /** For how long nothing at all has been audible, milliseconds; 0 while something is. */
  silentForMs(target: Element | MediaStream | null | undefined): number
}

interface Viewer {
  readonly video: HTMLVideoElement
  frames: number
}

interface Listener {
  readonly analyser: AnalyserNode
  readonly player: HTMLAudioElement
  silentSince: number | undefined
}

const viewers = new WeakMap<MediaStream, Viewer>()
const listeners = new WeakMap<MediaStream, Listener>()
let audioContext: AudioContext | undefined

function streamOf(target: Element | MediaStream | null | undefined): MediaStream | undefined {
  if (target instanceof MediaStream) return target
  const source = target instanceof HTMLMediaElement ? target.srcObject : undefined
  return source instanceof MediaStream ? source : undefined
}

function viewerOf(stream: MediaStream): Viewer {
  const known = viewers.get(stream)
  if (known) return known
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.srcObject = stream
  void video.play().catch(() => undefined)
  const viewer: Viewer = { video, frames: 0 }
  const count = (): void => {
    viewer.frames++
    video.requestVideoFrameCallback(count)
  }
  video.requestVideoFrameCallback(count)
  viewers.set(stream, viewer)
  return viewer
}

function listenerOf(stream: MediaStream): Listener | undefined {
  const known = listeners.get(stream)
  if (known) return known
  if (stream.getAudioTracks().length === 0) return undefined
  audioContext ??= new AudioContext()
  void audioContext.resume()
  // Chromium decodes a remote track only while a media element plays it (crbug 933677).
  const player = new Audio()
  player.muted = true
  player.srcObject = stream
  void player.play().catch(() => undefined)
  const analyser = audioContext.createAnalyser()
  analyser.fftSize = 4096
  analyser.smoothingTimeConstant = 0
  audioContext.createMediaStreamSource(stream).connect(analyser)
  const listener: Listener = { analyser, player, silentSince: undefined }
  listeners.set(stream, listener)
  return listener
}

function spectrum({ analyser }: Listener): Float32Array {
  const decibels = new Float32Array(analyser.frequencyBinCount)
  analyser.getFloatFrequencyData(decibels)
  return decibels
}

const AUDIBLE_DB = -60

const probe: Probe = {
  colour(target) {
    const stream = streamOf(target)
    const video = stream && viewerOf(stream).video
    if (!video || video.readyState < 2 || video.videoWidth === 0) return undefined
    const canvas = new OffscreenCanvas(8, 8)
    const context = canvas.getContext('2d')
    if (!context) return undefined
    context.drawImage(
      video,
      video.videoWidth / 4,
      video.videoHeight / 4,
      video.videoWidth / 2,
      video.videoHeight / 2,
      0,
      0,
      8,
      8,
    )
    const { data } = context.getImageData(0, 0, 8, 8)
    return [0, 1, 2].map((channel) =>
      Math.round(data.reduce((sum, value, i) => (i % 4 === channel ? sum + value : sum), 0) / 64),
    )
  },
  frames(target) {
    const stream = streamOf(target)
    return stream ? viewerOf(stream).frames : 0
  },
  hears(target, hz) {
    const stream = streamOf(target)
    const listener = stream && listenerOf(stream)
    if (!listener) return false
    const decibels = spectrum(listener)
    const loudest = decibels.reduce(
      (best, value, bin) => (value > (decibels[best] ?? -Infinity) ? bin : best),
      0,
    )
    const binHz = listener.analyser.context.sampleRate / listener.analyser.fftSize
    return (decibels[loudest] ?? -Infinity) > AUDIBLE_DB && Math.abs(loudest * binHz - hz) <= 2 * binHz
  },
  silentForMs(target) {
    const stream = streamOf(target)
    const listener = stream && listenerOf(stream)
    if (!listener) return 0
    const audible = spectrum(listener).some((value) => value > AUDIBLE_DB)
    listener.silentSince = audible ? undefined : (listener.silentSince ?? performance.now())
    return listener.silentSince === undefined ? 0 : performance.now() - listener.silentSince
  },
}

declare global {
  var __duologProbe: Probe | undefined
}

globalThis.__duologProbe ??= probe
