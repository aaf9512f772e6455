/** Which microphone and which camera are used: rules over the list of devices, and their keeper. */
import { captureError } from './classify.ts'
import type { Capture, Captures, CaptureMedium } from './captures.ts'
import type { Environment } from './environment.ts'

/** A device that a user can choose. */
export interface Device {
  readonly kind: 'audioinput' | 'videoinput' | 'audiooutput'
  readonly deviceId: string
  /** Devices of one piece of hardware share it. */
  readonly groupId: string
  readonly label: string
}

export const KIND_OF: Readonly<Record<CaptureMedium, Device['kind']>> = { Voice: 'audioinput', Video: 'videoinput' }

/** The system's own choice has an entry of this name in some browsers (W3C mediacapture-main, section 9.2). */
const SYSTEM = 'default'

/** What is there of a capture. */
type Used = Pick<Capture, 'asked' | 'deviceId' | 'groupId'>

/**
 * What to capture with in place of `used`: a device, null for the system's choice, or undefined where `used` is right. The preferred device while it is there;
 * while it is gone, or where there is none, the system's choice, also when that changes.
 */
export function betterDevice(used: Used, preferred: string | null, devices: readonly Device[]): string | null | undefined {
  if (preferred !== null && devices.some(({ deviceId }) => deviceId === preferred)) return used.deviceId === preferred ? undefined : preferred
  const gone = used.deviceId !== undefined && devices.length > 0 && !devices.some(({ deviceId }) => deviceId === used.deviceId)
  const system = devices.find(({ deviceId }) => deviceId === SYSTEM)
  const isSystems = used.asked === null && (!system || used.groupId === undefined || system.groupId === used.groupId)
  return isSystems && !gone ? undefined : null
}

export interface DeviceChoiceOptions {
  readonly environment: Environment
  readonly captures: Captures
  /** A medium is captured with another device now. */
  readonly changed: (medium: CaptureMedium) => void
}

/** Keeps to the user's choice while devices come and go. */
export class DeviceChoice {
  readonly #options: DeviceChoiceOptions
  readonly #onChange = (): void => void this.settle().catch(() => {})
  #stopWatching: (() => void) | undefined
  #settling: Promise<void> = Promise.resolve()

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
  }

  list = async (): Promise<readonly Device[]> => (await this.#options.environment.devices?.enumerateDevices?.()) ?? []

  /** Brings what is captured to what is chosen, one change after the other. @throws `media_*` where a device does not start: what ran goes on */
  settle(): Promise<void> {
    const run = this.#settling.catch(() => {}).then(() => this.#settleNow())
    this.#settling = run
    run.catch(() => {})
    return run
  }

  /** Takes another device in place of one that went away; false where there is none, or none may be used any more: devices then have no id (W3C mediacapture-main, section 9.2.1). */
  async replaceLost(medium: CaptureMedium): Promise<boolean> {
    const { captures } = this.#options
    const left = (await this.list().catch(() => [])).filter(({ kind, deviceId }) => kind === KIND_OF[medium] && deviceId && deviceId !== captures.lostDevice(medium))
    if (left.length === 0) return false
    try {
      await captures.acquire([medium])
    } catch {
      return false
    }
    return true
  }

  /** Captures a medium with this device, or the system's choice; false where it was given back meanwhile. @throws `media_*` where it does not start: what ran goes on */
  async exchange(medium: CaptureMedium, deviceId: string | null): Promise<boolean> {
    const { captures, changed, environment } = this.#options
    try {
      const isExchanged = await captures.exchange(medium, deviceId)
      if (isExchanged) changed(medium)
      return isExchanged
    } catch (thrown) {
      throw captureError(thrown, [medium], environment)
    }
  }

  async #settleNow(): Promise<void> {
    const { captures } = this.#options
    const devices = await this.list()
    for (const medium of ['Voice', 'Video'] as const) {
      const used = captures.of(medium)
      const better =
        used &&
        betterDevice(
          used,
          captures.preferred(medium),
          devices.filter(({ kind }) => kind === KIND_OF[medium]),
        )
      if (better !== undefined) await this.exchange(medium, better)
    }
  }
}
