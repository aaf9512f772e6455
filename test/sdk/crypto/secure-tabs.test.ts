import { describe, expect, it } from 'vitest'
import { base64 } from '../../../sdk/crypto/bytes.ts'
import { ringKey } from '../../../sdk/contact/saved-state.ts'
import { KeyRing } from '../../../sdk/crypto/key-ring.ts'
import type { SavedKey } from '../../../sdk/crypto/key-ring.ts'
import type { OpenTabs } from '../../../sdk/client/page-tabs.ts'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { joined, openTab, record, reload, textsOf } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const secure = { secure: true } as const
const codeOf = (contact: Contact): string | undefined => contact.verification?.code?.digits

describe('the transcript of a secure contact', () => {
  it('ENC-250 is read on both sides and after a page load; a page without the keys counts what it cannot read', async () => {
    const pair = await joined(secure)
    await pair.visitor.sendText('one')
    await pair.agent.sendText('two')
    await settled()
    const textsIn = async (contact: Contact): Promise<unknown[]> =>
      (await contact.readTranscript()).messages.map((message) => 'text' in message && message.text)
    expect([await textsIn(pair.visitor), await textsIn(pair.agent)]).toEqual([
      ['two', 'one'],
      ['two', 'one'],
    ])
    const { contact } = await reload(pair)
    expect(await textsIn(contact)).toEqual(['two', 'one'])
    const { contact: other } = await openTab(pair)
    await settled()
    expect(await other.readTranscript()).toMatchObject({
      messages: [],
      unreadable: expect.any(Number) as number,
    })
  })
})

/** A key that was agreed on before an entry. */
const kept = (since: number): SavedKey => ({
  id: base64(new Uint8Array(8).fill(since)),
  contact: 'c',
  since,
  until: null,
  visitor: base64(new Uint8Array(96)),
  agent: base64(new Uint8Array(96)),
  resume: null,
  code: base64(new Uint8Array(6)),
  verified: null,
})

/** The tabs of one browser, in memory. */
function browser(): OpenTabs {
  const tabs = new Set<{ readonly name: string; readonly onMessage: (message: unknown) => void }>()
  return (name, onMessage) => {
    const own = { name, onMessage }
    tabs.add(own)
    const post = (message: unknown): void => {
      const copy: unknown = structuredClone(message)
      for (const tab of tabs)
        if (tab !== own && tab.name === name) queueMicrotask(() => tabs.has(tab) && tab.onMessage(copy))
    }
    return { post, close: () => void tabs.delete(own) }
  }
}

describe('tabs of a secure contact', () => {
  it('ENC-260 ENC-261 a second tab reads and writes under the keys of the first, and goes on from them', async () => {
    const world = new World({ openTabs: browser() })
    const pair = await joined(secure, undefined, world)
    pair.visitor.verify(true)
    const code = codeOf(pair.visitor)
    await pair.visitor.sendText('before')
    const { contact: tab } = await openTab(pair)
    const [seen, heard] = [textsOf(tab), textsOf(pair.agent)]
    await pair.agent.sendText('to both tabs')
    await tab.sendText('from the second tab')
    await settled()
    expect([seen, heard]).toEqual([
      ['to both tabs', 'own from the second tab'],
      ['own to both tabs', 'from the second tab'],
    ])
    await tab.takeOver()
    await settled()
    expect([codeOf(tab), codeOf(pair.agent), tab.verification?.state]).toEqual([code, code, 'verified'])
    const older = textsOf(pair.visitor)
    await pair.agent.sendText('after the other tab has taken over')
    await settled()
    expect(older).toEqual(['after the other tab has taken over'])
    await pair.visitor.sendText('the older tab writes on')
    await settled()
    expect(heard.at(-1)).toBe('the older tab writes on')
  })

  it('ENC-266 what is verified in one tab is verified in the others at once', async () => {
    const pair = await joined(secure, undefined, new World({ openTabs: browser() }))
    const { contact: tab } = await openTab(pair)
    const told = record(tab, 'verification')
    pair.visitor.verify(true)
    await settled()
    expect(tab.verification).toMatchObject({ state: 'verified', by: 'user' })
    expect(told).toHaveLength(1)
  })

  it('ENC-267 a changed key that is accepted in one tab is accepted in the others, and is not asked about again', async () => {
    const pair = await joined(secure, undefined, new World({ openTabs: browser() }))
    const { contact: tab } = await openTab(pair)
    pair.visitor.verify(true)
    await settled()
    const next = pair.world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const agent = await next.client.accept(id)
    await agent.join()
    await settled()
    const states = (): unknown => [pair.visitor.verification?.state, tab.verification?.state]
    expect(states()).toEqual(['changed', 'changed'])
    pair.visitor.acceptKey()
    await settled()
    expect(states()).toEqual(['unverified', 'unverified'])
    await tab.takeOver()
    await settled()
    expect(states()).toEqual(['unverified', 'unverified'])
  })

  it('ENC-594 a tab that was closed while a changed key was accepted in another does not bring back what was verified before', async () => {
    const pair = await joined(secure, undefined, new World({ openTabs: browser() }))
    const { contact: tab } = await openTab(pair)
    pair.visitor.verify(true)
    await settled()
    await pair.pages.visitor.client.close()
    await pair.clock.advance(20_000)
    await settled()
    const next = pair.world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const agent = await next.client.accept(id)
    await agent.join()
    await pair.clock.advance(250)
    await settled()
    expect(tab.verification?.state).toBe('changed')
    tab.acceptKey()
    const opening = openTab(pair, pair.tab)
    // It reads the first contact, under a key of which no tab tells any more: 2 s, and asks in each of the two.
    for (let turn = 0; turn < 12; turn++) {
      await settled()
      await pair.clock.advance(250)
    }
    const { contact: back } = await opening
    const states = (): unknown => [back.verification?.state, tab.verification?.state]
    expect(states()).toEqual(['unverified', 'unverified'])
    await back.takeOver()
    await settled()
    expect(states()).toEqual(['unverified', 'unverified'])
  })

  it('ENC-594 of two tabs the later decision about a key counts, and of two at once that it is verified', () => {
    const rings = [0, 1].map(() => new KeyRing('c', { service: 's', store: memoryStore() }))
    const [one, other] = rings as [KeyRing, KeyRing]
    const { id } = kept(1)
    const share = (): unknown[] => {
      for (const _ of [1, 2]) rings.forEach((ring, at) => ring.take(rings[1 - at]?.all))
      return rings.map((ring) => ring.get(id)?.verified)
    }
    one.add(kept(1))
    expect(share()).toEqual([null, null])
    one.change(id, { verified: 'user' })
    expect(share()).toEqual(['user', 'user'])
    other.change(null, { verified: null })
    expect(share()).toEqual([null, null])
    one.change(id, { verified: 'user' })
    other.change(id, { until: 9 })
    expect(share()).toEqual(['user', 'user'])
    one.change(null, { verified: null })
    one.change(id, { verified: 'user' })
    other.change(null, { verified: null })
    expect(share()).toEqual(['user', 'user'])
  })

  it('ENC-621 the secret of a key that another went on from is erased in every tab of the party', async () => {
    const pair = await joined(secure, undefined, new World({ openTabs: browser() }))
    const { contact: tab } = await openTab(pair)
    await tab.takeOver()
    await settled()
    const older = pair.tab.getItem(ringKey('http://localhost', pair.visitor.id)) ?? '[]'
    const secrets = (JSON.parse(older) as SavedKey[]).map(({ resume }) => resume !== null)
    expect(secrets).toEqual([...secrets.slice(1).map(() => false), true])
    expect(secrets.length).toBeGreaterThan(1)
  })

  it('ENC-262 an entry whose key does not come holds the others up for 2 s, and is passed over', async () => {
    const pair = await joined(secure)
    const { contact: tab } = await openTab(pair)
    const told = record(tab, 'text', 'datachange')
    await pair.agent.sendText('for those who have the key')
    await settled()
    expect(told).toEqual([])
    await pair.clock.advance(2_000)
    await settled()
    expect(told).toEqual([])
    expect(tab.verification?.state).toBe('agreeing')
    await tab.leave()
  })

  it('ENC-263 what another page says on the channel of the tabs is checked', async () => {
    const open = browser()
    const world = new World({ openTabs: open })
    const pair = await joined(secure, undefined, world)
    const channel = open(`duolog:http://localhost:${pair.visitor.id}:visitor`, () => {})
    for (const message of [
      null,
      1,
      { type: 'keys' },
      { type: 'keys', keys: [{}] },
      { type: 'keys', keys: 'x' },
    ])
      channel?.post(message)
    await settled()
    expect(pair.agent.decrypt(pair.visitor.encrypt('still whole'))).toBe('still whole')
  })

  it('ENC-264 two tabs with more keys than are kept have the newest ones in the end, and fall silent', () => {
    const all = Array.from({ length: 150 }, (_, at) => kept(at))
    const rings = [all.slice(0, 100), all.slice(50)].map((keys) => {
      const store = memoryStore()
      store.setItem(ringKey('s', 'c'), JSON.stringify(keys))
      const told: (readonly SavedKey[])[] = []
      return { told, ring: new KeyRing('c', { service: 's', store, onKeys: (now) => told.push(now) }) }
    })
    const [one, other] = rings as [(typeof rings)[0], (typeof rings)[0]]
    other.ring.take(one.ring.all)
    one.ring.take(other.ring.all)
    other.ring.take(one.ring.all)
    expect([one.told.length, other.told.length]).toEqual([1, 0])
    expect(one.ring.all).toEqual(all.slice(50))
    expect(other.ring.all).toEqual(all.slice(50))
  })

  it('ENC-265 the pages of both parties in one browser do not share keys', async () => {
    const heard: string[] = []
    const open = browser()
    const world = new World({
      openTabs: (name, onMessage) => {
        heard.push(name)
        return open(name, onMessage)
      },
    })
    const pair = await joined(secure, undefined, world)
    expect(new Set(heard).size).toBe(2)
    expect(pair.agent.verification?.state).toBe(pair.visitor.verification?.state)
  })
})
