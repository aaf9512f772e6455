import { attempt } from './attempt.ts'
import type { DeviceKind } from './devices.ts'

const KEY = 'duolog.devices'

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>

/**
 * The devices that were chosen last on this origin, for all contacts and page loads. Where storage is blocked
 * or full, they last as long as the page.
 */
export class DeviceMemory {
  readonly #storage: () => Storage
  readonly #here = new Map<DeviceKind, string>()

  constructor(storage: () => Storage = () => localStorage) {
    this.#storage = storage
  }

  /** Id of a device; the system's choice is the empty string. */
  chosen(kind: DeviceKind): string {
    const id = this.#here.get(kind) ?? this.#all()[kind]
    return typeof id === 'string' ? id : ''
  }

  keep(kind: DeviceKind, deviceId: string): void {
    this.#here.set(kind, deviceId)
    attempt(
      () => this.#storage().setItem(KEY, JSON.stringify({ ...this.#all(), [kind]: deviceId })),
      undefined,
    )
  }

  #all(): Readonly<Partial<Record<DeviceKind, unknown>>> {
    const all: unknown = attempt(() => JSON.parse(this.#storage().getItem(KEY) ?? '{}') as unknown, null)
    return typeof all === 'object' && all !== null ? all : {}
  }
}
