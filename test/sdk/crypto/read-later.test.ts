import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { attackable } from '../../support/attacks.ts'
import { browser } from '../../support/browser-tabs.ts'
import { World, joined, openTab, record } from '../../support/contacts.ts'
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
})
