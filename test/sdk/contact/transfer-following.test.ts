import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { endCleanly, joined, moveToTab, record } from '../../support/contacts.ts'
import { taken } from '../../support/transfers.ts'

describe('transfer', () => {
  it('LIFE-15 RES-1 a visitor who is offline follows as soon as the connection is back', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'transferred', 'joined')
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await pair.clock.advance(5_000)
    expect(pair.visitor.id).toBe('contact-1')
    pair.link.faults = {}
    await pair.clock.advance(40_000)
    expect([pair.visitor.id, pair.visitor.mediaState]).toEqual([toId, 'idle'])
    const bob = await taken(pair, toId)
    expect(told.map(([name]) => name)).toEqual(['transferred', 'joined'])
    await endCleanly({ ...pair, agent: bob })
  })

  it('LIFE-15 a connection that breaks on the way is taken up again where the contact is', async () => {
    for (const name of ['contact.open', 'log.append'] as const) {
      const pair = await joined()
      pair.link.faults = {
        onMessage: ({ slot }, each, body) =>
          slot === 'visitor' && each === name && (body as { contact: string }).contact !== 'contact-1'
            ? 'drop'
            : 'pass',
      }
      const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
      await pair.clock.advance(3_000)
      pair.link.faults = {}
      await pair.clock.advance(40_000)
      expect([pair.visitor.id, pair.visitor.mediaState]).toEqual([toId, 'idle'])
      await endCleanly({ ...pair, agent: await taken(pair, toId) })
    }
  })

  it('LIFE-15 RES-1 a page that is loaded meanwhile finds the contact where it has gone', async () => {
    const pair = await joined()
    await pair.pages.visitor.client.close()
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    const { contact, resumed } = await pair.world.visitor({ tab: pair.tab }).client.resumeContact()
    await settled()
    expect([resumed, contact?.id, contact?.mediaState]).toEqual([true, toId, 'idle'])
    if (contact) await endCleanly({ ...pair, visitor: contact, agent: await taken(pair, toId) })
  })

  it('LIFE-15 RES-6 of two tabs the one that had the contact has it there as well, and the other follows', async () => {
    const pair = await joined()
    const { contact: newer } = await moveToTab(pair)
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect([pair.visitor.id, newer.id, pair.visitor.mediaState, newer.mediaState]).toEqual([
      toId,
      toId,
      'init',
      'idle',
    ])
    await pair.clock.advance(30_000)
    await pair.visitor.sendText('from the older')
    expect([pair.visitor.mediaState, newer.mediaState]).toEqual(['init', 'idle'])
    await newer.leave()
    await settled()
    expect(pair.visitor.mediaState).toBe('idle')
    await pair.visitor.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('LIFE-15 RES-6 a tab that follows has the contact where the other does not come', async () => {
    const pair = await joined()
    const page = pair.world.visitor()
    const { contact: newer } = await page.client.resumeContact()
    await newer?.takeOver()
    await settled()
    pair.link.faults = { onConnect: (party) => (party === page.party ? 'drop' : 'pass') }
    pair.link.cut(page.party)
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect(pair.visitor.mediaState).toBe('init')
    await pair.clock.advance(10_000)
    expect(pair.visitor.mediaState).toBe('idle')
    await page.client.close()
    await endCleanly({ ...pair, agent: await taken(pair, pair.visitor.id) })
  })

  it('LIFE-15 who leaves while it happens leaves the contact where it has gone', async () => {
    const pair = await joined()
    const leaving: Promise<void>[] = []
    pair.link.faults = {
      onMessage: ({ slot }, name) => {
        if (slot === 'visitor' && name === 'log.entries' && leaving.length === 0)
          leaving.push(pair.visitor.leave())
        return 'pass'
      },
    }
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await Promise.all(leaving)
    await settled()
    expect([pair.link.contacts.get(toId)?.state.life, pair.clock.pending]).toEqual(['cleared', 0])
  })

  it('LIFE-15 a contact that was over before the visitor could follow tells cleared', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'transferred', 'cleared')
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    const bob = await taken(pair, toId)
    await bob.leave()
    expect(pair.link.contacts.get(toId)?.state.life).toBe('cleared')
    pair.link.faults = {}
    await pair.clock.advance(40_000)
    expect([told.map(([name]) => name), pair.clock.pending]).toEqual([['transferred', 'cleared'], 0])
  })
})
