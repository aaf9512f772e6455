import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { attackable } from '../../support/attacks.ts'
import { browser } from '../../support/browser-tabs.ts'
import { VOICE, asked, joined, openTab, record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Raw } from '../../support/hostile-service.ts'

const SECURE = { secure: true } as const

describe('what a page of a secure contact is told', () => {
  it('ENC-567 the confirmation of a key is an event in no tab of the visitor', async () => {
    const world = new World({ openTabs: browser() })
    const pair = await joined(SECURE, undefined, world)
    const { contact: second } = await openTab(pair)
    await settled()
    const told = [second, pair.visitor].map((page) => record(page, 'ack'))
    await pair.pages.agent.client.close()
    const [agent] = await world.agent().client.contacts()
    await agent?.join()
    await settled()
    await pair.clock.advance(3_000)
    await settled()
    expect(agent?.verification?.state).toBe('unverified')
    expect(told).toEqual([[], []])
  })

  it('ENC-568 pages of the transcript from before a transfer are those that were read', async () => {
    const world = new World()
    const hands = attackable()
    const sound = world.link.transport
    Object.assign(world.link, {
      transport: (party: Parameters<typeof sound>[0]) =>
        hostileTransport(sound(party), party.slot, hands.service),
    })
    const pair = await joined(SECURE, undefined, world)
    const first = pair.visitor.id
    for (const text of ['shall I pay?', 'shall I stay?']) await pair.visitor.sendText(text)
    await settled()
    const next = world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pair.pages.agent.client.transfer(first, { toAgent: 'agent-2' })
    await settled()
    await (await next.client.accept(id)).join()
    await settled()
    hands.attack = {
      answer: (name, result: { readonly entries?: readonly Raw[] }, to) => {
        const [one, other] = result.entries?.filter(({ type }) => type === 'text') ?? []
        if (name !== 'log.read' || to !== 'visitor' || !one || !other) return result
        const swapped = (entry: Raw): Raw =>
          entry === one ? { ...other, seq: one.seq } : entry === other ? { ...one, seq: other.seq } : entry
        return { ...result, entries: result.entries?.map((entry) => swapped(entry)) }
      },
    }
    await expect(pair.visitor.readTranscript()).rejects.toMatchObject({ code: 'tampered' })
  })

  it('ENC-569 an offer under a changed key is asked about when the user has accepted the key', async () => {
    const pair = await joined(SECURE)
    pair.visitor.verify(true)
    const next = pair.world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const agent = await next.client.accept(id)
    await agent.join()
    await settled()
    const offers = asked(pair.visitor)
    agent.offerMedia(VOICE).catch(() => {})
    await settled()
    expect([pair.visitor.verification?.state, offers.length]).toEqual(['changed', 0])
    pair.visitor.acceptKey()
    await settled()
    expect([pair.visitor.mediaState, offers.map(({ offer }) => offer.Voice?.tx)]).toEqual([
      'offered',
      ['required'],
    ])
  })

  it('ENC-570 keys of a contact that was cleared while the page was away are erased when it comes back', async () => {
    const stored = new Map<string, string>()
    const tab = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    }
    const world = new World()
    const page = world.visitor({ tab })
    const visitor = await page.client.createContact(SECURE)
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    await settled()
    await page.client.close()
    await agent.leave()
    await settled()
    await world.clock.advance(11 * 60_000)
    await settled()
    expect([...stored.keys()].filter((key) => /:(keys|head)$/.test(key)).length).toBe(2)
    expect((await world.visitor({ tab }).client.resumeContact()).contact).toBeNull()
    expect([...stored.keys()].filter((key) => /:(keys|head)$/.test(key))).toEqual([])
  })

  it('ENC-571 a page that comes back to a tab with older keys gets the newer ones of the other tabs', async () => {
    const world = new World({ openTabs: browser() })
    const pair = await joined(SECURE, undefined, world)
    for (const page of [pair.visitor, pair.agent]) page.verify(true)
    const { contact: second } = await openTab(pair)
    await pair.pages.visitor.client.close()
    await pair.clock.advance(20_000)
    await settled()
    expect(second.verification?.state).toBe('verified')
    const opening = openTab(pair, pair.tab)
    await settled()
    await pair.clock.advance(250)
    const { contact: first } = await opening
    await settled()
    const told = record(first, 'text')
    await pair.agent.sendText('to both')
    await settled()
    expect([told.length, first.verification?.state]).toEqual([1, 'verified'])
    await first.takeOver()
    await settled()
    expect([first, pair.agent].map((page) => page.verification?.state)).toEqual(['verified', 'verified'])
  })
})
