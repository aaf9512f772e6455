import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { SavedUnsent } from '../../../sdk/contact/saved-unsent.ts'
import { settled } from '../../../testing/index.ts'
import { joined, textsOf, watch } from '../../support/contacts.ts'

it('SND-306 LOG-6 what waits stays as it stands in the tab’s storage over page loads, and is sent in the end', async () => {
  const pair = await joined()
  const { world, tab, link } = pair
  link.faults = {
    onMessage: ({ slot }, name, body) => {
      const { drafts = [] } = body as { readonly drafts?: readonly { readonly type: string }[] }
      if (slot === 'visitor' && name === 'log.append' && drafts.some(({ type }) => type === 'text'))
        throw new ContactError('rate_limited', 'too many messages', { retryAfterMs: 60_000 })
      return 'pass'
    },
  }
  const all = Array.from({ length: 60 }, (_, index) => `text ${index}`)
  for (const one of all) void watch(pair.visitor.sendText(one))
  await settled()
  await pair.pages.visitor.client.close()
  const setItem = tab.setItem.bind(tab)
  const written: string[] = []
  tab.setItem = (key, value) => {
    if (key.includes(':unsent')) written.push(key)
    setItem(key, value)
  }
  for (let load = 0; load < 3; load++) {
    const page = world.visitor({ tab })
    void watch(page.client.resumeContact())
    await settled()
    await page.client.close()
  }
  expect(written).toEqual([])
  link.faults = {}
  const heard = textsOf(pair.agent)
  const page = world.visitor({ tab })
  void watch(page.client.resumeContact())
  await world.clock.advance(10_000)
  expect(heard).toEqual(all)
})

it('SND-306 LOG-6 what waits is found however many were sent before it', () => {
  const store = memoryStore()
  const text = { id: 'a', type: 'text', body: { text: 'a' } }
  store.setItem('k:unsent', '[0,9000]')
  store.setItem('k:unsent:8999', JSON.stringify(text))
  const unsent = new SavedUnsent(store, 'k')
  expect(unsent.found).toEqual([text])
  unsent.erase()
  expect([store.getItem('k:unsent'), store.getItem('k:unsent:8999')]).toEqual([null, null])
})
