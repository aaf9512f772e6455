import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
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
  fakeOf,
  inCall,
  joined,
  mediaOf,
  offering,
  on,
  record,
  required,
  watch,
} from '../../support/contacts.ts'

const BOTH = { ...CALLING, Video: CALL }
const NOTHING = { media: {}, engine: {} }

describe('direct transitions', () => {
  it('MED-19 MED-21 LIFE-13 mergeAndTransitMedia turns one medium off, the other side follows unasked and sees the mirror', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const { visitor, agent } = pair
    const offers = asked(agent)
    const [here, there] = [record(visitor, 'mediachange', 'left'), record(agent, 'mediachange', 'left')]
    expect((await visitor.mergeAndTransitMedia({ Video: { tx: false, rx: true } })).Video).toEqual({
      ...on(false, true),
      data: { slot: 'visitor' },
    })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { ...CALLING, Video: on(false, true) },
      agent: { ...CALLING, Video: on(true, false) },
    })
    expect([here.map(([name]) => name), there.map(([name]) => name)]).toEqual([
      ['mediachange'],
      ['mediachange'],
    ])
    await agent.mergeAndTransitMedia({ Video: OFF })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: CALLING, agent: CALLING })
    const left = ['left', { id: 'contact-1', user: 'agent-1', channels: { total: 2, vvcu: 1, user: 1 } }]
    expect([here.slice(1), there.slice(1)]).toMatchObject([
      [
        [
          'mediachange',
          {
            diff: {
              added: NOTHING,
              changed: NOTHING,
              removed: { media: { Video: 'WebRTC' }, engine: { WebRTC: ['Video'] } },
            },
          },
        ],
        left,
      ],
      [
        [
          'mediachange',
          {
            diff: {
              added: NOTHING,
              changed: NOTHING,
              removed: { media: { Video: 'WebRTC' }, engine: { WebRTC: ['Video'] } },
            },
          },
        ],
      ],
    ])
    expect(offers).toEqual([])
  })

  it('MED-18 transitMedia leads to the complete target; what it leaves out goes off, Sharing apart', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const current = await pair.visitor.getMedia()
    const result = await pair.visitor.transitMedia(current, { Sharing: OFF, Voice: CALL })
    expect(result).toEqual({ Sharing: NATIVE, Voice: { ...CALL, data: { slot: 'visitor' } } })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { Sharing: NATIVE, Voice: CALL },
      agent: { Sharing: NATIVE, Voice: CALL },
    })
  })

  it('MED-19 MED-21 transmitting more by oneself needs no answer of the other side', async () => {
    const pair = await joined()
    const offers = asked(pair.agent)
    await pair.visitor.mergeAndTransitMedia({ Screen: { tx: true, rx: false } })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Screen: on(true, false) },
      agent: { ...START, Screen: on(false, true) },
    })
    expect(offers).toEqual([])
    expect([fakeOf(pair.visitor).calls, fakeOf(pair.agent).calls]).toEqual([
      ['prepare', 'transit'],
      ['transit'],
    ])
  })

  it.each([
    ['a medium that is off', { Voice: { tx: false, rx: true } }],
    ['both directions of a medium that is off', { Screen: { tx: true, rx: true } }],
  ])(
    'MED-20 MED-22 asking the other side to transmit %s gives offer_required, and nothing starts',
    async (_what, changes) => {
      const pair = await joined()
      await expect(pair.visitor.mergeAndTransitMedia(changes)).rejects.toMatchObject({
        code: 'offer_required',
      })
      await settled()
      expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
      expect(fakeOf(pair.agent).calls).toEqual([])
    },
  )

  it('MED-20 a direct transition that asks too much by the time the log has it gives offer_required', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const { visitor, agent, link } = pair
    link.lose({ slot: 'visitor', name: 'log.append' })
    const late = watch(visitor.mergeAndTransitMedia({ Voice: OFF }))
    fakeOf(agent).host?.report({ type: 'broke', error: new ContactError('engine_failed', 'gone') })
    await pair.clock.advance(5_000)
    expect(late.result).toEqual({ code: 'offer_required' })
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
  })

  it('MED-18 a target made from another state is refused', async () => {
    const { visitor } = await inCall()
    await expect(visitor.transitMedia(START, START)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(visitor.transitMedia(null as never, START)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(visitor.mergeAndTransitMedia({ Voice: { tx: 1 } } as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(visitor.mergeAndTransitMedia({ Smell: CALL })).rejects.toMatchObject({
      code: 'invalid_offer',
    })
    await expect(visitor.mergeMedia('x' as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(() => visitor.cloneMedia(1 as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(() => visitor.diffMedia(START, [] as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  it('MED-18 a transition to the present state resolves and changes nothing', async () => {
    const { visitor, agent } = await inCall()
    const told = [record(visitor, 'mediachange', 'left'), record(agent, 'mediachange', 'left')]
    expect(await visitor.mergeAndTransitMedia({})).toEqual(await visitor.getMedia())
    await settled()
    expect(told).toEqual([[], []])
  })
})

describe('captures that end by themselves', () => {
  it('MED-31 ENG-11 its transmission goes off on both sides, what it receives stays', async () => {
    const pair = await inCall()
    fakeOf(pair.visitor).host?.report({ type: 'capture_ended', medium: 'Voice' })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Voice: on(false, true) },
      agent: { ...START, Voice: on(true, false) },
    })
    expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['idle', 'idle'])
  })

  it('MED-31 it waits for the end of an own offer, whatever its outcome', async () => {
    const pair = await inCall()
    const { visitor, agent } = pair
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    fakeOf(visitor).host?.report({ type: 'capture_ended', medium: 'Voice' })
    await settled()
    expect(mediaOf(pair).visitor).toEqual(CALLING)
    offers[0]?.callback('no')
    await settled()
    expect(result.result).toEqual({ code: 'rejected' })
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Voice: on(false, true) },
      agent: { ...START, Voice: on(true, false) },
    })
  })

  it('MED-31 it waits for the end of an offer of the other side that keeps the medium', async () => {
    const pair = await inCall()
    const offers = asked(pair.visitor)
    const result = watch(pair.agent.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    fakeOf(pair.visitor).host?.report({ type: 'capture_ended', medium: 'Voice' })
    offers[0]?.callback(null, BOTH)
    await settled()
    expect(result.result).toEqual({ value: BOTH })
    expect(mediaOf(pair)).toEqual({
      visitor: { ...BOTH, Voice: on(false, true) },
      agent: { ...BOTH, Voice: on(true, false) },
    })
  })

  it('MED-31 it is tried again where the other side was faster', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const hangUp = watch(pair.agent.mergeAndTransitMedia({ Video: OFF }))
    fakeOf(pair.visitor).host?.report({ type: 'capture_ended', medium: 'Voice' })
    await settled()
    expect(hangUp.result).not.toBe('pending')
    expect(mediaOf(pair)).toMatchObject({
      visitor: { Voice: on(false, true) },
      agent: { Voice: on(true, false) },
    })
  })

  it('MED-31 one of a medium that was turned off and on again is not remembered', async () => {
    const pair = await inCall()
    const { visitor, agent } = pair
    fakeOf(visitor).host?.report({ type: 'capture_ended', medium: 'Voice' })
    await settled()
    answering(agent)
    await visitor.offerMedia(VOICE)
    await visitor.mergeAndTransitMedia({ Screen: { tx: true, rx: false } })
    await settled()
    expect(mediaOf(pair).visitor).toEqual({ ...CALLING, Screen: on(true, false) })
  })

  it('MED-31 one of a medium that does not transmit changes nothing', async () => {
    const { visitor, world } = await inCall()
    const before = world.entries
    fakeOf(visitor).host?.report({ type: 'capture_ended', medium: 'Screen' })
    await settled()
    expect(world.entries).toEqual(before)
  })
})
