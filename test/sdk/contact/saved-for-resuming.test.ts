import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { joined, openTab } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'

/** Storage whose keys a test sees. */
function observedStore(): KeyValueStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

describe('a page that is loaded anew', () => {
  it('RES-1 RES-9 where there is nothing to resume, or it is over, contact is null and nothing is kept', async () => {
    const pair = await joined()
    const none = pair.world.visitor({ tab: memoryStore() })
    await pair.agent.sendText('x')
    await pair.pages.visitor.client.close()
    await pair.agent.leave()
    expect(await none.client.resumeContact()).toEqual({ contact: null, resumed: false })
    expect(pair.world.store.getItem('duolog:http://localhost:visitor')).toBeNull()
    const later = pair.world.visitor({ tab: pair.tab })
    expect(await later.client.resumeContact()).toEqual({ contact: null, resumed: false })
    expect((await later.client.createContact()).id).toBe('contact-2')
  })

  it('RES-9 leaving erases what was kept for resuming', async () => {
    const pair = await joined()
    pair.visitor.on('text', () => {})
    await pair.agent.sendText('x')
    await settled()
    expect(pair.tab.getItem('duolog:http://localhost:contact-1')).not.toBeNull()
    await pair.visitor.leave()
    await settled()
    expect([
      pair.tab.getItem('duolog:http://localhost:contact-1'),
      pair.tab.getItem('duolog:http://localhost:contact'),
      pair.world.store.getItem('duolog:http://localhost:visitor'),
    ]).toEqual([null, null, null])
  })

  it('RES-9 what is kept is separate per service, erased with the contact to the last key, and useless after it', async () => {
    const shared = { store: observedStore(), tab: observedStore() }
    const { store, tab } = shared
    const sites = [new World(), new World()].map((world, index) => {
      const service = `https://${index}.example.org`
      const party = { slot: 'visitor', id: `visitor-${index}` } as const
      const page = () =>
        new VisitorClient(
          { service, transport: world.link.transport(party) },
          { ...testEnvironment(world.clock, fakes), store, tab },
        )
      return { service, world, page, first: page() }
    })
    for (const { first, world } of sites) {
      const visitor = await first.createContact()
      visitor.on('Count', (_data, callback) => callback(null, 1))
      visitor.on('text', () => {})
      const agent = await world.agent().client.accept(visitor.id)
      await agent.join()
      await settled()
      await agent.request('Count')
      await agent.sendText(`of ${world.contact.visitor.id}`)
      await settled()
      await first.close()
    }
    const kept = [...store.values.keys(), ...tab.values.keys()]
    for (const { service } of sites)
      expect(kept.filter((key) => key.startsWith(`duolog:${service}:`)).length).toBe(5)
    expect(kept.length).toBe(10)
    const before = [new Map(store.values), new Map(tab.values)]
    for (const { page, world } of sites) {
      const { contact, resumed } = await page().resumeContact()
      expect([resumed, contact?.data().visitor.id]).toEqual([true, world.contact.visitor.id])
      expect((await contact?.readTranscript())?.messages).toMatchObject([
        { text: `of ${world.contact.visitor.id}` },
      ])
      await contact?.leave()
      await world.clock.advance(30_000)
    }
    expect([...store.values.keys(), ...tab.values.keys()]).toEqual([])
    for (const [index, { values }] of [store, tab].entries())
      for (const [key, value] of before[index] ?? []) values.set(key, value)
    for (const { page } of sites)
      expect(await page().resumeContact()).toEqual({ contact: null, resumed: false })
    expect([...store.values.keys(), ...tab.values.keys()].filter((key) => !key.endsWith(':visitor'))).toEqual(
      [],
    )
  })

  it('RES-8 RES-1 what is kept may be garbage', async () => {
    const pair = await joined()
    await pair.pages.visitor.client.close()
    pair.tab.setItem('duolog:http://localhost:contact-1', '{"cursor":"no","letters":[{}]}')
    const { contact } = await openTab(pair, pair.tab)
    expect(contact.mediaState).toBe('idle')
  })
})
