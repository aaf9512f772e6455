import { describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import type { Page } from '../../support/world.ts'
import { record, textsOf, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { VisitorClient } from '../../../sdk/client/create-client.ts'

/** Storage whose keys a test sees. */
function observedStore(): KeyValueStore & { readonly keys: () => string[] } {
  const values = new Map<string, string>()
  return {
    keys: () => [...values.keys()].map((key) => key.replace('duolog:http://localhost:', '')).toSorted(),
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

interface Tab {
  readonly storage: ReturnType<typeof observedStore>
  page: Page<VisitorClient>
  contact: Contact
}

/** A browser with two tabs. */
class Browser {
  readonly store = observedStore()
  readonly world: World
  readonly desk

  constructor() {
    this.world = new World({ store: this.store })
    this.desk = this.world.agent().client
  }

  /** A new tab, whose visitor begins a contact or takes the newest up. */
  async tab(how: 'creates' | 'resumes'): Promise<Tab> {
    const storage = observedStore()
    const page = this.world.visitor({ tab: storage })
    const contact =
      how === 'creates' ? await page.client.createContact() : (await page.client.resumeContact()).contact
    if (!contact) throw new Error('there is nothing to resume')
    contact.on('text', () => {})
    await settled()
    return { storage, page, contact }
  }

  async agentOf({ contact }: Tab): Promise<Contact> {
    const agent = await this.desk.accept(contact.id)
    await agent.join()
    await settled()
    return agent
  }

  /** The page of a tab is loaded anew. Gives the id of the contact that it has then. */
  async reload(tab: Tab): Promise<string | null> {
    await tab.page.client.close()
    tab.page = this.world.visitor({ tab: tab.storage })
    const { contact } = await tab.page.client.resumeContact()
    await settled()
    if (contact) tab.contact = contact
    return contact?.id ?? null
  }
}

describe('what belongs to the visitor, a contact, a tab, a session', () => {
  it('SND-1 SND-304 one contact in two tabs: one leaves, and the other has it after its reload', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    await browser.agentOf(first)
    const second = await browser.tab('resumes')
    await second.contact.leave()
    expect([second.storage.keys(), browser.store.keys()]).toEqual([[], ['visitor']])
    expect(await browser.reload(first)).toBe('contact-1')
    await first.contact.leave()
    expect([first.storage.keys(), browser.store.keys()]).toEqual([[], []])
  })

  it.each(['leave', 'cleared'] as const)(
    'SND-1 SND-304 each tab has its own contact: one ends by %s, and the other has its own after its reload',
    async (how) => {
      const browser = new Browser()
      const [first, second] = [await browser.tab('creates'), await browser.tab('creates')]
      const agents = [await browser.agentOf(first), await browser.agentOf(second)]
      for (const [over, other, agent] of [
        [second, first, agents[1]],
        [first, second, agents[0]],
      ] as const) {
        if (other.storage.keys().length === 0) continue
        await (how === 'leave' ? over.contact.leave() : agent?.leave())
        await settled()
        expect([over.storage.keys(), browser.store.keys()]).toEqual([[], ['visitor']])
        expect(await browser.reload(other)).toBe(other === first ? 'contact-1' : 'contact-2')
        expect(await browser.reload(over)).toBe(other.contact.id)
        break
      }
      await first.contact.leave()
      await second.contact.leave()
      await browser.world.clock.advance(30_000)
      expect([first.storage.keys(), second.storage.keys(), browser.store.keys()]).toEqual([[], [], []])
    },
  )

  it('SND-1 SND-304 each tab comes back to its own contact, a new tab to the newest, and to the other once that is over', async () => {
    const browser = new Browser()
    const [first, second] = [await browser.tab('creates'), await browser.tab('creates')]
    expect([
      await browser.reload(first),
      await browser.reload(second),
      (await browser.tab('resumes')).contact.id,
    ]).toEqual(['contact-1', 'contact-2', 'contact-2'])
    const agent = await browser.agentOf(second)
    await agent.leave()
    await settled()
    expect((await browser.tab('resumes')).contact.id).toBe('contact-1')
  })

  it('SND-304 a contact that is transferred is followed by both tabs, also by one that was closed meanwhile', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    await browser.agentOf(first)
    const [second, closed] = [await browser.tab('resumes'), await browser.tab('resumes')]
    await closed.page.client.close()
    await browser.desk.transfer('contact-1', { toTags: ['bills'] })
    await browser.world.clock.advance(1_000)
    expect([
      first.contact.id,
      second.contact.id,
      await browser.reload(first),
      await browser.reload(closed),
    ]).toEqual(['contact-2', 'contact-2', 'contact-2', 'contact-2'])
    for (const { contact } of [first, second, closed]) await contact.leave()
    expect([first, second, closed].map(({ storage }) => storage.keys())).toEqual([[], [], []])
    expect(browser.store.keys()).toEqual([])
  })

  it('SND-304 a page that is closed keeps what its tab needs, and nothing else', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    await first.page.client.close()
    expect([first.storage.keys(), browser.store.keys()]).toEqual([['contact', 'contact-1'], ['visitor']])
  })

  it('SND-304 SND-3 the visitor’s token is over: what is pending settles, the event error tells, and the next page begins anew', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    await browser.agentOf(first)
    const told = record(first.contact, 'error', 'connection')
    browser.world.link.refuse('visitor', 'unauthorized')
    browser.world.link.cut('visitor')
    const sent = watch(first.contact.sendText('not any more'))
    await import('../../../sdk/rpc/rpc.ts')
    const asked = watch(first.contact.request('Anything', null))
    await browser.world.clock.advance(60_000)
    expect([sent.result, asked.result]).toEqual([{ code: 'unauthorized' }, { code: 'unauthorized' }])
    expect(told.filter(([name]) => name === 'error')).toMatchObject([['error', { code: 'unauthorized' }]])
    await expect(first.contact.sendText('nor this')).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(first.contact.sendRead('m1')).rejects.toMatchObject({ code: 'unauthorized' })
    browser.world.link.refuse('visitor', null)
    const { contact } = await first.page.client.resumeContact()
    await settled()
    expect([contact, await contact?.sendText('again')]).toEqual([first.contact, expect.any(String)])
    expect(browser.world.entries.filter((type) => type === 'text').length).toBe(1)
  })
})

describe('leaving while the connection is cut', () => {
  it('SND-21 the service hears of it when the link is back', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    const agent = await browser.agentOf(first)
    const there = record(agent, 'left')
    browser.world.link.cut('visitor')
    await first.contact.leave('bye')
    await browser.world.clock.advance(5_000)
    expect(there).toMatchObject([['left', { reason: 'vvcu' }]])
    expect([first.storage.keys(), browser.store.keys()]).toEqual([[], []])
    await browser.world.clock.advance(60_000)
    expect(browser.world.clock.pending).toBe(0)
  })

  it('SND-21 it hears of it from the next page, which does not have the contact', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    const agent = await browser.agentOf(first)
    const there = record(agent, 'left')
    browser.world.link.cut('visitor')
    await first.contact.leave()
    expect(await browser.reload(first)).toBeNull()
    expect([there.map(([, event]) => event), first.storage.keys(), browser.store.keys()]).toMatchObject([
      [{ reason: 'vvcu' }],
      [],
      [],
    ])
  })

  it('SND-21 so it does where the next page begins another contact at once', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    const agent = await browser.agentOf(first)
    const there = record(agent, 'left')
    browser.world.link.cut('visitor')
    await first.contact.leave()
    await first.page.client.close()
    const next = await browser.world.visitor({ tab: first.storage }).client.createContact()
    await settled()
    expect([next.id, there.map(([, event]) => event)]).toMatchObject(['contact-2', [{ reason: 'vvcu' }]])
    expect([first.storage.keys(), browser.store.keys()]).toEqual([['contact', 'contact-2'], ['visitor']])
  })

  it('SND-21 an agent’s leave is heard, too, and the contact is not among those of the console', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    const agent = await browser.agentOf(first)
    const here = record(first.contact, 'left')
    browser.world.link.cut('agent')
    await agent.leave()
    await browser.world.clock.advance(5_000)
    expect([here, await browser.desk.contacts()]).toMatchObject([[['left', { reason: 'user' }]], []])
  })
})

describe('events over page loads', () => {
  it.each([1, 2])(
    'SND-2 what comes while the page loads for the %i. time is told once, with its ack',
    async (loads) => {
      const browser = new Browser()
      const first = await browser.tab('creates')
      const agent = await browser.agentOf(first)
      const there = record(agent, 'ack')
      for (let load = 1; load < loads; load++) await browser.reload(first)
      await first.page.client.close()
      await agent.sendText('welcome')
      const heard: string[][] = []
      for (let page = 0; page < 2; page++) {
        first.page = browser.world.visitor({ tab: first.storage })
        const { contact } = await first.page.client.resumeContact()
        heard.push(contact ? textsOf(contact) : [])
        await settled()
        await first.page.client.close()
      }
      expect([heard, there.length]).toEqual([[['welcome'], []], 1])
    },
  )

  it('SND-2 a console that is reloaded before any message hears the first one', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    const tab = memoryStore()
    const console = (): ReturnType<World['agent']> => browser.world.agent({}, tab)
    const before = console()
    await (await before.client.accept(first.contact.id)).join()
    await settled()
    await before.client.close()
    await first.contact.sendText('are you there?')
    const [contact] = await console().client.contacts()
    if (!contact) throw new Error('there is no contact')
    const texts = textsOf(contact)
    await contact.join()
    await settled()
    expect(texts).toEqual(['are you there?'])
  })

  it('SND-2 an event of membership is told once over page loads, whatever came after it', async () => {
    const browser = new Browser()
    const first = await browser.tab('creates')
    await browser.agentOf(first)
    await first.page.client.close()
    const told: string[][] = []
    for (let page = 0; page < 3; page++) {
      first.page = browser.world.visitor({ tab: first.storage })
      const { contact } = await first.page.client.resumeContact()
      const events = contact ? record(contact, 'assigned', 'joined', 'transferred') : []
      await settled()
      told.push(events.map(([name]) => name))
      await first.page.client.close()
      if (page === 0) {
        await browser.desk.transfer('contact-1', { toTags: ['bills'] })
        await browser.world.agent({ id: 'agent-2' }).client.accept('contact-2')
      }
    }
    expect(told).toEqual([[], ['transferred', 'assigned'], []])
  })
})
