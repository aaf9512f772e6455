import { createClient } from 'duolog'
import type { Contact } from 'duolog'

/** The page of a signed-in customer: their open contact, or the list of earlier ones. */
export async function takeUp(service: string): Promise<Contact | readonly string[]> {
  const client = createClient({
    service,
    // Asked again for each connection: the JWT may be short-lived.
    identity: async () => (await fetch('/contact-identity')).text(),
  })
  const { contact } = await client.resumeContact()
  if (contact) return contact
  const { contacts } = await client.history()
  return contacts.map(({ id }) => id)
}
