import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALLING,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  fakeOf,
  inCall,
  joined,
  mediaOf,
  moveToTab,
  record,
  required,
  watch,
} from '../../support/contacts.ts'

describe('two tabs', () => {
  it('MED-2 MED-4 the older cannot change media', async () => {
    const pair = await inCall()
    await moveToTab(pair)
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(pair.visitor.mergeAndTransitMedia({ Voice: OFF })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    pair.visitor.withdrawOffer()
    expect(await pair.visitor.getMediaOffer()).toEqual({
      Chat: { ...required, via: 'net', engine: 'Native' },
      Voice: { ...required, via: 'net', engine: 'WebRTC' },
    })
  })

  it('MED-27 the older is told the changes that it reads at once as one mediachange', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const { contact } = await moveToTab(pair)
    const told = record(pair.visitor, 'mediachange')
    pair.link.faults = { onConnect: (party) => (party === pair.pages.visitor.party ? 'drop' : 'pass') }
    pair.link.cut(pair.pages.visitor.party)
    await contact.mergeAndTransitMedia({ Video: OFF })
    await contact.mergeAndTransitMedia({ Voice: OFF })
    pair.link.faults = {}
    await pair.clock.advance(5_000)
    expect(told).toMatchObject([
      [
        'mediachange',
        { newMedia: START, diff: { removed: { media: { Voice: 'WebRTC', Video: 'WebRTC' } } } },
      ],
    ])
    expect(fakeOf(pair.visitor).carried).toEqual({})
  })

  it('LIFE-12 MED-29 a call that was hung up in the newer does not come back in the older', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const { contact: newer } = await moveToTab(pair)
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
    const { contact } = await moveToTab(pair)
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
    await moveToTab(pair)
    expect([result.result, pair.agent.mediaState, pair.visitor.mediaState]).toEqual([
      { code: 'left' },
      'idle',
      'init',
    ])
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
    await contact.takeOver()
    await settled()
    expect([result.result, pair.agent.data().mediaState, contact.data().mediaState]).toEqual([
      { value: CALLING },
      CALLING,
      CALLING,
    ])
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
    await again.takeOver()
    await settled()
    expect([
      result.result,
      again.data().mediaState,
      pair.visitor.data().mediaState,
      pair.agent.mediaState,
    ]).toEqual([{ value: CALLING }, CALLING, CALLING, 'init'])
  })
})
