import { ContactError } from '../protocol/index.ts'
import type { ErrorCode } from '../protocol/index.ts'
import { PatientUser } from './patient-user.ts'

/** A microphone, a camera or whatever a medium is captured with. */
export interface FakeCapture {
  readonly medium: string
  isLive: boolean
  isMuted: boolean
  /** Called when the device goes away by itself. */
  onEnded: () => void
}

/** Devices of plain data. Tests answer for the user. */
export class FakeDevices extends PatientUser {
  /** Media that were asked for, in order. */
  readonly asked: string[] = []
  /** Every capture that was ever given. */
  readonly captures: FakeCapture[] = []
  readonly #refusals: ErrorCode[] = []
  readonly #refusedMedia: { readonly medium: string; readonly code: ErrorCode }[] = []

  /** Media whose device is in use. */
  get inUse(): readonly string[] {
    return this.captures.filter(({ isLive }) => isLive).map(({ medium }) => medium)
  }

  /** The next questions are refused, one for each code. */
  refuse(...codes: ErrorCode[]): void {
    this.#refusals.push(...codes)
  }

  /** The next question for the device of a medium is refused. */
  refuseMedium(medium: string, code: ErrorCode): void {
    this.#refusedMedia.push({ medium, code })
  }

  /** The device of a medium goes away. */
  end(medium: string): void {
    for (const capture of this.captures) {
      if (capture.medium !== medium || !capture.isLive) continue
      capture.isLive = false
      capture.onEnded()
    }
  }

  /**
   * Asks for a device, before it returns. Rejects with the code given to {@link refuse} or
   * {@link refuseMedium}.
   */
  async ask(medium: string): Promise<FakeCapture> {
    this.asked.push(medium)
    await this.answered()
    const refused = this.#refusedMedia.findIndex((each) => each.medium === medium)
    const code = refused < 0 ? this.#refusals.shift() : this.#refusedMedia.splice(refused, 1)[0]?.code
    if (code) throw new ContactError(code, `unable to capture ${medium}; the test says so`)
    const capture: FakeCapture = { medium, isLive: true, isMuted: false, onEnded: () => {} }
    this.captures.push(capture)
    return capture
  }
}
