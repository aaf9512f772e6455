import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import type { Party } from '../../../testing/index.ts'
import { joined, openTab } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

const transfer = ({ pages, visitor }: Pair): Promise<string> =>
  pages.agent.client.transfer(visitor.id, { toTags: [] })

/** What a party writes is taken later. */
function holdUp({ link }: Pair, party: Party): () => void {
  const answer = link.answer.bind(link)
  link.answer = (connection, name, args) => {
    if (name !== 'log.append' || connection.party !== party) return answer(connection, name, args)
    const { drafts } = args as { drafts: readonly { id: string }[] }
    return {
      appended: drafts.map(({ id }) => ({
        id,
        error: { code: 'rate_limited', message: 'slow', retryAfterMs: 500 },
      })),
    } as never
  }
  return () => (link.answer = answer)
}

/** The page that has the contact is gone; no connection of it comes again. */
function lose({ link }: Pair, party: Party): void {
  link.faults = { onConnect: (each) => (each === party ? 'drop' : 'pass') }
  link.cut(party)
}

describe('a contact goes on under another id, and has several tabs', () => {
  it('SND-309 LIFE-15 the one that follows has it within 2 s where the one that had it is closed just before', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    await pair.pages.visitor.client.close()
    await transfer(pair)
    await pair.clock.advance(999)
    expect(contact.mediaState).toBe('init')
    await pair.clock.advance(1)
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-309 LIFE-15 … or in the same moment, before it has come to the new id', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const toId = await transfer(pair)
    lose(pair, pair.pages.visitor.party)
    await pair.clock.advance(2_000)
    expect([contact.id, contact.mediaState]).toEqual([toId, 'idle'])
  })

  it('SND-309 LIFE-15 … or there, before it has taken the slot', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    holdUp(pair, pair.pages.visitor.party)
    await transfer(pair)
    await pair.clock.advance(3_000)
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['init', 'init'])
    lose(pair, pair.pages.visitor.party)
    await pair.clock.advance(999)
    expect(contact.mediaState).toBe('init')
    await pair.clock.advance(1)
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-309 LIFE-15 of two that follow one has it within 2 s, and the other follows', async () => {
    const pair = await joined()
    const tabs = [await openTab(pair), await openTab(pair)]
    await pair.pages.visitor.client.close()
    await transfer(pair)
    await pair.clock.advance(2_000)
    expect(tabs.map(({ contact }) => contact.mediaState).toSorted()).toEqual(['idle', 'init'])
  })

  it('SND-309 LIFE-15 RES-6 one that is there and slow goes first for 10 s', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const goOn = holdUp(pair, pair.pages.visitor.party)
    await transfer(pair)
    await pair.clock.advance(9_000)
    expect(contact.mediaState).toBe('init')
    goOn()
    await pair.clock.advance(20_000)
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['idle', 'init'])
  })

  it('SND-309 LIFE-15 RES-6 one that is there and does not take it loses it to the one that follows after 10 s', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    holdUp(pair, pair.pages.visitor.party)
    await transfer(pair)
    await pair.clock.advance(9_999)
    expect(contact.mediaState).toBe('init')
    await pair.clock.advance(1)
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['init', 'idle'])
  })

  it('SND-309 LIFE-15 RES-6 a second transfer counts anew', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const goOn = holdUp(pair, pair.pages.visitor.party)
    const second = await transfer(pair)
    await pair.clock.advance(9_000)
    const bob = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
    goOn()
    await pair.clock.advance(600)
    expect(pair.visitor.mediaState).toBe('idle')
    const there = await bob.client.accept(second)
    await there.join()
    await settled()
    holdUp(pair, pair.pages.visitor.party)
    const third = await bob.client.transfer(second, { toTags: [] })
    await pair.clock.advance(9_000)
    expect([contact.id, contact.mediaState]).toEqual([third, 'init'])
    await pair.clock.advance(1_000)
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-309 LIFE-15 nothing of it is waited for once the contact is left', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    await pair.pages.visitor.client.close()
    await transfer(pair)
    await settled()
    await contact.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })
})
