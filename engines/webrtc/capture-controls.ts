import { ContactError, within } from '../../protocol/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { EngineControls } from '../media-engine.ts'
import { Captures } from './captures.ts'
import { MUTABLE } from './capture.ts'
import type { CaptureMedium } from './capture.ts'
import { captureError } from './errors.ts'
import { DeviceChoice } from './device-choice.ts'
import { environmentOf, pageTime } from './environment.ts'
import type { Device, Environment, WebRtcOptions } from './environment.ts'
import { CONSTRAINTS_LIMIT_MS } from './limits.ts'
import type { WebRtcMedium } from './media-transceivers.ts'

const notAnswered = (): ContactError =>
  new ContactError('media_failed', 'unable to change the device in use; the browser does not answer')

/**
 * The user's controls of captures: mute, hold, choice of devices. A call takes effect at any time, also
 * during a
 * transition, and lasts.
 */
export abstract class CaptureControls {
  protected readonly environment: Environment
  protected readonly captures: Captures
  protected readonly choice: DeviceChoice
  /** Media whose interruption was told, and not its end. */
  readonly #interrupted = new Set<WebRtcMedium>()

  readonly #listeners = new Set<() => void>()

  protected constructor(options: WebRtcOptions) {
    this.environment = environmentOf(options)
    this.captures = new Captures(this.environment, options, {
      ended: (medium) => this.#ended(medium),
      interrupted: (medium, on) => this.#tellInterrupted(medium, on),
      outdated: () => void this.choice.settle().catch(() => {}),
    })
    this.choice = new DeviceChoice({
      clock: () => this.clock,
      environment: this.environment,
      captures: this.captures,
      changed: (medium) => this.#exchanged(medium),
    })
  }

  /**
   * Sends no sound of the microphone, now and for every microphone that comes later, until
   * {@link unmuteLocalAudio}. The sound of a shared screen is not touched.
   */
  muteLocalAudio(): void {
    this.#mute('Voice', true)
  }

  /** Sends the microphone's sound again, while Voice is transmitted. */
  unmuteLocalAudio(): void {
    this.#mute('Voice', false)
  }

  /**
   * Sends black in place of the camera's picture, now and for every camera that comes later, until
   * {@link unmuteLocalVideo}.
   */
  muteLocalVideo(): void {
    this.#mute('Video', true)
  }

  /** Sends the camera's picture again, while Video is transmitted. */
  unmuteLocalVideo(): void {
    this.#mute('Video', false)
  }

  /**
   * Sends and plays nothing, now and for everything that is turned on later, until {@link resume}. The remote
   * is told. What is muted stays so.
   */
  hold(): void {
    this.#setHold(true)
  }

  /** Ends {@link hold}. */
  resume(): void {
    this.#setHold(false)
  }

  /** Whether the call is on hold here. */
  get isHeld(): boolean {
    return this.captures.isHolding
  }

  /** {@inheritDoc MediaEngine.controls} */
  controls(): EngineControls {
    return { muted: MUTABLE.filter((medium) => this.captures.isMuted(medium)), held: this.isHeld }
  }

  /**
   * Calls `listener` after {@link controls} has changed, whichever part of the page has changed it.
   *
   * @returns a function that ends it.
   */
  onControls(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** {@inheritDoc MediaEngine.setControls} */
  setControls({ muted, held }: EngineControls): void {
    for (const medium of MUTABLE) this.#mute(medium, muted.includes(medium))
    this.#setHold(held)
  }

  /**
   * Microphones, cameras and speakers. Browsers name them only after the user has allowed one.
   * @throws `media_failed` if the browser does not answer within 2 s
   */
  listDevices(): Promise<readonly Device[]> {
    return this.choice.list()
  }

  /** The device that was chosen, also while it is gone; null: the system's choice. */
  chosenDevice(medium: 'Voice' | 'Video'): string | null {
    return this.captures.preferred(medium)
  }

  /**
   * Captures a medium with this device, now and later. While the device is gone another one is used; when it
   * is
   * back, it is used again. A muted medium stays muted.
   *
   * @param deviceId of {@link listDevices}; null follows the system's choice.
   * @throws `media_*` if the device does not start; the previous one stays in use.
   */
  async chooseDevice(medium: 'Voice' | 'Video', deviceId: string | null): Promise<void> {
    this.captures.prefer(medium, deviceId)
    await this.choice.settle([medium])
  }

  /**
   * Sets the constraints of the microphone or the camera, now and later (the constrainable pattern of W3C
   * mediacapture-main).
   * The
   * capabilities `AudioConstraints` and `VideoQuality` say what the browser supports.
   *
   * @throws `media_not_found` if the device in use cannot meet them; `media_failed` if the browser does not
   *   answer
   *   within 5 s. The previous constraints stay in force.
   */
  async setConstraints(medium: 'Voice' | 'Video', constraints: MediaTrackConstraints): Promise<void> {
    try {
      await within(
        this.captures.constrain(medium, constraints),
        { ms: CONSTRAINTS_LIMIT_MS, clock: this.clock ?? pageTime },
        notAnswered,
      )
    } catch (thrown) {
      throw captureError(thrown, [medium], this.environment)
    }
  }

  /**
   * Whether the system has taken the device of a medium for something else, such as a telephone call: silence
   * or black is sent until it gives it back.
   */
  isInterrupted(medium: 'Voice' | 'Video' | 'Screen'): boolean {
    return this.captures.isInterrupted(medium)
  }

  /**
   * Asks for the device of a medium again after an interruption that the system has not ended. Call it inside
   * a
   * user gesture.
   *
   * @throws `media_*` if the device does not start; the previous one stays in use.
   */
  async resumeCapture(medium: 'Voice' | 'Video'): Promise<void> {
    await this.choice.exchange(medium, this.captures.preferred(medium))
  }

  /**
   * Gives the device of a medium back at once, also while the contact cannot change its media: nothing of it
   * is sent from now on. As where its user ends a share at the browser, the contact turns the transmission
   * off
   * as soon as it can.
   */
  endCapture(medium: 'Voice' | 'Video' | 'Screen'): void {
    const wasThere = this.captures.giveBack(medium)
    if (wasThere || this.isSending(medium)) this.captureOver(medium)
  }

  /** Whether the microphone is muted. */
  get isLocalAudioMuted(): boolean {
    return this.captures.isMuted('Voice')
  }

  /** Whether the camera is muted. */
  get isLocalVideoMuted(): boolean {
    return this.captures.isMuted('Video')
  }

  /** Time of the contact that the engine works for. */
  protected abstract readonly clock: Clock | undefined
  /** What is muted or on hold has changed. */
  protected abstract controlsChanged(): void
  /** Whether a medium is on towards the other side. */
  protected abstract isSending(medium: WebRtcMedium): boolean
  /** A capture is over, and nothing replaces it. */
  protected abstract captureOver(medium: WebRtcMedium): void
  /** The system takes the device of a medium for a while, or gives it back. */
  protected abstract captureInterrupted(medium: WebRtcMedium, on: boolean): void
  /** A medium is captured with another device. */
  protected abstract deviceChanged(medium: WebRtcMedium): void
  /** The call is on hold, or goes on. */
  protected abstract holding(on: boolean): void

  #setHold(on: boolean): void {
    if (on === this.captures.isHolding) return
    this.captures.hold(on)
    this.holding(on)
    this.#tellControls()
  }

  #mute(medium: CaptureMedium, muted: boolean): void {
    if (muted === this.captures.isMuted(medium)) return
    this.captures.mute(medium, muted)
    this.#tellControls()
  }

  /** Listeners run in microtasks, so that an error of one affects nothing here. */
  #tellControls(): void {
    this.controlsChanged()
    for (const listener of this.#listeners) queueMicrotask(listener)
  }

  #exchanged(medium: CaptureMedium): void {
    this.deviceChanged(medium)
    this.#tellInterrupted(medium, this.isInterrupted(medium))
  }

  #tellInterrupted(medium: WebRtcMedium, on: boolean): void {
    if (on === this.#interrupted.has(medium)) return
    this.#interrupted[on ? 'add' : 'delete'](medium)
    this.captureInterrupted(medium, on)
  }

  /** A screen that ended is over even before it is sent: only the user can choose another one. */
  #ended(medium: WebRtcMedium): void {
    if (medium === 'Screen') return this.captureOver(medium)
    if (!this.isSending(medium)) return
    if (this.environment.devices?.enumerateDevices) void this.#replace(medium)
    else this.captureOver(medium)
  }

  /** Replaces a device that went away by another one. */
  async #replace(medium: 'Voice' | 'Video'): Promise<void> {
    const end = await this.choice.replaceLost(medium, () => this.isSending(medium))
    if (end === 'stale' || !this.isSending(medium)) return
    if (end === 'replaced') this.deviceChanged(medium)
    else this.captureOver(medium)
  }
}
