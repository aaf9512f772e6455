import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  NATIVE,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  inCall,
  joined,
  offering,
  optional,
  record,
  required,
  watch,
} from '../../support/contacts.ts'

describe('withdrawing, glare and time', () => {
  it('MED-14 withdrawOffer after the offer stands: withdrawn here, idle on both sides', async () => {
    const { visitor, agent } = await joined()
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(VOICE))
    await settled()
    visitor.withdrawOffer()
    visitor.withdrawOffer()
    await settled()
    expect([result.result, visitor.mediaState, agent.mediaState]).toEqual([
      { code: 'withdrawn' },
      'idle',
      'idle',
    ])
    offers[0]?.callback(null, { Voice: CALL })
    await settled()
    expect([visitor.mediaState, agent.mediaState, fakeOf(visitor).calls]).toEqual([
      'idle',
      'idle',
      ['prepare', 'undo'],
    ])
  })

  it('MED-14 withdrawOffer before the offer is read back: withdrawn as soon as it stands', async () => {
    const { visitor, agent, world } = await joined()
    const offers = asked(agent)
    const result = watch(visitor.offerMedia({ Chat: optional }))
    visitor.withdrawOffer()
    expect(visitor.mediaState).toBe('offering')
    await settled()
    expect([result.result, visitor.mediaState, agent.mediaState]).toEqual([
      { code: 'withdrawn' },
      'idle',
      'idle',
    ])
    expect(world.entries.slice(-2)).toEqual(['offer', 'withdraw'])
    expect(offers.length).toBeLessThanOrEqual(1)
  })

  it('MED-14 NEG-8 an offer that is over when it is read is asked about by nobody', async () => {
    const pair = await joined()
    const offers = asked(pair.agent)
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
    pair.link.cut('agent')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    pair.visitor.withdrawOffer()
    await settled()
    pair.link.faults = {}
    await pair.clock.advance(10_000)
    expect([result.result, offers, pair.agent.mediaState, pair.visitor.mediaState]).toEqual([
      { code: 'withdrawn' },
      [],
      'idle',
      'idle',
    ])
    await endCleanly(pair)
  })

  it('MED-14 withdrawOffer while a device is asked for: nothing is offered', async () => {
    const { visitor, world } = await joined()
    fakeOf(visitor).script('prepare', 'hang')
    const result = watch(visitor.offerMedia(VOICE))
    await settled()
    visitor.withdrawOffer()
    await world.clock.advance(5_000)
    expect([result.result, visitor.mediaState]).toEqual([{ code: 'withdrawn' }, 'idle'])
    expect(world.entries).not.toContain('offer')
  })

  it('MED-14 an answer that stands in the log first wins over a withdrawal', async () => {
    const { visitor, agent, world } = await joined()
    answering(agent)
    const result = watch(visitor.offerMedia({ Chat: optional }))
    agent.on('mediaoffer', () => visitor.withdrawOffer())
    await settled()
    expect(result.result).toEqual({ value: START })
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
    expect(world.entries).toContain('answer')
  })

  it('MED-14 withdrawOffer without an offer does nothing', async () => {
    const { visitor, world } = await joined()
    const before = world.entries
    visitor.withdrawOffer()
    await settled()
    expect([visitor.mediaState, world.entries]).toEqual(['idle', before])
  })

  it('MED-15 MED-16 of two offers in the same instant one is carried out, the other rejects with glare', async () => {
    const pair = await joined()
    const { visitor, agent, world } = pair
    const [atVisitor, atAgent] = [asked(visitor), asked(agent)]
    const [first, second] = [
      watch(visitor.offerMedia(VOICE)),
      watch(agent.offerMedia(offering({ Video: required }))),
    ]
    await settled()
    expect([first.result, second.result]).toEqual(['pending', { code: 'glare' }])
    expect([visitor.mediaState, agent.mediaState, atVisitor.length, atAgent.length]).toEqual([
      'offering',
      'offered',
      0,
      1,
    ])
    atAgent[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect(first.result).toEqual({ value: CALLING })
    expect(world.entries.filter((type) => type === 'offer').length).toBe(2)
    answering(visitor)
    expect(await agent.offerMedia(offering({ Voice: required, Video: required }))).toEqual({
      ...CALLING,
      Video: CALL,
    })
  })

  it('SND-201 MED-14 an offer that was withdrawn before it was read, and comes second in the log, rejects with withdrawn', async () => {
    const { visitor, agent } = await joined()
    asked(agent)
    const [first, second] = [
      watch(visitor.offerMedia({ Chat: optional })),
      watch(agent.offerMedia({ Chat: optional })),
    ]
    agent.withdrawOffer()
    await settled()
    expect([first.result, second.result, agent.mediaState]).toEqual([
      'pending',
      { code: 'withdrawn' },
      'offered',
    ])
  })

  it('SND-201 MED-14 a direct change that was withdrawn before it was read, and comes second in the log, rejects with withdrawn', async () => {
    const { visitor, agent } = await inCall({ Voice: required, Video: required })
    const [first, second] = [
      watch(visitor.mergeAndTransitMedia({ Voice: OFF })),
      watch(agent.mergeAndTransitMedia({ Video: OFF })),
    ]
    agent.withdrawOffer()
    await settled()
    expect([first.result, second.result]).toEqual([
      { value: await visitor.getMedia() },
      { code: 'withdrawn' },
    ])
  })

  it('MED-15 two direct transitions in the same instant: one is carried out, the other rejects with glare', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const [first, second] = [
      watch(pair.visitor.mergeAndTransitMedia({ Voice: OFF })),
      watch(pair.agent.mergeAndTransitMedia({ Video: OFF })),
    ]
    await settled()
    expect([first.result, second.result]).toEqual([
      { value: await pair.visitor.getMedia() },
      { code: 'glare' },
    ])
    expect(Object.keys(await pair.agent.getMedia())).toEqual(['Sharing', 'Chat', 'Video'])
  })
})

describe('the state as an event', () => {
  it('MED-36 mediastate tells each other mediaState, so that a page sees when an offer of the remote is over', async () => {
    const pair = await joined()
    asked(pair.visitor)
    const told = { visitor: record(pair.visitor, 'mediastate'), agent: record(pair.agent, 'mediastate') }
    const offer = watch(pair.agent.offerMedia(VOICE))
    await settled()
    pair.agent.withdrawOffer()
    await settled()
    expect(offer.result).toEqual({ code: 'withdrawn' })
    expect(told.visitor.map(([, event]) => event)).toEqual([{ state: 'offered' }, { state: 'idle' }])
    expect(told.agent.map(([, event]) => event)).toEqual([
      { state: 'offering' },
      { state: 'transiting' },
      { state: 'idle' },
    ])
    await endCleanly(pair)
  })
})
