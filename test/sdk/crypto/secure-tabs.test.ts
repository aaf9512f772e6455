import { describe, expect, it } from 'vitest'
import type { OpenTabs } from '../../../sdk/crypto/tabs.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { World, joined, openTab, record, reload, textsOf } from '../../support/contacts.ts'

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
    const channel = open(`duolog:http://localhost:${pair.visitor.id}`, () => {})
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
})
