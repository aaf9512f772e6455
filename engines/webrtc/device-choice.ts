/**
 * Which microphone and which camera are used: a rule over the list of devices, and the class that applies it.
 */
import { captureError } from './errors.ts'
import type { Capture, CaptureMedium } from './capture.ts'
import type { Captures } from './captures.ts'
import { LIST_LIMIT_MS, QUESTION_LIMIT_MS } from './limits.ts'
import { pageTime } from './environment.ts'
import type { Device, Environment } from './environment.ts'
import type { Clock } from '../../protocol/index.ts'
import { ContactError, within } from '../../protocol/index.ts'

/** The kind of device that captures a medium. */
export const KIND_OF: Readonly<Record<CaptureMedium, Device['kind']>> = {
  Voice: 'audioinput',
  Video: 'videoinput',
}

/**
 * The system's own choice has an entry of this name in some browsers (W3C mediacapture-main, section 9.2).
 */
const SYSTEM = 'default'

/** What the rule needs of a capture. */
type Used = Pick<Capture, 'asked' | 'deviceId' | 'groupId'>

/**
 * What to capture with in place of `used`: a device, null for the system's choice, or undefined where `used`
 * is right. The preferred device while it is there;
 * while it is gone, or where there is none, the system's choice, also when that changes.
 */
export function betterDevice(
  used: Used,
  preferred: string | null,
  devices: readonly Device[],
): string | null | undefined {
  if (preferred !== null && devices.some(({ deviceId }) => deviceId === preferred))
    return used.deviceId === preferred ? undefined : preferred
  const gone =
    used.deviceId !== undefined &&
    devices.length > 0 &&
    !devices.some(({ deviceId }) => deviceId === used.deviceId)
  const system = devices.find(({ deviceId }) => deviceId === SYSTEM)
  const isSystems =
    used.asked === null && (!system || used.groupId === undefined || system.groupId === used.groupId)
  return isSystems && !gone ? undefined : null
}

const notListed = (): ContactError =>
  new ContactError(
    'media_failed',
    'unable to list the devices; the browser does not answer: see that the window has the focus',
  )
const notAnswered = (): ContactError =>
  new ContactError('media_dismissed', 'unable to use the device; nobody answered the question')

export interface DeviceChoiceOptions {
  /** Time of the contact, once there is one. */
  readonly clock: () => Clock | undefined
  readonly environment: Environment
  readonly captures: Captures
  /** A medium is captured with another device now. */
  readonly changed: (medium: CaptureMedium) => void
}

/** Applies the user's choice while devices come and go. */
export class DeviceChoice {
  readonly #options: DeviceChoiceOptions
  readonly #onChange = (): void => void this.settle().catch(() => {})
  #stopWatching: (() => void) | undefined
  readonly #settling = new Map<CaptureMedium, Promise<void>>()
  /** Aborted when the devices are given back. */
  #stopping = new AbortController()

  constructor(options: DeviceChoiceOptions) {
    this.#options = options
  }

  /** Follows devices that come and go, until `stop`. */
  start(): void {
    const { devices } = this.#options.environment
    if (this.#stopWatching || !devices?.addEventListener || !devices.enumerateDevices) return
    devices.addEventListener('devicechange', this.#onChange)
    this.#stopWatching = () => devices.removeEventListener?.('devicechange', this.#onChange)
  }

  stop(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
    this.#stopping.abort(null)
    this.#stopping = new AbortController()
  }

  /**
   * @throws `media_failed` where the browser does not answer: Firefox lists nothing before its window has the
   * focus
   */
  list = async (): Promise<readonly Device[]> => {
    const { devices } = this.#options.environment
    try {
      return devices?.enumerateDevices
        ? await this.#within(LIST_LIMIT_MS, devices.enumerateDevices(), notListed)
        : []
    } catch (cause) {
      throw cause instanceof ContactError
        ? cause
        : new ContactError('media_failed', 'unable to list the devices; the browser failed', { cause })
    }
  }

  /**
   * Brings what is captured to what is chosen: of each medium one change after the other.
   * @throws `media_*` where a device does not start: what ran goes on
   */
  async settle(media: readonly CaptureMedium[] = ['Voice', 'Video']): Promise<void> {
    await Promise.all(media.map((medium) => this.#settle(medium)))
  }

  #settle(medium: CaptureMedium): Promise<void> {
    const before = this.#settling.get(medium) ?? Promise.resolve()
    const run = before.catch(() => {}).then(() => this.#settleNow(medium))
    this.#settling.set(medium, run)
    return run
  }

  /**
   * Takes another device in place of one that went away. `none`: there is none, or none comes in time; what
   * comes later is stopped. `stale`: the medium was given back meanwhile.
   */
  async replaceLost(medium: CaptureMedium, isSending: () => boolean): Promise<'replaced' | 'none' | 'stale'> {
    const { captures } = this.#options
    const loss = captures.lossOf(medium)
    const isWanted = (): boolean => captures.lossOf(medium) === loss && isSending()
    const isReplaced = await this.#within(LIST_LIMIT_MS, this.#replace(medium, isWanted), notListed).catch(
      () => false,
    )
    if (isReplaced || captures.isLive(medium)) return 'replaced'
    if (!isWanted()) return 'stale'
    captures.giveBack(medium)
    return 'none'
  }

  /** Where no device may be used any more, devices have no id (W3C mediacapture-main, section 9.2.1). */
  async #replace(medium: CaptureMedium, isWanted: () => boolean): Promise<boolean> {
    const { captures } = this.#options
    const left = (await this.list()).filter(
      ({ kind, deviceId }) =>
        kind === KIND_OF[medium] && deviceId && deviceId !== captures.lossOf(medium)?.deviceId,
    )
    if (left.length === 0 || !isWanted()) return false
    await captures.acquire([medium])
    return true
  }

  /**
   * Captures a medium with this device, or the system's choice; false where it was given back meanwhile.
   * @throws `media_*` where it does not start: what ran goes on
   */
  async exchange(medium: CaptureMedium, deviceId: string | null): Promise<boolean> {
    const { captures, changed, environment } = this.#options
    const before = captures.of(medium)
    try {
      let isLate = false
      const exchanging = captures.exchange(medium, deviceId, () => !isLate)
      const isExchanged = await this.#within(QUESTION_LIMIT_MS, exchanging, notAnswered).finally(
        () => (isLate = true),
      )
      if (isExchanged) changed(medium)
      return isExchanged
    } catch (thrown) {
      captures.loseEnded(medium)
      if (captures.of(medium) && captures.of(medium) !== before) changed(medium)
      throw captureError(thrown, [medium], environment)
    }
  }

  #within<T>(ms: number, promise: Promise<T>, reason: () => Error): Promise<T> {
    return within(
      promise,
      { ms, clock: this.#options.clock() ?? pageTime, over: this.#stopping.signal },
      reason,
    )
  }

  async #settleNow(medium: CaptureMedium): Promise<void> {
    const { captures } = this.#options
    const devices = (await this.list()).filter(({ kind }) => kind === KIND_OF[medium])
    const used = captures.of(medium)
    const better = used && betterDevice(used, captures.preferred(medium), devices)
    // What has ended is replaced as lost, of which the other side is told.
    if (better !== undefined && captures.isLive(medium)) await this.exchange(medium, better)
  }
}
