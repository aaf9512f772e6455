import type { Slot } from '../../protocol/index.ts'

/** What all tabs of a party keep of a contact's media. */
export interface ControlsKeys {
  /** What is muted and on hold. */
  readonly controls: string
  /** What the user agreed to transmit. */
  readonly agreed: string
}

/** Where it stands. */
export const controlsKeys = (
  service: string,
  { role, contact }: { readonly role: Slot; readonly contact: string },
): ControlsKeys => ({
  controls: `duolog:${service}:${contact}:controls:${role}`,
  agreed: `duolog:${service}:${contact}:agreed:${role}`,
})
