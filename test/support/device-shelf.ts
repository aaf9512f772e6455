/** Microphones and cameras that a test plugs in and out. */
import wrtc from '@roamhq/wrtc'
import type { CaptureDevices, Device } from '../../engines/index.ts'
import type { Colour } from './camera.ts'
import { film, tone } from './node-media.ts'
import { PatientUser } from '../../testing/patient-user.ts'

interface Shelved extends Device {
  readonly colour?: Colour
}

export const mic = (deviceId: string, groupId: string): Shelved => ({
  kind: 'audioinput',
  deviceId,
  groupId,
  label: deviceId,
})
export const webcam = (deviceId: string, colour: Colour): Shelved => ({
  kind: 'videoinput',
  deviceId,
  groupId: deviceId,
  label: deviceId,
  colour,
})

type Wanted = boolean | MediaTrackConstraints | undefined

/** The first device of a kind is the system's choice. */
export class DeviceShelf extends PatientUser implements CaptureDevices {
  readonly asked: MediaStreamConstraints[] = []
  readonly applied: MediaTrackConstraints[] = []
  /** Thrown by the next questions, one each. */
  readonly failures: unknown[] = []
  readonly #listeners = new Set<() => void>()
  readonly #tracks: { readonly deviceId: string; readonly track: MediaStreamTrack }[] = []
  #devices: readonly Shelved[]

  constructor(devices: readonly Shelved[]) {
    super()
    this.#devices = devices
  }

  get live(): number {
    return this.#tracks.filter(({ track }) => track.readyState === 'live').length
  }

  get listeners(): number {
    return this.#listeners.size
  }

  plug(device: Shelved): void {
    this.#devices = [...this.#devices, device]
    for (const run of this.#listeners) run()
  }

  unplug(deviceId: string): Shelved {
    const device = this.#devices.find((one) => one.deviceId === deviceId)
    if (!device) throw new Error(`there is no ${deviceId}`)
    this.#devices = this.#devices.filter((one) => one !== device)
    for (const { deviceId: id, track } of this.#tracks) {
      if (id !== deviceId || track.readyState !== 'live') continue
      track.stop()
      track.dispatchEvent({ type: 'ended' } as Event)
    }
    for (const run of this.#listeners) run()
    return device
  }

  listNow = (): readonly Device[] => this.#devices
  enumerateDevices = (): Promise<readonly Device[]> => Promise.resolve(this.#devices)
  addEventListener = (_name: 'devicechange', run: () => void): void => void this.#listeners.add(run)
  removeEventListener = (_name: 'devicechange', run: () => void): void => void this.#listeners.delete(run)
  getDisplayMedia = (): Promise<MediaStream> =>
    Promise.resolve(
      this.#give([{ kind: 'videoinput', deviceId: 'screen', groupId: '', label: '', colour: [9, 9, 9] }]),
    )

  async getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream> {
    this.asked.push(constraints)
    await this.answered()
    if (this.failures.length > 0) throw this.failures.shift()
    return this.#give([
      ...this.#find('audioinput', constraints.audio),
      ...this.#find('videoinput', constraints.video),
    ])
  }

  #find(kind: Device['kind'], wanted: Wanted): Shelved[] {
    if (!wanted) return []
    const { exact, ideal } = (typeof wanted === 'object' ? (wanted.deviceId ?? {}) : {}) as {
      readonly exact?: string
      readonly ideal?: string
    }
    const ofKind = this.#devices.filter((device) => device.kind === kind)
    const found =
      exact === undefined
        ? (ofKind.find(({ deviceId }) => deviceId === ideal) ?? ofKind[0])
        : ofKind.find(({ deviceId }) => deviceId === exact)
    if (!found)
      throw Object.assign(new Error('no such device'), {
        name: exact === undefined ? 'NotFoundError' : 'OverconstrainedError',
      })
    return [found]
  }

  #give(devices: readonly Shelved[]): MediaStream {
    return new wrtc.MediaStream(devices.map((device) => this.#track(device)))
  }

  #track({ kind, colour = [0, 0, 0], deviceId, groupId }: Shelved): MediaStreamTrack {
    const track = kind === 'audioinput' ? tone(600) : film(colour)
    const applyConstraints = (constraints: MediaTrackConstraints): Promise<void> => {
      if (typeof constraints.width === 'object' && constraints.width.exact !== undefined)
        return Promise.reject(Object.assign(new Error('too wide'), { name: 'OverconstrainedError' }))
      this.applied.push(constraints)
      return Promise.resolve()
    }
    Object.defineProperties(track, {
      getSettings: { value: () => ({ deviceId, groupId }) },
      applyConstraints: { value: applyConstraints },
    })
    this.#tracks.push({ deviceId, track })
    return track
  }
}
