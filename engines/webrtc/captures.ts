import { deferred } from '../../protocol/index.ts'
import type { ContactError } from '../../protocol/index.ts'
import { captureError, leftError, noDevices } from './errors.ts'
import type { Environment, WebRtcOptions } from './environment.ts'
import type { MediaTransceiverKind, WebRtcMedium } from './media-transceivers.ts'

/** Media whose device can be chosen. */
export type CaptureMedium = 'Voice' | 'Video'

export interface Capture {
  readonly stream: MediaStream
  /** The device that was asked for by name; null: whatever the system chooses. */
  readonly asked: string | null
  readonly deviceId: string | undefined
  readonly groupId: string | undefined
  readonly unwatch: () => void
}

/**
 * One question to the browser. Media that are no longer wanted leave `media`; what comes for them is stopped.
 */
interface Acquisition {
  readonly media: Set<WebRtcMedium>
  readonly settled: Promise<void>
  cancel(): void
}

/** Asks the browser for media; `wanted` shrinks while it asks. */
type Question = (
  devices: NonNullable<Environment['devices']>,
  wanted: ReadonlySet<WebRtcMedium>,
) => Promise<MediaStream>

export interface CaptureEvents {
  /** A capture ended by itself: unplugged, or stopped by the user at the browser. */
  ended(medium: WebRtcMedium): void
  /**
   * The system has taken a device for something else, a telephone call for example, or gives it back, or it
   * is used no more: what is sent is silent or black meanwhile.
   */
  interrupted(medium: WebRtcMedium, on: boolean): void
  /** Another device was chosen while the browser was asking for one that has come now. */
  outdated(): void
}

const KINDS = { Voice: 'audio', Video: 'video' } as const
const SCREEN: DisplayMediaStreamOptions = { video: true, audio: true }

const plain = (constraints: boolean | MediaTrackConstraints): MediaTrackConstraints =>
  typeof constraints === 'object' ? constraints : {}

const stopAll = (stream: MediaStream): void => stream.getTracks().forEach((track) => track.stop())

const end = ({ unwatch, stream }: Capture): void => {
  unwatch()
  stopAll(stream)
}

const endedAtOnce = (): DOMException => new DOMException('it ended at once', 'NotReadableError')

/** Whether a screen was refused only for its sound. */
const isSoundFailure = (thrown: unknown, asked: DisplayMediaStreamOptions): boolean =>
  asked.audio !== undefined &&
  asked.audio !== false &&
  (thrown as { readonly name?: unknown } | null)?.name === 'NotReadableError'

/** The devices that are in use, and the questions for more. */
export class Captures {
  readonly #environment: Environment
  readonly #options: WebRtcOptions
  readonly #events: CaptureEvents
  readonly #held = new Map<WebRtcMedium, Capture>()
  readonly #pending = new Map<WebRtcMedium, Acquisition>()
  readonly #muted = new Set<WebRtcMedium>()
  readonly #preferred = new Map<CaptureMedium, string>()
  readonly #constraints: Record<CaptureMedium, boolean | MediaTrackConstraints>
  readonly #losses = new Map<WebRtcMedium, Pick<Capture, 'deviceId'>>()
  /** As {@link Captures.hold} was told last. */
  isHolding = false

  constructor(environment: Environment, options: WebRtcOptions, events: CaptureEvents) {
    this.#environment = environment
    this.#options = options
    this.#events = events
    this.#constraints = { Voice: options.audio ?? true, Video: options.video ?? true }
  }

  /**
   * Asks at once, before it returns, for what is neither held nor asked for.
   * @throws `media_*`; `left` when it is released before it comes.
   */
  async acquire(media: readonly WebRtcMedium[]): Promise<void> {
    const missing = media.filter((medium) => !this.#held.has(medium) && !this.#pending.has(medium))
    const devices = missing.filter((medium) => medium !== 'Screen')
    if (devices.length > 0) this.#ask(devices, (from) => from.getUserMedia(this.#wanted(devices)))
    if (missing.includes('Screen')) this.#ask(['Screen'], (from, wanted) => this.#display(from, wanted))
    await Promise.all(media.flatMap((medium) => this.#pending.get(medium)?.settled ?? []))
  }

  /** Gives back everything but `media`, also what has been asked for and has not come yet. */
  keepOnly(media: ReadonlySet<WebRtcMedium>): void {
    for (const medium of [...this.#held.keys(), ...this.#pending.keys(), ...this.#losses.keys()])
      if (!media.has(medium)) this.giveBack(medium)
  }

  /**
   * Gives back a medium, also one that has been asked for and has not come yet; false where there was
   * nothing.
   */
  giveBack(medium: WebRtcMedium): boolean {
    const acquisition = this.#pending.get(medium)
    const wasThere = this.#held.has(medium) || acquisition !== undefined
    this.#release(medium)
    this.#losses.delete(medium)
    this.#pending.delete(medium)
    acquisition?.media.delete(medium)
    if (acquisition?.media.size === 0) acquisition.cancel()
    return wasThere
  }

  stream = (medium: WebRtcMedium): MediaStream | undefined => this.#held.get(medium)?.stream

  track = ({ medium, kind }: MediaTransceiverKind): MediaStreamTrack | null =>
    this.stream(medium)
      ?.getTracks()
      .find((track) => track.kind === kind) ?? null

  /** Muted stays muted for every track that comes later. */
  mute(medium: 'Voice' | 'Video', muted: boolean): void {
    if (muted) this.#muted.add(medium)
    else this.#muted.delete(medium)
    this.#silence(medium)
  }

  /** On hold nothing leaves this side, whatever is captured later. */
  hold(on: boolean): void {
    this.isHolding = on
    for (const medium of this.#held.keys()) this.#silence(medium)
  }

  of = (medium: CaptureMedium): Capture | undefined => this.#held.get(medium)

  preferred = (medium: CaptureMedium): string | null => this.#preferred.get(medium) ?? null

  /** Remembered also while the device is not there; null: the system's choice. */
  prefer(medium: CaptureMedium, deviceId: string | null): void {
    if (deviceId === null) this.#preferred.delete(medium)
    else this.#preferred.set(medium, deviceId)
  }

  /** The device that went away, until another one comes or the medium is given back. */
  lossOf = (medium: WebRtcMedium): Pick<Capture, 'deviceId'> | undefined => this.#losses.get(medium)

  /**
   * Asks for the medium in this way from now on, also of the device in use. Where that cannot do it, it is
   * asked for as before.
   */
  async constrain(medium: CaptureMedium, constraints: MediaTrackConstraints): Promise<void> {
    const before = this.#constraints[medium]
    this.#constraints[medium] = constraints
    try {
      await Promise.all(
        this.stream(medium)
          ?.getTracks()
          .map((track) => track.applyConstraints(constraints)) ?? [],
      )
    } catch (thrown) {
      if (this.#constraints[medium] === constraints) this.#constraints[medium] = before
      throw thrown
    }
  }

  /**
   * Captures a medium with another device. What came is stopped, and false, where the medium was given back
   * or exchanged meanwhile, or `isWanted` says no by then.
   * A phone opens one camera at a time: the one before is stopped first, and opened again where the other one
   * does not start.
   *
   * @throws what the browser throws
   */
  async exchange(
    medium: CaptureMedium,
    deviceId: string | null,
    isWanted: () => boolean = () => true,
  ): Promise<boolean> {
    const before = this.#held.get(medium)
    if (!before) return false
    if (medium === 'Video') end(before)
    try {
      return await this.#open(before, { medium, deviceId, isWanted })
    } catch (thrown) {
      if (medium === 'Video')
        await this.#open(before, { medium, deviceId: before.asked, isWanted }).catch(() => {})
      throw thrown
    }
  }

  /** Captures with a device in place of `before`, where that is still held. */
  async #open(
    before: Capture,
    {
      medium,
      deviceId,
      isWanted,
    }: { readonly medium: CaptureMedium; readonly deviceId: string | null; readonly isWanted: () => boolean },
  ): Promise<boolean> {
    const { devices } = this.#environment
    if (!devices || this.#held.get(medium) !== before) return false
    const stream = await devices.getUserMedia({
      [KINDS[medium]]:
        deviceId === null
          ? this.#constraints[medium]
          : { ...plain(this.#constraints[medium]), deviceId: { exact: deviceId } },
    })
    const tracks = stream
      .getTracks()
      .filter(({ kind, readyState }) => kind === KINDS[medium] && readyState === 'live')
    const isStale = this.#held.get(medium) !== before || !isWanted()
    if (isStale || tracks.length === 0) stopAll(stream)
    if (isStale) return false
    if (tracks.length === 0) throw endedAtOnce()
    this.#hold(medium, tracks, deviceId)
    end(before)
    return true
  }

  /** Whether the device of a medium that is held still gives something. */
  isLive = (medium: WebRtcMedium): boolean =>
    this.stream(medium)
      ?.getTracks()
      .some(({ readyState }) => readyState === 'live') === true

  /** A capture that an exchange has ended, and nothing has taken the place of, is lost. */
  loseEnded(medium: CaptureMedium): void {
    if (this.#held.has(medium) && !this.isLive(medium)) this.#lost(medium)
  }

  isInterrupted = (medium: WebRtcMedium): boolean =>
    this.stream(medium)
      ?.getTracks()
      .some(({ muted }) => muted) === true

  isMuted = (medium: 'Voice' | 'Video'): boolean => this.#muted.has(medium)

  /** A preferred device that is not there does not make it fail. */
  #wanted(media: readonly WebRtcMedium[]): MediaStreamConstraints {
    const of = (medium: CaptureMedium): boolean | MediaTrackConstraints => {
      const ideal = this.#preferred.get(medium)
      return ideal === undefined
        ? this.#constraints[medium]
        : { ...plain(this.#constraints[medium]), deviceId: { ideal } }
    }
    return {
      ...(media.includes('Voice') && { audio: of('Voice') }),
      ...(media.includes('Video') && { video: of('Video') }),
    }
  }

  #silence(medium: WebRtcMedium): void {
    for (const track of this.stream(medium)?.getTracks() ?? [])
      track.enabled = !this.isHolding && !this.#muted.has(medium)
  }

  async #display(
    from: NonNullable<Environment['devices']>,
    wanted: ReadonlySet<WebRtcMedium>,
  ): Promise<MediaStream> {
    const asked = this.#options.screen ?? SCREEN
    if (!from.getDisplayMedia) throw noDevices(['Screen'], this.#environment)
    try {
      return await from.getDisplayMedia(asked)
    } catch (thrown) {
      if (!isSoundFailure(thrown, asked) || wanted.size === 0) throw thrown
      return from.getDisplayMedia({ ...asked, audio: false })
    }
  }

  #ask(media: readonly WebRtcMedium[], from: Question): void {
    const wanted = new Set(media)
    const choices = (): readonly unknown[] =>
      media.map((medium) => medium !== 'Screen' && this.preferred(medium))
    const asked = choices()
    const { promise, resolve, reject } = deferred()
    const acquisition: Acquisition = { media: wanted, settled: promise, cancel: () => reject(leftError()) }
    for (const medium of media) this.#pending.set(medium, acquisition)
    const over = (): void => {
      for (const medium of wanted) this.#pending.delete(medium)
    }
    this.#call(media, (devices) => from(devices, wanted)).then(
      (stream) => {
        over()
        const missing = this.#take(stream, wanted)
        if (missing) return reject(missing)
        resolve()
        if (choices().some((choice, index) => choice !== asked[index])) this.#events.outdated()
      },
      (thrown: unknown) => {
        over()
        reject(captureError(thrown, media, this.#environment))
      },
    )
  }

  async #call(
    media: readonly WebRtcMedium[],
    from: (devices: NonNullable<Environment['devices']>) => Promise<MediaStream>,
  ): Promise<MediaStream> {
    const { devices } = this.#environment
    if (!devices) throw noDevices(media, this.#environment)
    return from(devices)
  }

  /** Keeps of a stream what is wanted, and stops the rest. */
  #take(stream: MediaStream, wanted: ReadonlySet<WebRtcMedium>): ContactError | undefined {
    const tracks = new Map(
      [...wanted].map((medium) => [
        medium,
        stream.getTracks().filter(({ kind }) => medium === 'Screen' || kind === KINDS[medium]),
      ]),
    )
    const dead = [...tracks]
      .filter(([, found]) => !found.some(({ readyState }) => readyState === 'live'))
      .map(([medium]) => medium)
    if (wanted.size === 0 || dead.length > 0) {
      stopAll(stream)
      return wanted.size === 0 ? undefined : captureError(endedAtOnce(), dead, this.#environment)
    }
    for (const [medium, found] of tracks) this.#hold(medium, found)
    const used = new Set([...tracks.values()].flat())
    stream.getTracks().forEach((track) => used.has(track) || track.stop())
    return undefined
  }

  #hold(medium: WebRtcMedium, tracks: readonly MediaStreamTrack[], asked: string | null = null): void {
    const { implementation } = this.#environment
    if (!implementation) return tracks.forEach((track) => track.stop())
    const main = tracks.find(({ kind }) => kind === (medium === 'Voice' ? 'audio' : 'video'))
    const onEnded = (): void => this.#lost(medium)
    // By the system, never by this page (W3C mediacapture-main, section 4.3.1).
    const onMuted = (): void => this.#events.interrupted(medium, this.isInterrupted(medium))
    if (medium === 'Screen' && main && 'contentHint' in main) main.contentHint = 'detail'
    const listen = (how: 'addEventListener' | 'removeEventListener'): void => {
      for (const [name, run] of Object.entries({ ended: onEnded, mute: onMuted, unmute: onMuted }))
        main?.[how](name, run)
    }
    listen('addEventListener')
    const { deviceId, groupId } = main?.getSettings() ?? {}
    this.#held.set(medium, {
      stream: new implementation.MediaStream([...tracks]),
      asked,
      deviceId,
      groupId,
      unwatch: () => listen('removeEventListener'),
    })
    this.#losses.delete(medium)
    this.#silence(medium)
  }

  #lost(medium: WebRtcMedium): void {
    this.#losses.set(medium, { deviceId: this.#held.get(medium)?.deviceId })
    this.#release(medium)
    this.#events.ended(medium)
  }

  #release(medium: WebRtcMedium): void {
    const capture = this.#held.get(medium)
    if (!capture) return
    this.#held.delete(medium)
    capture.unwatch()
    stopAll(capture.stream)
    this.#events.interrupted(medium, false)
  }
}
