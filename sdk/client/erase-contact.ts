import type { Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import { secureKey, seenKey } from '../contact/saved-state.ts'
import { controlsKeys } from '../media/controls-keys.ts'
import { datedStore, secureStore } from './dated-store.ts'

/** Erases what the browser keeps of a party's contact, for all tabs. */
export function eraseContact(
  store: KeyValueStore,
  service: string,
  whose: { readonly role: Slot; readonly contact: string },
): void {
  const { contact } = whose
  const { controls, agreed } = controlsKeys(service, whose)
  for (const key of [seenKey(service, contact), controls, agreed]) datedStore(store, service).removeItem(key)
  secureStore(store, service).removeItem(secureKey(service, contact))
}
