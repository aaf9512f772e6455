import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  NATIVE,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  inCall,
  joined,
  offering,
  on,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'
import { expectSound } from '../../support/soundness.ts'

let pair: Pair

afterEach(() => endCleanly(pair))

describe('engines that hang', () => {
  it('MED-26 the side that waits gives up after 30 s, with timeout, and stays at the target until the log decides', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.agent).script('transit', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await pair.clock.advance(29_999)
    expect([
      result.result,
      pair.visitor.mediaState,
      pair.agent.mediaState,
      fakeOf(pair.visitor).carried,
    ]).toEqual(['pending', 'transiting', 'transiting', { Voice: CALL }])
    await pair.clock.advance(1)
    expect(result.result).toMatchObject({
      code: expect.stringMatching(/^(timeout|remote_failed)$/) as unknown,
    })
    await expectSound(pair)
  })

  it('MED-26 the side whose engine hangs gives up after 30 s', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.visitor).script('transit', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await pair.clock.advance(30_000)
    expect(result.result).toMatchObject({
      code: expect.stringMatching(/^(timeout|remote_failed)$/) as unknown,
    })
    await expectSound(pair)
  })

  it('MED-26 both hang: both give up', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.visitor).script('transit', 'hang')
    fakeOf(pair.agent).script('transit', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await pair.clock.advance(30_000)
    expect(result.result).not.toBe('pending')
    await expectSound(pair)
  })

  it('ENG-21 MED-25 an engine that does not even settle when cancelled is destroyed after 5 s, and nothing else', async () => {
    pair = await inCall()
    answering(pair.agent)
    fakeOf(pair.visitor).script('transit', 'freeze')
    const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
    await pair.clock.advance(30_000)
    expect([result.result, pair.visitor.mediaState]).toEqual(['pending', 'transiting'])
    await pair.clock.advance(5_000)
    expect(result.result).toMatchObject({
      code: expect.stringMatching(/^(timeout|remote_failed)$/) as unknown,
    })
    expect(fakeOf(pair.visitor).calls.slice(-1)).toEqual(['stop'])
    await expectSound(pair)
  })

  it('ENG-21 an undo that never settles: the engine is destroyed after 5 s', async () => {
    pair = await inCall()
    answering(pair.agent)
    fakeOf(pair.visitor).script('transit', 'media_failed').script('undo', 'freeze')
    const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    expect(result.result).toBe('pending')
    await pair.clock.advance(5_000)
    expect(result.result).toEqual({ code: 'media_failed' })
    await expectSound(pair)
  })

  it('SND-25 NEG-4 MED-25 an engine that hangs while it gives back what an unanswered offer had it acquire is destroyed after 5 s', async () => {
    pair = await joined()
    const offers = asked(pair.agent)
    fakeOf(pair.agent).script('undo', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    offers[0]?.callback('not now')
    await pair.clock.advance(4_999)
    expect([result.result, fakeOf(pair.agent).calls]).toEqual([{ code: 'rejected' }, ['undo']])
    await pair.clock.advance(1)
    expect(fakeOf(pair.agent).calls).toEqual(['undo', 'stop'])
    await expectSound(pair)
  })

  it('SND-25 NEG-4 an engine that still gives something back is told to do nothing else meanwhile, whatever is offered or who goes', async () => {
    pair = await joined()
    const engine = fakeOf(pair.agent).script('undo', 'freeze', 'hang')
    pair.agent.on('mediaoffer', ({ callback }) => callback('not now'))
    for (let times = 0; times < 2; times++) {
      watch(pair.visitor.offerMedia(VOICE))
      await settled()
    }
    expect(engine.calls).toEqual(['undo'])
    engine.thaw()
    await settled()
    expect(engine.calls).toEqual(['undo', 'undo'])
    watch(pair.agent.offerMedia(VOICE))
    await settled()
    pair.agent.withdrawOffer()
    await pair.clock.advance(5_000)
    expect([engine.calls, engine.overlaps]).toEqual([['undo', 'undo', 'prepare', 'stop', 'undo'], 0])
    await expectSound(pair)
  })

  it('MED-14 a question of the browser that stays open does not hold up what runs', async () => {
    pair = await inCall()
    fakeOf(pair.visitor).script('prepare', 'hang')
    const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    expect([pair.visitor.mediaState, result.result]).toEqual(['offering', 'pending'])
    pair.visitor.withdrawOffer()
    await settled()
    expect(result.result).toEqual({ code: 'withdrawn' })
    await expectSound(pair, CALLING)
  })

  it('MED-11 a question of the browser that stays open ends with the offer’s lifetime', async () => {
    pair = await joined()
    fakeOf(pair.visitor).script('prepare', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await pair.clock.advance(60_000)
    expect(result.result).toEqual({ code: 'timeout' })
    await expectSound(pair)
  })

  it('MED-16 an offer of the other side that comes while a device is asked for is decided after it', async () => {
    pair = await joined()
    const offers = asked(pair.visitor)
    fakeOf(pair.visitor).script('prepare', 'hang')
    const result = watch(pair.visitor.offerMedia(VOICE))
    const other = watch(pair.agent.offerMedia(offering({ Screen: { tx: 'required', rx: 'off' } })))
    await settled()
    expect([offers.length, pair.visitor.mediaState]).toEqual([0, 'offering'])
    pair.visitor.withdrawOffer()
    await settled()
    expect([result.result, offers.length, pair.visitor.mediaState]).toEqual([
      { code: 'withdrawn' },
      1,
      'offered',
    ])
    offers[0]?.callback(null, { Chat: NATIVE, Screen: { tx: false, rx: true } })
    await settled()
    expect(other.result).toEqual({ value: { ...START, Screen: on(true, false) } })
  })

  it('MED-15 MED-16 an offer of the other side that stands when the device has come wins: glare', async () => {
    pair = await joined()
    const offers = asked(pair.visitor)
    const engine = fakeOf(pair.visitor)
    let allow = (): void => {}
    engine.prepare = () => new Promise((resolve) => (allow = resolve))
    const result = watch(pair.visitor.offerMedia(VOICE))
    void pair.agent.offerMedia(offering({ Screen: { tx: 'required', rx: 'off' } }))
    await settled()
    allow()
    await settled()
    expect([result.result, offers.length, pair.visitor.mediaState]).toEqual([{ code: 'glare' }, 1, 'offered'])
    expect(pair.world.entries.filter((type) => type === 'offer').length).toBe(1)
  })

  it('MED-15 MED-21 a direct change of the other side does not wait for the user here: the own offer ends with glare', async () => {
    pair = await inCall()
    const engine = fakeOf(pair.visitor).script('prepare', 'hang')
    const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
    const hangUp = watch(pair.agent.mergeAndTransitMedia({ Voice: { tx: false, rx: false } }))
    await settled()
    expect([result.result, hangUp.result]).toEqual([{ code: 'glare' }, { value: START }])
    expect(engine.calls.slice(-3)).toEqual(['prepare', 'undo', 'transit'])
    await expectSound(pair)
  })

  it('MED-14 a device that comes for an offer that was taken back does not send the next one', async () => {
    pair = await joined()
    const engine = fakeOf(pair.visitor)
    const allowed: (() => void)[] = []
    engine.prepare = () => new Promise((resolve) => void allowed.push(resolve))
    const first = watch(pair.visitor.offerMedia(VOICE))
    pair.visitor.withdrawOffer()
    await settled()
    answering(pair.agent)
    const second = watch(pair.visitor.offerMedia(VOICE))
    allowed[0]?.()
    await settled()
    expect([
      first.result,
      second.result,
      pair.visitor.mediaState,
      pair.world.entries.includes('offer'),
    ]).toEqual([{ code: 'withdrawn' }, 'pending', 'offering', false])
    allowed[1]?.()
    await settled()
    expect(second.result).toEqual({ value: { ...START, Voice: CALL } })
    await expectSound(pair, { ...START, Voice: CALL })
  })

  it('LIFE-20 who leaves while an engine never goes back leaves no timer behind', async () => {
    pair = await joined()
    answering(pair.agent)
    const engine = fakeOf(pair.visitor).script('transit', 'media_failed')
    engine.undo = () => new Promise(() => {})
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect([pair.visitor.mediaState, result.result]).toEqual(['transiting', 'pending'])
    await Promise.all([pair.visitor.leave(), pair.agent.leave()])
    expect([result.result, pair.clock.pending]).toEqual([{ code: 'media_failed' }, 0])
  })
})
