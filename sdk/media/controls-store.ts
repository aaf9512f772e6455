import type { Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { EngineRegistry } from './engine-registry.ts'

/** What all tabs of a party keep of a contact's media. */
interface ControlsKeys {
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

export interface ControlsStore {
  readonly store: KeyValueStore
  readonly keys: () => ControlsKeys
  /** Whether this page has the call. */
  readonly hasCall: () => boolean
}

/** Saves what is muted and on hold, by engine, where this page has the call. */
export function saveControls(registry: EngineRegistry, { store, keys, hasCall }: ControlsStore): void {
  if (!hasCall()) return
  const key = keys().controls
  const controls = registry
    .all()
    .flatMap((engine) => (engine.controls ? [[engine.id, engine.controls()]] : []))
  // What cannot be kept must not stand as it was.
  store.removeItem(key)
  store.setItem(key, JSON.stringify(Object.fromEntries(controls)))
}
