import { describe, expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import {
  CALL,
  NATIVE,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  joined,
  offering,
  on,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { pair } from './compat-pair.ts'

describe('clients of the positional style', () => {
  it('SND-308 an offer is answered in words, and with what mergeMedia makes of it: both accept it', async () => {
    const { contact, visitor, agent } = await pair()
    const offer = offering({ Voice: required, Video: { tx: 'optional', rx: 'off' } })
    const expected = { ...START, Voice: CALL, Video: on(true, false) }
    contact.once('mediaoffer', (given, callback) => callback(null, given))
    expect(await agent.offerMedia(offer)).toEqual(expected)
    await settled()
    await agent.mergeAndTransitMedia({ Voice: OFF, Video: OFF })
    await settled()
    contact.once(
      'mediaoffer',
      (given, callback) => void contact.mergeMedia(given).then((media) => callback(null, media)),
    )
    expect(await agent.offerMedia(offer)).toEqual(expected)
    await settled()
    expect(visitor.data().mediaState).toEqual({ ...START, Voice: CALL, Video: on(false, true) })
  })

  it('SND-308 what mergeMedia keeps of media that are not offered is off in the answer', async () => {
    const { contact, visitor, agent } = await pair()
    contact.on(
      'mediaoffer',
      (given, callback) => void contact.mergeMedia(given).then((media) => callback(null, media)),
    )
    const answer = await agent.offerMedia({ Voice: required, Video: { tx: 'off', rx: 'optional' } })
    await settled()
    expect(answer).toEqual({ Sharing: NATIVE, Chat: OFF, Voice: CALL, Video: on(false, true) })
    expect(visitor.data().mediaState).toEqual({ Sharing: NATIVE, Voice: CALL, Video: on(true, false) })
  })

  it('SND-308 mergeMedia takes words and booleans, changes nothing, and refuses what is neither', async () => {
    const { contact, visitor } = await pair()
    const by = { via: 'net', engine: 'WebRTC' }
    expect(
      await contact.mergeMedia({
        Voice: { tx: 'required', rx: 'optional', ...by },
        Video: { tx: 'off', rx: true, ...by },
        Chat: { tx: 'off', rx: 'off' },
      }),
    ).toEqual({
      Sharing: NATIVE,
      Voice: CALL,
      Video: on(false, true),
    })
    expect(visitor.data().mediaState).toEqual(START)
    await expect(contact.mergeMedia({ Voice: { tx: 'perhaps', rx: 'off' } } as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(
      contact.mergeMedia(new Proxy({}, { ownKeys: () => expect.fail('a trap') })),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('SND-308 an answer that cannot be read is invalid_argument, and the offer stays open; an error rejects it', async () => {
    const { contact, agent } = await pair()
    const callbacks: ((error: unknown, answer?: never) => void)[] = []
    contact.on('mediaoffer', (_offer, callback) => void callbacks.push(callback))
    const result = watch(agent.offerMedia(VOICE))
    await settled()
    for (const bad of [
      null,
      'yes',
      { Voice: { tx: 'perhaps', rx: 'off' } },
      new Proxy({}, { ownKeys: () => expect.fail('a trap') }),
    ]) {
      expect(() => callbacks[0]?.(null, bad as never)).toThrowError(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
    }
    callbacks[0]?.(new Error('busy'))
    await settled()
    expect(result.result).toEqual({ code: 'rejected' })
  })
})

describe('more of what such clients call', () => {
  it('SND-308 MED-11 MED-12 mediatimeout tells that an offer of the remote has lapsed: by the offerer, or here; not one that was taken back, answered or rejected', async () => {
    const all = await joined()
    const contact = compat(all.visitor)
    const told: unknown[] = []
    contact.on('mediatimeout', (offer) => void told.push(offer))
    const offers = asked(all.visitor)
    const lapsing = watch(all.agent.offerMedia(VOICE))
    await all.clock.advance(60_000)
    await settled()
    expect([lapsing.result, told]).toEqual([{ code: 'timeout' }, [offers[0]?.offer]])
    void all.agent.offerMedia(VOICE)
    await settled()
    all.agent.withdrawOffer()
    await settled()
    void all.agent.offerMedia(VOICE)
    await settled()
    await all.visitor.rejectOffer(offers[2]?.offer ?? {})
    await settled()
    void all.agent.offerMedia(VOICE)
    await settled()
    await all.visitor.acceptOffer(offers[3]?.offer ?? {})
    await settled()
    answering(all.agent)
    await all.visitor.mergeAndTransitMedia({ Voice: OFF })
    expect(told).toHaveLength(1)
    await endCleanly(all)
  })

  it('SND-308 MED-12 mediatimeout also comes where the offerer is frozen and this side gives up', async () => {
    const world = new World()
    const visitor = await world.visitor({ clock: new TestClock() }).client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    const contact = compat(agent)
    const told: unknown[] = []
    contact.on('mediatimeout', ({ Voice }) => void told.push([Voice?.tx, contact.mediaState]))
    asked(agent)
    await settled()
    visitor.offerMedia(VOICE).catch(() => {})
    await world.clock.advance(64_999)
    expect(told).toEqual([])
    await world.clock.advance(1)
    expect(told).toEqual([['required', 'idle']])
  })
})
