import type { Contact } from '../../sdk/index.ts'
import { settled } from '../../testing/index.ts'
import type { Pair } from './contacts.ts'

/** Another agent takes the contact and joins it. */
export async function taken(pair: Pair, id: string): Promise<Contact> {
  const page = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
  const contact = await page.client.accept(id)
  await contact.join()
  await settled()
  return contact
}
