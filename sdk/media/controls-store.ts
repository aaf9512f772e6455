import type { KeyValueStore } from '../api/client.ts'
import type { ControlsKeys } from './controls-keys.ts'
import type { EngineRegistry } from './engine-registry.ts'

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
