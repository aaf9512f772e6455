import type { FakeCapture, FakeDevices } from './fake-devices.ts'

/** A device that was requested and has not been given yet. */
interface CaptureRequest {
  answered: Promise<void>
  /** The device is stopped as soon as it is given. */
  isCancelled: boolean
}

interface FakeCapturesParts {
  /** Undefined: nothing is captured. */
  readonly devices: FakeDevices | undefined
  readonly isTransmitted: (medium: string) => boolean
  /** The device of a transmitted medium has ended. */
  readonly onEnded: (medium: string) => void
}

/** The devices of a fake engine: those in use, those requested, and those that have ended. */
export class FakeCaptures {
  readonly #parts: FakeCapturesParts
  readonly #captures = new Map<string, FakeCapture>()
  readonly #requests = new Map<string, CaptureRequest>()
  /** Media whose device has ended. It is not requested again before {@link allow} is called. */
  readonly #ended = new Set<string>()
  readonly #muted = new Set<string>()

  constructor(parts: FakeCapturesParts) {
    this.#parts = parts
  }

  get muted(): readonly string[] {
    return [...this.#muted]
  }

  /** Lets devices that have ended be requested again. */
  allow(media: readonly string[]): void {
    for (const medium of media) this.#ended.delete(medium)
  }

  forgetEnded(): void {
    this.#ended.clear()
  }

  /** Requests the devices that are missing. Resolves when all of them are given. */
  async acquire(media: readonly string[]): Promise<void> {
    const { devices } = this.#parts
    if (!devices) return
    const missing = media.filter((medium) => !this.#captures.has(medium) && !this.#ended.has(medium))
    await Promise.all(
      missing.map((medium) => (this.#requests.get(medium) ?? this.#request(devices, medium)).answered),
    )
  }

  /** Reports the media that begin to be transmitted with a device that has ended. */
  transmit(media: readonly string[], before: readonly string[]): void {
    for (const medium of media)
      if (this.#ended.has(medium) && !before.includes(medium)) this.#parts.onEnded(medium)
    for (const medium of this.#ended) if (!media.includes(medium)) this.#ended.delete(medium)
  }

  /** Stops the devices of all other media. */
  keepOnly(media: readonly string[]): void {
    for (const [medium, capture] of this.#captures) {
      if (media.includes(medium)) continue
      capture.isLive = false
      this.#captures.delete(medium)
    }
    for (const [medium, request] of this.#requests) {
      if (media.includes(medium)) continue
      request.isCancelled = true
      this.#requests.delete(medium)
    }
  }

  /** Stops the device of a medium. */
  end(medium: string): void {
    if (!this.#captures.has(medium) && !this.#requests.has(medium) && !this.#parts.isTransmitted(medium))
      return
    this.keepOnly([...this.#captures.keys(), ...this.#requests.keys()].filter((each) => each !== medium))
    this.#markEnded(medium)
  }

  /** Requests another device for a medium that is captured, and stops the first one when it is given. */
  async exchange(medium: string): Promise<void> {
    const { devices } = this.#parts
    const before = this.#captures.get(medium)
    if (!devices || !before) return
    await this.#request(devices, medium).answered
    before.isLive = false
  }

  /** Returns whether that has changed anything. */
  mute(medium: string, isMuted: boolean): boolean {
    if (isMuted === this.#muted.has(medium)) return false
    if (isMuted) this.#muted.add(medium)
    else this.#muted.delete(medium)
    const capture = this.#captures.get(medium)
    if (capture) capture.isMuted = isMuted
    return true
  }

  #request(devices: FakeDevices, medium: string): CaptureRequest {
    const request: CaptureRequest = { answered: Promise.resolve(), isCancelled: false }
    const over = (): void => {
      if (this.#requests.get(medium) === request) this.#requests.delete(medium)
    }
    request.answered = devices
      .ask(medium)
      .then((capture) => this.#add(capture, request))
      .finally(over)
    request.answered.catch(() => {})
    this.#requests.set(medium, request)
    return request
  }

  #add(capture: FakeCapture, { isCancelled }: CaptureRequest): void {
    const { medium } = capture
    capture.isMuted = this.#muted.has(medium)
    capture.isLive = !isCancelled
    if (isCancelled) return
    capture.onEnded = () => this.#onDeviceEnded(medium)
    this.#captures.set(medium, capture)
  }

  /** A device that is not transmitted yet is requested again, except for a screen. */
  #onDeviceEnded(medium: string): void {
    this.#captures.delete(medium)
    if (this.#parts.isTransmitted(medium) || medium === 'Screen') this.#markEnded(medium)
  }

  #markEnded(medium: string): void {
    this.#ended.add(medium)
    if (this.#parts.isTransmitted(medium)) this.#parts.onEnded(medium)
  }
}
