import { copyOf } from '../../protocol/index.ts'
import { KINDS } from './capture.ts'
import type { CaptureMedium } from './capture.ts'
import type { Environment, WebRtcOptions } from './environment.ts'
import { noDevices } from './errors.ts'
import type { WebRtcMedium } from './media-transceivers.ts'

const SCREEN: DisplayMediaStreamOptions = { video: true, audio: true }

const plain = (constraints: boolean | MediaTrackConstraints): MediaTrackConstraints =>
  typeof constraints === 'object' ? constraints : {}

/** Whether a screen was refused only for its sound. */
const isSoundFailure = (thrown: unknown, asked: DisplayMediaStreamOptions): boolean =>
  asked.audio !== undefined &&
  asked.audio !== false &&
  (thrown as { readonly name?: unknown } | null)?.name === 'NotReadableError'

/** How the browser is asked for devices: which ones the user prefers, and with which constraints. */
export class CaptureRequests {
  readonly #environment: Environment
  readonly #screen: DisplayMediaStreamOptions
  readonly #preferred = new Map<CaptureMedium, string>()
  readonly #constraints: Record<CaptureMedium, boolean | MediaTrackConstraints>

  constructor(environment: Environment, { audio = true, video = true, screen = SCREEN }: WebRtcOptions) {
    this.#environment = environment
    this.#constraints = copyOf({ Voice: audio, Video: video })
    this.#screen = copyOf(screen)
  }

  /** The device that the user prefers, also while it is not there; null: the system's choice. */
  preferred = (medium: WebRtcMedium): string | null =>
    (medium === 'Screen' ? undefined : this.#preferred.get(medium)) ?? null

  /** Prefers a device from now on; null: the system's choice. */
  prefer(medium: CaptureMedium, deviceId: string | null): void {
    if (deviceId === null) this.#preferred.delete(medium)
    else this.#preferred.set(medium, deviceId)
  }

  /** Asks for media in this way from now on; gives back how it was. */
  constrain(medium: CaptureMedium, constraints: MediaTrackConstraints): () => void {
    const before = this.#constraints[medium]
    const now = copyOf(constraints)
    this.#constraints[medium] = now
    return () => {
      if (this.#constraints[medium] === now) this.#constraints[medium] = before
    }
  }

  /**
   * Asks for a microphone, a camera or both at once. A preferred device that is not there does not make it
   * fail.
   */
  async devices(media: readonly WebRtcMedium[]): Promise<MediaStream> {
    const of = (medium: CaptureMedium): boolean | MediaTrackConstraints => {
      const ideal = this.#preferred.get(medium)
      return ideal === undefined
        ? this.#constraints[medium]
        : { ...plain(this.#constraints[medium]), deviceId: { ideal } }
    }
    return this.#from(media).getUserMedia({
      ...(media.includes('Voice') && { audio: of('Voice') }),
      ...(media.includes('Video') && { video: of('Video') }),
    })
  }

  /** Asks for exactly this device; null: for the system's choice. */
  async device(medium: CaptureMedium, deviceId: string | null): Promise<MediaStream> {
    const constraints = this.#constraints[medium]
    return this.#from([medium]).getUserMedia({
      [KINDS[medium]]:
        deviceId === null ? constraints : { ...plain(constraints), deviceId: { exact: deviceId } },
    })
  }

  /** Asks for a screen; without its sound where only that is refused, while `isWanted`. */
  async display(isWanted: () => boolean): Promise<MediaStream> {
    const from = this.#from(['Screen'])
    if (!from.getDisplayMedia) throw noDevices(['Screen'], this.#environment)
    try {
      return await from.getDisplayMedia(this.#screen)
    } catch (thrown) {
      if (!isSoundFailure(thrown, this.#screen) || !isWanted()) throw thrown
      return from.getDisplayMedia({ ...this.#screen, audio: false })
    }
  }

  #from(media: readonly WebRtcMedium[]): NonNullable<Environment['devices']> {
    const { devices } = this.#environment
    if (!devices) throw noDevices(media, this.#environment)
    return devices
  }
}
