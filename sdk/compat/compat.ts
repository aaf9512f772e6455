import type { Client } from '../api/client.ts'
import type { Contact } from '../api/contact.ts'
import { compatClient } from './compat-client.ts'
import type { CompatClient } from './compat-client.ts'
import { compatContact } from './compat-contact.ts'
import type { CompatContact } from './compat-contact.ts'
import { made } from './positional.ts'

const contacts = new WeakMap<Contact, ReturnType<typeof compatContact>>()
const clients = new WeakMap<Client, CompatClient>()

const known = (contact: Contact): ReturnType<typeof compatContact> =>
  made(contacts, contact, () => compatContact(contact))

/**
 * A visitor's page whose contacts are in the style of event emitters, and whose first offer may name
 * `Sharing`, which is ignored.
 */
export function compat(client: Client): CompatClient
/**
 * A contact in the style of event emitters: handlers of messages, of `mediaoffer` and `mediachange` get the
 * properties of an event as positional arguments, in the order in which the contract lists them,
 * `text(text, from_id, from_nick, agent)` for example; the others the one object. Actions and topics are
 * handed over as ever.
 * The same contact gives the same object each time.
 *
 * @example
 * ```ts
 * const contact = compat(await client.createContact())
 * contact.on('text', (text, from_id, from_nick, agent) => show(from_nick ?? from_id, text))
 * ```
 */
export function compat(contact: Contact): CompatContact
export function compat(given: Client | Contact): CompatClient | CompatContact {
  if ('createContact' in given) return made(clients, given, () => compatClient(given, known))
  return known(given).contact
}
