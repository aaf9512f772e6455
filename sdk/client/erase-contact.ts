import type { KeyValueStore } from '../api/client.ts'
import { secureKey, seenKey } from '../contact/saved-state.ts'
import { controlsKeys } from '../media/controls-store.ts'
import { datedStore, secureStore } from './dated-store.ts'

/** Erases what the browser keeps of a visitor's contact, for all tabs. */
export function eraseContact(store: KeyValueStore, service: string, contact: string): void {
  const { controls, agreed } = controlsKeys(service, { role: 'visitor', contact })
  for (const key of [seenKey(service, contact), controls, agreed]) datedStore(store, service).removeItem(key)
  secureStore(store, service).removeItem(secureKey(service, contact))
}
