import { COLOURS } from '../support/camera.ts'
import { DeviceShelf, webcam } from '../support/device-shelf.ts'

/** Devices as a browser has them whose list, or whose answer to a question, comes when the test says so. */
export class SilentShelf extends DeviceShelf {
  #listed: (() => void)[] | null = null

  holdList(): void {
    this.#listed = []
  }

  giveList(): void {
    for (const go of this.#listed?.splice(0) ?? []) go()
    this.#listed = null
  }

  override enumerateDevices = async (): ReturnType<DeviceShelf['enumerateDevices']> => {
    const waiting = this.#listed
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve))
    return this.listNow()
  }
}

/** A phone: opens one camera at a time. */
export class Phone extends SilentShelf {
  override async getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream> {
    if (constraints.video && this.live > 0)
      throw Object.assign(new Error('in use'), { name: 'NotReadableError' })
    return super.getUserMedia(constraints)
  }
}

/** Two cameras. */
export const cameras = () => [webcam('red', COLOURS.red), webcam('blue', COLOURS.blue)]
/** The event of a capture that is over. */
export const ended = (medium: string) => ({ type: 'capture_ended', medium })
