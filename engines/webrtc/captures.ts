import { deferred } from '../../protocol/index.ts'
import type { ContactError } from '../../protocol/index.ts'
import { KINDS, endCapture, isInterrupted, isLive, makeCapture, stopAll, trackOf } from './capture.ts'
import type { Capture, CaptureMedium } from './capture.ts'
import { CaptureRequests } from './capture-requests.ts'
import { captureError, leftError } from './errors.ts'
import type { Environment, WebRtcOptions } from './environment.ts'
import type { MediaTransceiverKind, WebRtcMedium } from './media-transceivers.ts'

/** One request to the browser. A medium that is no longer wanted leaves `media`; its tracks are stopped. */
interface Acquisition {
  readonly media: Set<WebRtcMedium>
  readonly settled: Promise<void>
  cancel(): void
}

/** What happens to captures by itself. */
export interface CaptureEvents {
  /** A capture ended by itself: unplugged, or stopped by the user at the browser. */
  ended(medium: WebRtcMedium): void
  /**
   * `on`: the system uses a device for something else, such as a telephone call, and what is sent is silent
   * or
   * black. Not `on`: the device is given back, or is no longer in use.
   */
  interrupted(medium: WebRtcMedium, on: boolean): void
  /** A device has come, and the user has chosen another one meanwhile. */
  outdated(): void
}

const endedAtOnce = (): DOMException => new DOMException('it ended at once', 'NotReadableError')

/** The devices in use, and the requests for more. */
export class Captures {
  readonly #environment: Environment
  readonly #events: CaptureEvents
  readonly #requests: CaptureRequests
  readonly #held = new Map<WebRtcMedium, Capture>()
  readonly #pending = new Map<WebRtcMedium, Acquisition>()
  readonly #muted = new Set<WebRtcMedium>()
  readonly #losses = new Map<WebRtcMedium, Pick<Capture, 'deviceId'>>()
  /** As {@link Captures.hold} was told last. */
  isHolding = false

  constructor(environment: Environment, options: WebRtcOptions, events: CaptureEvents) {
    this.#environment = environment
    this.#events = events
    this.#requests = new CaptureRequests(environment, options)
  }

  /**
   * Asks at once, before it returns, for what is neither held nor asked for.
   * @throws `media_*`; `left` when it is released before it comes.
   */
  async acquire(media: readonly WebRtcMedium[]): Promise<void> {
    const missing = media.filter((medium) => !this.#held.has(medium) && !this.#pending.has(medium))
    const devices = missing.filter((medium) => medium !== 'Screen')
    if (devices.length > 0) this.#ask(devices, () => this.#requests.devices(devices))
    if (missing.includes('Screen'))
      this.#ask(['Screen'], (wanted) => this.#requests.display(() => wanted.size > 0))
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

  /** The stream of a medium in use. */
  stream = (medium: WebRtcMedium): MediaStream | undefined => this.#held.get(medium)?.stream

  /** The track that one transceiver sends. */
  track = (kind: MediaTransceiverKind): MediaStreamTrack | null => trackOf(this.#held.get(kind.medium), kind)

  /** Mutes a medium, also every track that comes later. */
  mute(medium: 'Voice' | 'Video', muted: boolean): void {
    if (muted) this.#muted.add(medium)
    else this.#muted.delete(medium)
    this.#silence(medium)
  }

  /** Sends nothing while on hold, also of what is captured later. */
  hold(on: boolean): void {
    this.isHolding = on
    for (const medium of this.#held.keys()) this.#silence(medium)
  }

  /** The device in use for a medium. */
  of = (medium: CaptureMedium): Capture | undefined => this.#held.get(medium)

  /** The device that the user prefers, also while it is not there; null: the system's choice. */
  preferred = (medium: CaptureMedium): string | null => this.#requests.preferred(medium)

  /** Prefers a device from now on; null: the system's choice. */
  prefer(medium: CaptureMedium, deviceId: string | null): void {
    this.#requests.prefer(medium, deviceId)
  }

  /** The device that went away, until another one comes or the medium is given back. */
  lossOf = (medium: WebRtcMedium): Pick<Capture, 'deviceId'> | undefined => this.#losses.get(medium)

  /**
   * Asks for the medium in this way from now on, also of the device in use. Where that cannot do it, it is
   * asked for as before.
   * @throws what the browser throws
   */
  async constrain(medium: CaptureMedium, constraints: MediaTrackConstraints): Promise<void> {
    const undo = this.#requests.constrain(medium, constraints)
    const tracks = this.#held.get(medium)?.tracks ?? []
    try {
      await Promise.all(tracks.map((track) => track.applyConstraints(constraints)))
    } catch (thrown) {
      undo()
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
    if (medium === 'Video') endCapture(before)
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
    if (!this.#environment.devices || this.#held.get(medium) !== before) return false
    const stream = await this.#requests.device(medium, deviceId)
    const tracks = stream
      .getTracks()
      .filter(({ kind, readyState }) => kind === KINDS[medium] && readyState === 'live')
    const isStale = this.#held.get(medium) !== before || !isWanted()
    if (isStale || tracks.length === 0) stopAll(stream.getTracks())
    if (isStale) return false
    if (tracks.length === 0) throw endedAtOnce()
    this.#hold(medium, tracks, deviceId)
    endCapture(before)
    return true
  }

  /** Whether the device of a medium in use still gives something. */
  isLive = (medium: WebRtcMedium): boolean => isLive(this.#held.get(medium))

  /** A capture that an exchange has ended, and nothing has taken the place of, is lost. */
  loseEnded(medium: CaptureMedium): void {
    if (this.#held.has(medium) && !this.isLive(medium)) this.#lost(medium)
  }

  /** Whether the system has taken the device of a medium for something else. */
  isInterrupted = (medium: WebRtcMedium): boolean => isInterrupted(this.#held.get(medium))

  /** Whether nothing of a medium is sent, now or when it is turned on. */
  isMuted = (medium: CaptureMedium): boolean => this.#muted.has(medium)

  #silence(medium: WebRtcMedium): void {
    for (const track of this.#held.get(medium)?.tracks ?? [])
      track.enabled = !this.isHolding && !this.#muted.has(medium)
  }

  #ask(
    media: readonly WebRtcMedium[],
    question: (wanted: ReadonlySet<WebRtcMedium>) => Promise<MediaStream>,
  ): void {
    const wanted = new Set(media)
    const choices = (): readonly unknown[] => media.map(this.#requests.preferred)
    const asked = choices()
    const { promise, resolve, reject } = deferred()
    const acquisition: Acquisition = { media: wanted, settled: promise, cancel: () => reject(leftError()) }
    for (const medium of media) this.#pending.set(medium, acquisition)
    const over = (): void => {
      for (const medium of wanted) this.#pending.delete(medium)
    }
    question(wanted).then(
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
      stopAll(stream.getTracks())
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
    const watch = {
      onEnded: () => this.#lost(medium),
      onMuted: () => this.#events.interrupted(medium, this.isInterrupted(medium)),
    }
    this.#held.set(medium, makeCapture(implementation, { medium, tracks, asked }, watch))
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
    endCapture(capture)
    this.#events.interrupted(medium, false)
  }
}
