import { expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { World } from '../../support/world.ts'

it('SND-309 a new tab takes up the contact that is open, where the visitor’s newest one has ended', async () => {
  const world = new World()
  const one = await world.visitor().client.createContact()
  const second = world.visitor()
  const two = await second.client.createContact()
  await settled()
  await second.client.close()
  await world.clock.advance(800_000)
  await settled()
  expect(world.link.contacts.get(two.id)?.state.life).toBe('cleared')
  const { contact } = await world.visitor().client.resumeContact()
  expect(contact?.id).toBe(one.id)
})

it('SND-309 a tab whose own contact has ended takes up another one of the visitor that is open', async () => {
  const world = new World()
  const tab = memoryStore()
  const page = world.visitor({ tab })
  const own = await page.client.createContact()
  await page.client.close()
  const other = await world.visitor().client.createContact()
  await world.clock.advance(800_000)
  await settled()
  expect(world.link.contacts.get(own.id)?.state.life).toBe('cleared')
  const { contact } = await world.visitor({ tab }).client.resumeContact()
  expect(contact?.id).toBe(other.id)
})
