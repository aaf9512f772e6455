import type { Contact } from './sdk.ts'
import type { CallHost } from './call-host.ts'
import { DeviceMemory } from './device-memory.ts'
import type { DeviceKind, ShownDevice } from './devices.ts'
import { carrierOf, operationOf } from './engine-operations.ts'
import { ENGINE, mediaOn } from './media-plan.ts'
import { problemOf } from './problems.ts'

/** The members of an engine that lets its devices be chosen; another engine has none of them. */
interface DeviceEngine {
  listDevices(): Promise<readonly (ShownDevice & object)[]>
  chosenDevice(medium: 'Voice' | 'Video'): string | null
  chooseDevice(medium: 'Voice' | 'Video', deviceId: string | null): Promise<void>
}

const NAMES = ['listDevices', 'chosenDevice', 'chooseDevice'] as const
const MEDIUM = { audioinput: 'Voice', videoinput: 'Video' } as const

const isDeviceEngine = (engine: unknown): engine is DeviceEngine =>
  typeof engine === 'object' &&
  engine !== null &&
  NAMES.every((name) => typeof Reflect.get(engine, name) === 'function')

/** Choosing devices, and hold, of one contact. */
export class DeviceController {
  readonly #contact: Contact
  readonly #host: CallHost
  /** Engines that have put the call on hold. */
  readonly #heldBy = new Set<string>()
  readonly #memory: DeviceMemory

  /** @param memory What was chosen before: it is chosen again. */
  constructor(contact: Contact, host: CallHost, memory = new DeviceMemory()) {
    this.#contact = contact
    this.#host = host
    this.#memory = memory
    for (const kind of ['audioinput', 'videoinput'] as const) {
      const deviceId = memory.chosen(kind)
      if (deviceId) this.#engine?.chooseDevice(MEDIUM[kind], deviceId).catch(() => {})
    }
    if (memory.chosen('audiooutput')) void this.#read().catch(() => {})
  }

  /** Whether what is on is captured with devices that can be chosen. */
  get canChoose(): boolean {
    return this.#engine !== undefined && this.#carriers().includes(ENGINE)
  }

  /** Whether all that carries the call can hold it. */
  get canHold(): boolean {
    const carriers = this.#carriers()
    return carriers.length > 0 && carriers.every((engine) => this.#holding(engine, true))
  }

  /**
   * Reads the devices, whose names a browser tells once it has given one. A list that cannot be had is told,
   * and what was found before stays.
   */
  async look(): Promise<void> {
    await this.#read().catch((error: unknown) =>
      this.#host.tell({ type: 'problem', problem: problemOf(error, 'change') }),
    )
  }

  async #read(): Promise<void> {
    const engine = this.#engine
    if (!engine) return
    const all = await engine.listDevices()
    const list = all
      .filter(({ deviceId }) => deviceId !== '' && deviceId !== 'default' && deviceId !== 'communications')
      .map(({ kind, deviceId, label }) => ({ kind, deviceId, label }))
    const chosen = {
      audioinput: engine.chosenDevice('Voice') ?? '',
      videoinput: engine.chosenDevice('Video') ?? '',
      audiooutput: this.#memory.chosen('audiooutput'),
    }
    this.#host.tell({ type: 'devices', devices: { list, chosen } })
  }

  async choose(kind: DeviceKind, deviceId: string): Promise<void> {
    this.#memory.keep(kind, deviceId)
    if (kind !== 'audiooutput')
      await this.#engine
        ?.chooseDevice(MEDIUM[kind], deviceId === '' ? null : deviceId)
        .catch((error: unknown) => {
          this.#host.tell({ type: 'problem', problem: problemOf(error, 'change') })
        })
    await this.look()
  }

  toggleHold(): void {
    const on = !this.#host.state().isHeld
    if (on && !this.canHold) return
    for (const engine of on ? this.#carriers() : new Set([...this.#carriers(), ...this.#heldBy, ENGINE]))
      this.#hold(engine, on)
    this.#host.tell({ type: 'held', on })
  }

  /** A call that somebody asks for is not on hold. One that was cut comes back by itself, and as it was. */
  callAsked(): void {
    if (this.#host.state().isHeld) this.toggleHold()
  }

  #hold(engine: string, on: boolean): void {
    this.#holding(engine, on)?.()
    if (on) this.#heldBy.add(engine)
    else this.#heldBy.delete(engine)
  }

  #holding(engine: string, on: boolean): ReturnType<typeof operationOf> {
    return operationOf(this.#contact, engine, on ? 'hold' : 'resume')
  }

  /** The engines of what is on. */
  #carriers(): string[] {
    const { media } = this.#host.state()
    return [...new Set(mediaOn(media).map((medium) => carrierOf(media, medium)))]
  }

  get #engine(): DeviceEngine | undefined {
    const engine: unknown = this.#contact.getMediaEngine(ENGINE)
    return isDeviceEngine(engine) ? engine : undefined
  }
}
