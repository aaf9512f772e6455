import { expect, it } from 'vitest'
import { memoryStore, safeStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A storage that can become full: what stands there stays, nothing is written any more. */
function fillable() {
  const inner = memoryStore()
  const state = { isFull: false }
  const setItem = (key: string, value: string): void => {
    if (state.isFull) throw new DOMException('full', 'QuotaExceededError')
    inner.setItem(key, value)
  }
  return { inner, state, store: { ...inner, setItem } }
}

it('SND-302 LOG-5 no message is told twice over a page load where the tab’s storage has become full', async () => {
  const world = new World()
  const { store: tab, state } = fillable()
  const page = world.visitor({ tab })
  const visitor = await page.client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  await agent.join()
  await settled()
  const first = record(visitor, 'text')
  await agent.sendText('one')
  await settled()
  state.isFull = true
  await agent.sendText('two')
  await settled()
  expect(first.length).toBe(2)
  await page.client.close()
  const { contact } = await world.visitor({ tab }).client.resumeContact()
  if (!contact) throw new Error('there is no contact')
  const again = record(contact, 'text')
  await settled()
  await agent.sendText('three')
  await settled()
  expect(again).toMatchObject([['text', { text: 'three' }]])
})

it('SND-302 what a full storage does not keep does not stand there as it was', () => {
  const { inner, state, store } = fillable()
  const safe = safeStore(
    () => store,
    () => {},
  )
  safe.setItem('a', 'old')
  state.isFull = true
  safe.setItem('a', 'new')
  expect([safe.getItem('a'), inner.getItem('a')]).toEqual(['new', null])
})
