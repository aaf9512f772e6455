/** Records what somebody says, as a file. The microphone is open while it records, and no longer. */
import type { ErrorCode } from './sdk.ts'
import { Changes } from './observable.ts'
import type { Observable } from './observable.ts'

/** A longer one ends by itself, and waits to be sent, as does one that is not seen any more. */
export const LONGEST_MS = 5 * 60_000

/** What records, by the first type that the browser knows; each with the end of the file's name. */
const TYPES = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg;codecs=opus', 'ogg'],
] as const

/** The browser, as far as a recording needs it. */
export interface RecorderWorld {
  readonly open: () => Promise<MediaStream>
  readonly recorder: (stream: MediaStream, type: string) => MediaRecorder
  readonly isTypeSupported: (type: string) => boolean
  /** Gives how loud it is, 0 to 1, until it is closed. */
  readonly meter: (stream: MediaStream) => { readonly level: () => number; readonly close: () => void }
  /** Milliseconds. */
  readonly now: () => number
}

type Phase = 'asking' | 'recording' | 'full' | 'failed' | 'over'

export class VoiceRecorder implements Observable {
  readonly #world: RecorderWorld
  readonly #changes = new Changes()
  readonly #chunks: Blob[] = []
  #phase: Phase = 'asking'
  #failure: ErrorCode | null = null
  #stream: MediaStream | null = null
  #recorder: MediaRecorder | null = null
  #meter: ReturnType<RecorderWorld['meter']> | null = null
  #ended: Promise<void> = Promise.resolve()
  #from = 0
  #lastedMs = 0

  constructor(world: RecorderWorld) {
    this.#world = world
  }

  get phase(): Phase {
    return this.#phase
  }

  get failure(): ErrorCode | null {
    return this.#failure
  }

  /** How long it lasts so far, milliseconds. */
  get lastsMs(): number {
    return this.#phase === 'recording' ? this.#world.now() - this.#from : this.#lastedMs
  }

  /** How loud it is, 0 to 1. */
  get level(): number {
    return this.#meter?.level() ?? 0
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** Asks for the microphone and begins. */
  async start(): Promise<void> {
    try {
      const stream = await this.#world.open()
      if (this.#phase !== 'asking') return giveBack(stream)
      this.#stream = stream
      this.#record(stream)
    } catch (error) {
      this.#release()
      if (this.#phase === 'asking') this.#become('failed', failureOf(error))
    }
  }

  /** Looks at the time: at the longest it stops, and as soon as it is not seen any more. */
  tick(isSeen: boolean): void {
    if (this.#phase === 'asking' && !isSeen) return this.cancel()
    if (this.#phase !== 'recording' || (isSeen && this.lastsMs < LONGEST_MS)) return
    this.#stop()
    this.#become('full')
  }

  /** Ends, and gives the file; null where nothing was recorded. */
  async finish(): Promise<File | null> {
    const isThere = this.#phase === 'recording' || this.#phase === 'full'
    this.#stop()
    this.#become('over')
    await this.#ended
    const [type, ending] = this.#type()
    const size = this.#chunks.reduce((sum, each) => sum + each.size, 0)
    if (!isThere || size === 0) return null
    return new File(this.#chunks, `voice-note.${ending}`, { type: type.replace(/;.*/, '') })
  }

  /** Ends, and forgets. */
  cancel(): void {
    this.#stop()
    this.#chunks.length = 0
    this.#become('over')
  }

  #record(stream: MediaStream): void {
    const recorder = this.#world.recorder(stream, this.#type()[0])
    this.#recorder = recorder
    recorder.addEventListener('dataavailable', ({ data }) => {
      if (data.size > 0) this.#chunks.push(data)
    })
    this.#ended = new Promise((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }))
    recorder.start()
    this.#meter = this.#world.meter(stream)
    this.#from = this.#world.now()
    this.#become('recording')
  }

  #stop(): void {
    if (this.#phase === 'recording') this.#lastedMs = this.lastsMs
    if (this.#recorder?.state === 'recording') this.#recorder.stop()
    this.#release()
  }

  #release(): void {
    this.#meter?.close()
    this.#meter = null
    if (this.#stream) giveBack(this.#stream)
    this.#stream = null
  }

  #type(): (typeof TYPES)[number] {
    return TYPES.find(([type]) => this.#world.isTypeSupported(type)) ?? TYPES[0]
  }

  #become(phase: Phase, failure: ErrorCode | null = null): void {
    this.#phase = phase
    this.#failure = failure
    this.#changes.announce()
  }
}

function giveBack(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** Errors of `getUserMedia` (Media Capture and Streams, 10.2), as the SDK has them for calls. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  NotAllowedError: 'media_denied',
  NotFoundError: 'media_not_found',
  NotReadableError: 'media_in_use',
  SecurityError: 'media_insecure_context',
}

const failureOf = (error: unknown): ErrorCode =>
  (error instanceof Error ? CODES[error.name] : undefined) ?? 'media_failed'

/** The page's own browser. */
export const browserWorld = (): RecorderWorld => ({
  open: () => navigator.mediaDevices.getUserMedia({ audio: true }),
  recorder: (stream, type) => new MediaRecorder(stream, { mimeType: type }),
  isTypeSupported: (type) => MediaRecorder.isTypeSupported(type),
  meter: audioMeter,
  now: () => performance.now(),
})

/** Loudness by the root of the mean square; a voice has a tenth of the full scale. */
function audioMeter(stream: MediaStream): ReturnType<RecorderWorld['meter']> {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const level = (): number => {
    analyser.getFloatTimeDomainData(samples)
    const square = samples.reduce((sum, each) => sum + each * each, 0) / samples.length
    return Math.min(1, Math.sqrt(square) * 5)
  }
  return { level, close: () => void context.close() }
}
