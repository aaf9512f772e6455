import { afterEach, expect, it, vi } from 'vitest'
import { later } from '../../../sdk/contact/lazy-modules.ts'
import { joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const missing = new TypeError('Failed to fetch dynamically imported module')

afterEach(() => {
  vi.restoreAllMocks()
})

it('PKG-3 a page of which nothing is kept resumes nothing and creates a contact, and loads nothing for either', async () => {
  const returning = vi.spyOn(later, 'returning')
  const { client } = new World().visitor()
  expect(await client.resumeContact()).toEqual({ contact: null, resumed: false })
  await client.createContact()
  expect(returning).not.toHaveBeenCalled()
})

it('ERR-2 PKG-3 a page that comes back gives offline where its code cannot be loaded, and resumes when it is tried again', async () => {
  const pair = await joined()
  await pair.pages.visitor.client.close()
  const { client } = pair.world.visitor({ tab: pair.tab })
  vi.spyOn(later, 'returning').mockRejectedValueOnce(missing)
  await expect(client.resumeContact()).rejects.toMatchObject({ code: 'offline', cause: missing })
  expect((await client.resumeContact()).contact?.id).toBe(pair.visitor.id)
})

it('PKG-3 what shows the log to an observer cannot be loaded: the contact is opened all the same', async () => {
  const { client } = new World({ isInspected: true }).visitor()
  vi.spyOn(later, 'negotiation').mockRejectedValueOnce(missing)
  const contact = await client.createContact()
  await expect(contact.sendText('hello')).resolves.toEqual(expect.any(String))
})
