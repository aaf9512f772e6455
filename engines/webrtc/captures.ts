import type { ContactError } from '../../protocol/index.ts'
import { captureError, leftError, noDevices } from './classify.ts'
import type { Environment, WebRtcOptions } from './environment.ts'
import type { LineKind, WebRtcMedium } from './lines.ts'
import { withResolvers } from './resolvers.ts'

interface Capture {
  readonly stream: MediaStream
  readonly unwatch: () => void
}

/** One question to the browser. Media that are no longer wanted leave `media`; what comes for them is stopped. */
interface Acquisition {
  readonly media: Set<WebRtcMedium>
  readonly settled: Promise<void>
  cancel(): void
}

export interface CaptureEvents {
  /** A capture ended by itself: unplugged, or stopped by the user at the browser. */
  ended(medium: WebRtcMedium): void
}

const KINDS = { Voice: 'audio', Video: 'video' } as const
const SCREEN: DisplayMediaStreamOptions = { video: true, audio: true }

const stopAll = (stream: MediaStream): void => stream.getTracks().forEach((track) => track.stop())

/** Whether a screen was refused only for its sound. */
const isSoundFailure = (thrown: unknown, asked: DisplayMediaStreamOptions): boolean =>
  asked.audio !== undefined && asked.audio !== false && (thrown as { readonly name?: unknown } | null)?.name === 'NotReadableError'

/** The devices that are in use, and the questions for more. */
export class Captures {
  readonly #environment: Environment
  readonly #options: WebRtcOptions
  readonly #events: CaptureEvents
  readonly #held = new Map<WebRtcMedium, Capture>()
  readonly #pending = new Map<WebRtcMedium, Acquisition>()
  readonly #muted = new Set<WebRtcMedium>()

  constructor(environment: Environment, options: WebRtcOptions, events: CaptureEvents) {
    this.#environment = environment
    this.#options = options
    this.#events = events
  }

  /** Asks at once, before it returns, for what is neither held nor asked for. @throws `media_*`; `left` when it is released before it comes. */
  async acquire(media: readonly WebRtcMedium[]): Promise<void> {
    const missing = media.filter((medium) => !this.#held.has(medium) && !this.#pending.has(medium))
    const devices = missing.filter((medium) => medium !== 'Screen')
    if (devices.length > 0) this.#ask(devices, (from) => from.getUserMedia(this.#constraints(devices)))
    if (missing.includes('Screen')) this.#ask(['Screen'], (from) => this.#display(from))
    await Promise.all(media.flatMap((medium) => this.#pending.get(medium)?.settled ?? []))
  }

  /** Gives back everything but `media`, also what has been asked for and has not come yet. */
  keepOnly(media: ReadonlySet<WebRtcMedium>): void {
    for (const medium of [...this.#held.keys()]) if (!media.has(medium)) this.#release(medium)
    for (const [medium, acquisition] of [...this.#pending]) {
      if (media.has(medium)) continue
      this.#pending.delete(medium)
      acquisition.media.delete(medium)
      if (acquisition.media.size === 0) acquisition.cancel()
    }
  }

  stream = (medium: WebRtcMedium): MediaStream | undefined => this.#held.get(medium)?.stream

  track = ({ medium, kind }: LineKind): MediaStreamTrack | null =>
    this.stream(medium)
      ?.getTracks()
      .find((track) => track.kind === kind) ?? null

  /** Muted stays muted for every track that comes later. */
  mute(medium: 'Voice' | 'Video', muted: boolean): void {
    if (muted) this.#muted.add(medium)
    else this.#muted.delete(medium)
    for (const track of this.stream(medium)?.getTracks() ?? []) track.enabled = !muted
  }

  isMuted = (medium: 'Voice' | 'Video'): boolean => this.#muted.has(medium)

  #constraints(media: readonly WebRtcMedium[]): MediaStreamConstraints {
    const { audio = true, video = true } = this.#options
    return { ...(media.includes('Voice') && { audio }), ...(media.includes('Video') && { video }) }
  }

  async #display(from: NonNullable<Environment['devices']>): Promise<MediaStream> {
    const asked = this.#options.screen ?? SCREEN
    if (!from.getDisplayMedia) throw noDevices(['Screen'], this.#environment)
    try {
      return await from.getDisplayMedia(asked)
    } catch (thrown) {
      if (!isSoundFailure(thrown, asked)) throw thrown
      return from.getDisplayMedia({ ...asked, audio: false })
    }
  }

  #ask(media: readonly WebRtcMedium[], from: (devices: NonNullable<Environment['devices']>) => Promise<MediaStream>): void {
    const wanted = new Set(media)
    const { promise, resolve, reject } = withResolvers()
    const acquisition: Acquisition = { media: wanted, settled: promise, cancel: () => reject(leftError()) }
    for (const medium of media) this.#pending.set(medium, acquisition)
    const over = (): void => {
      for (const medium of wanted) this.#pending.delete(medium)
    }
    this.#call(media, from).then(
      (stream) => {
        over()
        const missing = this.#take(stream, wanted)
        if (missing) reject(missing)
        else resolve()
      },
      (thrown: unknown) => {
        over()
        reject(captureError(thrown, media, this.#environment))
      },
    )
  }

  async #call(media: readonly WebRtcMedium[], from: (devices: NonNullable<Environment['devices']>) => Promise<MediaStream>): Promise<MediaStream> {
    const { devices } = this.#environment
    if (!devices) throw noDevices(media, this.#environment)
    return from(devices)
  }

  /** Keeps of a stream what is wanted, and stops the rest. */
  #take(stream: MediaStream, wanted: ReadonlySet<WebRtcMedium>): ContactError | undefined {
    const tracks = new Map([...wanted].map((medium) => [medium, stream.getTracks().filter(({ kind }) => medium === 'Screen' || kind === KINDS[medium])]))
    const dead = [...tracks].filter(([, found]) => !found.some(({ readyState }) => readyState === 'live')).map(([medium]) => medium)
    if (wanted.size === 0 || dead.length > 0) {
      stopAll(stream)
      return wanted.size === 0 ? undefined : captureError(new DOMException('it ended at once', 'NotReadableError'), dead, this.#environment)
    }
    for (const [medium, found] of tracks) this.#hold(medium, found)
    const used = new Set([...tracks.values()].flat())
    stream.getTracks().forEach((track) => used.has(track) || track.stop())
    return undefined
  }

  #hold(medium: WebRtcMedium, tracks: readonly MediaStreamTrack[]): void {
    const { implementation } = this.#environment
    if (!implementation) return tracks.forEach((track) => track.stop())
    const main = tracks.find(({ kind }) => kind === (medium === 'Voice' ? 'audio' : 'video'))
    const onEnded = (): void => this.#lost(medium)
    for (const track of tracks) if (this.#muted.has(medium)) track.enabled = false
    if (medium === 'Screen' && main && 'contentHint' in main) main.contentHint = 'detail'
    main?.addEventListener('ended', onEnded)
    this.#held.set(medium, { stream: new implementation.MediaStream([...tracks]), unwatch: () => main?.removeEventListener('ended', onEnded) })
  }

  #lost(medium: WebRtcMedium): void {
    this.#release(medium)
    this.#events.ended(medium)
  }

  #release(medium: WebRtcMedium): void {
    const capture = this.#held.get(medium)
    if (!capture) return
    this.#held.delete(medium)
    capture.unwatch()
    stopAll(capture.stream)
  }
}
