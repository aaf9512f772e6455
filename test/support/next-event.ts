import type { ContactEventName, ContactEvents } from '../../protocol/index.ts'
import type { Contact } from '../../sdk/index.ts'

/** Resolves with the next event of this name. */
export const next = <E extends ContactEventName>(contact: Contact, event: E): Promise<ContactEvents[E]> =>
  new Promise((resolve) => contact.once(event, resolve))
