export const DEVICE_KINDS = ['audioinput', 'videoinput', 'audiooutput'] as const
export type DeviceKind = (typeof DEVICE_KINDS)[number]

export interface ShownDevice {
  readonly kind: DeviceKind
  readonly deviceId: string
  readonly label: string
}

/** What can be chosen, and what is; the system's choice is the empty string. */
export interface Devices {
  readonly list: readonly ShownDevice[]
  readonly chosen: Readonly<Record<DeviceKind, string>>
}
