import { afterEach, describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { FakeEngine, settled } from '../../../testing/index.ts'
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
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'
import { expectSound } from '../../support/soundness.ts'

const CODES = [
  'media_denied',
  'media_dismissed',
  'media_not_found',
  'media_in_use',
  'media_insecure_context',
  'media_failed',
  'engine_failed',
] as const
const gone = new ContactError('engine_failed', 'the connection is gone for good')

/** The engine loses media, all of them if not named, and has given them back. */
function breaks(contact: Contact, media?: readonly string[]): void {
  const engine = fakeOf(contact)
  engine.carried = Object.fromEntries(
    Object.entries(engine.carried).filter(([medium]) => media !== undefined && !media.includes(medium)),
  )
  engine.host?.report({ type: 'broke', error: gone, ...(media && { media }) })
}

let pair: Pair

afterEach(() => endCleanly(pair))

describe('engines that fail', () => {
  it.each(CODES)(
    'MED-24 ENG-13 a device that gives %s before the offer: that code, and nothing is offered',
    async (code) => {
      pair = await joined()
      fakeOf(pair.visitor).script('prepare', code)
      await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ name: 'ContactError', code })
      expect(pair.world.entries).not.toContain('offer')
      await expectSound(pair)
    },
  )

  it.each(CODES)(
    'MED-24 NEG-5 an engine that fails here with %s: that code here, both as before, chat goes on',
    async (code) => {
      pair = await joined()
      answering(pair.agent)
      fakeOf(pair.visitor).script('transit', code)
      await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ name: 'ContactError', code })
      await expectSound(pair)
    },
  )

  it.each(CODES)(
    'MED-24 NEG-5 an engine that fails there with %s: remote_failed here, both as before',
    async (code) => {
      pair = await inCall()
      answering(pair.agent)
      fakeOf(pair.agent).script('transit', code)
      await expect(
        pair.visitor.offerMedia(offering({ Voice: required, Video: required })),
      ).rejects.toMatchObject({ name: 'ContactError', code: 'remote_failed', cause: code })
      await expectSound(pair, CALLING)
    },
  )

  it('MED-24 a device that the answering side is denied is asked for once', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.agent).script('prepare', 'media_denied')
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'remote_failed' })
    await settled()
    expect(fakeOf(pair.agent).calls).toEqual(['prepare', 'undo'])
    await expectSound(pair)
  })

  it('MED-24 ERR-1 an engine that throws something else gives engine_failed with the cause', async () => {
    pair = await joined()
    answering(pair.agent)
    const engine = fakeOf(pair.visitor)
    engine.transit = () => {
      throw new TypeError('oops')
    }
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({
      name: 'ContactError',
      code: 'engine_failed',
    })
    await expectSound(pair)
  })

  it('MED-24 a direct transition that fails there gives remote_failed, one that fails here its code', async () => {
    pair = await inCall()
    fakeOf(pair.agent).script('transit', 'engine_failed')
    await expect(pair.visitor.mergeAndTransitMedia({ Voice: OFF })).rejects.toMatchObject({
      code: 'remote_failed',
    })
    await settled()
    fakeOf(pair.visitor).script('transit', 'media_failed')
    await expect(pair.visitor.mergeAndTransitMedia({ Voice: OFF })).rejects.toMatchObject({
      code: 'media_failed',
    })
    await expectSound(pair, CALLING)
  })

  it('MED-24 after a failure the same offer may succeed', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.visitor).script('prepare', 'media_dismissed')
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({
      code: 'media_dismissed',
      retryable: true,
    })
    expect(await pair.visitor.offerMedia(VOICE)).toEqual(CALLING)
    await expectSound(pair, CALLING)
  })

  it('MED-24 an offer for an engine that the answering side does not have fails there', async () => {
    pair = await joined()
    answering(pair.agent)
    fakeOf(pair.agent).script('transit', 'engine_failed')
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'remote_failed' })
    await expectSound(pair)
  })
})

describe('engines that break', () => {
  it('MED-25 an undo that fails destroys the engine: its media go off on both sides, the rest stays', async () => {
    pair = await inCall()
    answering(pair.agent)
    const told = record(pair.visitor, 'error')
    fakeOf(pair.visitor).script('transit', 'media_denied').script('undo', 'engine_failed')
    await expect(
      pair.visitor.offerMedia(offering({ Voice: required, Video: required })),
    ).rejects.toMatchObject({ code: 'media_denied' })
    await settled()
    expect(told).toMatchObject([['error', { code: 'engine_failed' }]])
    expect(fakeOf(pair.visitor).calls.slice(-3)).toEqual(['transit', 'undo', 'stop'])
    await expectSound(pair)
  })

  it('MED-25 an engine that breaks before it carried anything takes nothing else along', async () => {
    pair = await joined()
    breaks(pair.visitor)
    await expectSound(pair)
  })

  it('MED-25 ENG-21 an engine that carries nothing and breaks ends no offer of another one', async () => {
    pair = await joined()
    const other = new FakeEngine({ id: 'Acme', media: ['Whiteboard'] })
    await pair.visitor.registerMediaEngine(other)
    const offers = asked(pair.agent)
    const told = record(pair.visitor, 'error')
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    other.host?.report({ type: 'broke', error: gone })
    await settled()
    expect([pair.visitor.mediaState, result.result, told]).toEqual(['offering', 'pending', []])
    offers[0]?.callback(null, CALLING)
    await expectSound(pair, CALLING)
  })

  it('MED-25 ENG-21 an engine that breaks in what it prepares for an own offer ends the offer', async () => {
    pair = await joined()
    asked(pair.agent)
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    breaks(pair.visitor)
    await settled()
    expect(result.result).toEqual({ code: 'engine_failed' })
    await expectSound(pair)
  })

  it('MED-25 an engine that breaks in a call: off on both sides, and it may be used again', async () => {
    pair = await inCall()
    const told = [record(pair.visitor, 'error', 'mediachange'), record(pair.agent, 'error', 'mediachange')]
    breaks(pair.visitor)
    expect(pair.visitor.mediaState).toBe('init')
    await expectSound(pair)
    expect(told).toMatchObject([
      [
        ['error', { code: 'engine_failed' }],
        ['mediachange', { newMedia: START }],
      ],
      [['mediachange', { newMedia: START }]],
    ])
    answering(pair.agent)
    expect(await pair.visitor.offerMedia(VOICE)).toEqual(CALLING)
    await expectSound(pair, CALLING)
  })

  it('MED-25 one medium that breaks leaves the others of its engine alone', async () => {
    pair = await inCall({ Voice: required, Video: required })
    breaks(pair.visitor, ['Video'])
    await settled()
    expect(fakeOf(pair.visitor).calls).not.toContain('stop')
    await expectSound(pair, CALLING)
  })

  it('MED-25 an own pending offer rejects with engine_failed', async () => {
    pair = await inCall()
    const offers = asked(pair.agent)
    const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    breaks(pair.visitor)
    await settled()
    expect(result.result).toEqual({ code: 'engine_failed' })
    offers[0]?.callback(null, CALLING)
    await expectSound(pair)
  })

  it('MED-25 an offer of the other side stands while an engine breaks, and is answered from the new state', async () => {
    pair = await joined()
    const offers = asked(pair.visitor)
    const result = watch(pair.agent.offerMedia(VOICE))
    await settled()
    breaks(pair.visitor)
    await settled()
    expect([pair.visitor.mediaState, pair.agent.mediaState, result.result]).toEqual([
      'offered',
      'offering',
      'pending',
    ])
    expect(offers.length).toBe(1)
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect(result.result).toEqual({ value: CALLING })
    await expectSound(pair, CALLING)
  })

  it.each(['visitor', 'agent'] as const)(
    'MED-25 NEG-5 an engine of the %s that breaks while both work ends the transition',
    async (slot) => {
      pair = await inCall()
      answering(pair.agent)
      fakeOf(pair[slot]).script('transit', 'hang')
      const result = watch(pair.visitor.offerMedia(offering({ Voice: required, Video: required })))
      await settled()
      expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['transiting', 'transiting'])
      breaks(pair[slot])
      await settled()
      expect(result.result).toEqual({ code: slot === 'visitor' ? 'engine_failed' : 'remote_failed' })
      await expectSound(pair)
    },
  )
})
