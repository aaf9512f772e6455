import { describe, expect, it } from 'vitest'
import { settled } from '../../testing/index.ts'
import { CALL, OFF, START, VOICE, answering, asked, fakeOf, inCall, joined, mediaOf, openTab, record, required, textsOf, watch } from '../support/contacts.ts'

const CALLING = { ...START, Voice: CALL }

describe('two tabs', () => {
  it('RES-5 RES-6 MED-28 the newer takes the slot and restores the call without a question, the older gets left and init', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const told = record(pair.visitor, 'left', 'mediachange')
    const { contact } = await openTab(pair)
    expect([pair.visitor.mediaState, contact.mediaState, pair.agent.mediaState, offers]).toEqual(['init', 'idle', 'idle', []])
    expect([contact.data().mediaState, pair.agent.data().mediaState]).toEqual([CALLING, CALLING])
    expect([fakeOf(pair.visitor).carried, fakeOf(contact).carried, fakeOf(pair.agent).carried]).toEqual([{}, { Voice: CALL }, { Voice: CALL }])
    expect(told.map(([name]) => name)).toEqual(['mediachange', 'left', 'mediachange'])
    expect(told[1]).toEqual(['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 3, vvcu: 2, user: 1 } }])
  })

  it('RES-6 they never take it from each other again by themselves', async () => {
    const pair = await inCall()
    await openTab(pair)
    await pair.clock.advance(300_000)
    expect(pair.world.entries.filter((type) => type === 'present')).toEqual(['present', 'present', 'present'])
    expect(pair.visitor.mediaState).toBe('init')
  })

  it('RES-5 LOG-2 both see everything and may send, each message once and in the same order', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const [older, newer, there] = [textsOf(pair.visitor), textsOf(contact), textsOf(pair.agent)]
    await pair.visitor.sendText('from the older')
    await pair.agent.sendText('answer')
    await contact.sendText('from the newer')
    await settled()
    expect({ older, newer, there }).toEqual({
      older: ['own from the older', 'answer', 'own from the newer'],
      newer: ['own from the older', 'answer', 'own from the newer'],
      there: ['from the older', 'own answer', 'from the newer'],
    })
    expect(pair.world.entries.filter((type) => type === 'ack').length).toBe(3)
  })

  it('MED-2 MED-4 the older cannot change media', async () => {
    const pair = await inCall()
    await openTab(pair)
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(pair.visitor.mergeAndTransitMedia({ Voice: OFF })).rejects.toMatchObject({ code: 'invalid_state' })
    pair.visitor.withdrawOffer()
    expect(await pair.visitor.getMediaOffer()).toEqual({ Chat: { ...required, via: 'net', engine: 'Native' }, Voice: { ...required, via: 'net', engine: 'WebRTC' } })
  })

  it('MED-27 the older is told the changes that it reads at once as one mediachange', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const { contact } = await openTab(pair)
    const told = record(pair.visitor, 'mediachange')
    pair.link.faults = { onConnect: (party) => (party === pair.pages.visitor.party ? 'drop' : 'pass') }
    pair.link.cut(pair.pages.visitor.party)
    await contact.mergeAndTransitMedia({ Video: OFF })
    await contact.mergeAndTransitMedia({ Voice: OFF })
    pair.link.faults = {}
    await pair.clock.advance(5_000)
    expect(told).toMatchObject([['mediachange', { newMedia: START, diff: { removed: { media: { Voice: 'WebRTC', Video: 'WebRTC' } } } }]])
    expect(fakeOf(pair.visitor).carried).toEqual({})
  })

  it('LIFE-12 RES-6 when the newer is closed the older comes back, after the grace', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'left')
    const there = record(pair.agent, 'left')
    const { page } = await openTab(pair)
    await page.client.close()
    await pair.clock.advance(59_999)
    expect(pair.visitor.mediaState).toBe('init')
    await pair.clock.advance(1)
    expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['idle', 'idle'])
    const left = ['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } }]
    expect([told.slice(1), there]).toEqual([[left], [left]])
  })

  it('LIFE-12 RES-6 when the newer leaves its channel the older comes back at once, and the contact goes on', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const told = record(contact, 'localleft', 'cleared')
    await contact.leave()
    await settled()
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['idle', 'init'])
    expect(told.map(([name]) => name)).toEqual(['localleft'])
    answering(pair.agent)
    expect(await pair.visitor.offerMedia(VOICE)).toEqual(CALLING)
  })

  it('LIFE-12 MED-29 a call that was hung up in the newer does not come back in the older', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const { contact: newer } = await openTab(pair)
    await newer.mergeAndTransitMedia({ Voice: OFF })
    await newer.leave()
    await settled()
    expect([pair.visitor.mediaState, pair.agent.mediaState, offers]).toEqual(['idle', 'idle', []])
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    expect(fakeOf(pair.agent).carried).toEqual({})
  })

  it('RES-6 MED-29 a call that the newer had does not come back in the older when the newer leaves', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const { contact } = await openTab(pair)
    expect(mediaOf({ visitor: contact, agent: pair.agent })).toEqual({ visitor: CALLING, agent: CALLING })
    await contact.leave()
    await pair.clock.advance(1_000)
    expect([pair.visitor.mediaState, pair.agent.mediaState, offers]).toEqual(['idle', 'idle', []])
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    expect([fakeOf(pair.visitor).carried, fakeOf(pair.agent).carried]).toEqual([{}, {}])
  })

  it('MED-28 LIFE-19 an offer of the older settles with left when it is superseded', async () => {
    const pair = await joined()
    asked(pair.agent)
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    await openTab(pair)
    expect([result.result, pair.agent.mediaState, pair.visitor.mediaState]).toEqual([{ code: 'left' }, 'idle', 'init'])
  })

  it('MED-23 an offer that stands for another page of the same party is answered by the new page', async () => {
    const pair = await joined()
    asked(pair.visitor)
    const result = watch(pair.agent.offerMedia(VOICE))
    await settled()
    const page = pair.world.visitor()
    const { contact } = await page.client.resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    answering(contact)
    await settled()
    expect([result.result, pair.agent.data().mediaState, contact.data().mediaState]).toEqual([{ value: CALLING }, CALLING, CALLING])
  })

  it('MED-23 an own offer outlives that the other party opens another page', async () => {
    const pair = await joined()
    const result = watch(pair.visitor.offerMedia(VOICE))
    asked(pair.agent)
    await settled()
    const console = pair.world.agent()
    const [again] = await console.client.contacts()
    if (!again) throw new Error('no contact')
    answering(again)
    await again.join()
    await settled()
    expect([result.result, again.data().mediaState, pair.visitor.data().mediaState, pair.agent.mediaState]).toEqual([{ value: CALLING }, CALLING, CALLING, 'init'])
  })
})
