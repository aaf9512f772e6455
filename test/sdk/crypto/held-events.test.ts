/** What the other party writes under a changed key is told when the user has accepted that key, and once. */
import { describe, expect, it } from 'vitest'
import type { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import type { KeyValueStore } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, reload, textsOf } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'
import type { Page } from '../../support/world.ts'

interface Changed {
  readonly pair: Pair
  readonly agent: Contact
  readonly page: Page<AgentImpl>
  /** Of the second agent. */
  readonly tab: KeyValueStore
}

/** A visitor who has verified the key of one agent, and is asked about that of the next. */
async function changedKey(): Promise<Changed> {
  const pair = await joined({ secure: true })
  pair.visitor.verify(true)
  const tab = memoryStore()
  const page = pair.world.agent({ id: 'agent-2', nick: 'Bo' }, tab)
  const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
  await settled()
  const agent = await page.client.accept(id)
  await agent.join()
  await settled()
  expect(pair.visitor.verification?.state).toBe('changed')
  return { pair, agent, page, tab }
}

/** The next page of the second agent, in a tab. */
async function reloadAgent({ pair, page }: Changed, tab: KeyValueStore): Promise<Contact> {
  await page.client.close()
  const [agent] = await pair.world.agent({ id: 'agent-2', nick: 'Bo' }, tab).client.contacts()
  if (!agent) throw new Error('the agent has no contact')
  await agent.join()
  await settled()
  return agent
}

/** The texts that the next page of the visitor's tab is told from its start. */
async function textsOfNext({ world, tab }: Pair): Promise<readonly string[]> {
  const { contact } = await world.visitor({ tab }).client.resumeContact()
  if (!contact) throw new Error('nothing was resumed')
  const texts = textsOf(contact)
  await settled()
  return texts
}

async function send(contact: Contact, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await contact.sendText(text)
  await settled()
}

describe('what is held under a changed key', () => {
  it('ENC-591 is told over page loads, in order and once', async () => {
    const changed = await changedKey()
    const { pair, agent } = changed
    const first = textsOf(pair.visitor)
    await send(agent, 'one', 'two')
    await pair.pages.visitor.client.close()
    await send(agent, 'while the page was away')
    const second = await reload(pair)
    const heard = record(second.contact, 'text')
    await send(agent, 'four')
    expect([first, heard, second.contact.verification?.state]).toEqual([[], [], 'changed'])
    await second.page.client.close()
    const third = await reload(pair)
    const told = textsOf(third.contact)
    const acks = record(agent, 'ack')
    await settled()
    expect(told).toEqual([])
    third.contact.acceptKey()
    await settled()
    expect(told).toEqual(['one', 'two', 'while the page was away', 'four'])
    expect(acks).toHaveLength(4)
    await third.page.client.close()
    const again = await textsOfNext(pair)
    await send(agent, 'five')
    expect(again).toEqual(['five'])
  })

  it('ENC-592 is told where the other page was loaded anew before the user has decided', async () => {
    const changed = await changedKey()
    const { pair, agent, tab } = changed
    const told = textsOf(pair.visitor)
    await send(agent, 'one')
    await send(await reloadAgent(changed, tab), 'two')
    expect([told, pair.visitor.verification?.state]).toEqual([[], 'changed'])
    pair.visitor.verify(true)
    await settled()
    expect(told).toEqual(['one', 'two'])
  })

  it('ENC-592 also over a page load after it', async () => {
    const changed = await changedKey()
    const { pair, agent, tab } = changed
    await send(agent, 'one')
    await send(await reloadAgent(changed, tab), 'two')
    const { contact } = await reload(pair)
    const told = textsOf(contact)
    await settled()
    contact.acceptKey()
    await settled()
    expect(told).toEqual(['one', 'two'])
  })

  it('ENC-593 is not told where the user accepts another key that does not go on from it', async () => {
    const changed = await changedKey()
    const { pair, agent } = changed
    const told = textsOf(pair.visitor)
    await send(agent, 'under a key that nobody has accepted')
    await send(await reloadAgent(changed, memoryStore()), 'under the next one')
    pair.visitor.acceptKey()
    await settled()
    expect(told).toEqual(['under the next one'])
    await pair.pages.visitor.client.close()
    expect(await textsOfNext(pair)).toEqual([])
  })
})
