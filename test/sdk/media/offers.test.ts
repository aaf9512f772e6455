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
import { World } from '../../support/world.ts'

const WEBRTC = { via: 'net', engine: 'WebRTC' }
const CHAT = { ...required, via: 'net', engine: 'Native' }
const NOTHING = { media: {}, engine: {} }
const added = (medium: string) => ({
  added: { media: { [medium]: 'WebRTC' }, engine: { WebRTC: [medium] } },
  removed: NOTHING,
  changed: NOTHING,
})

describe('offers', () => {
  it('MED-6 MED-27 an accepted offer: the answer, both sides in the new state, one mediachange each', async () => {
    const { visitor, agent } = await joined()
    const offers = asked(agent)
    const [here, there] = [record(visitor, 'mediachange'), record(agent, 'mediachange')]
    const result = watch(visitor.offerMedia(offering({ Voice: { tx: 'required', rx: 'optional' } })))
    await settled()
    expect(offers.map(({ offer }) => offer)).toEqual([
      { Chat: CHAT, Voice: { tx: 'optional', rx: 'required', ...WEBRTC } },
    ])
    expect([visitor.mediaState, agent.mediaState, result.result]).toEqual(['offering', 'offered', 'pending'])
    offers[0]?.callback(null, { Chat: NATIVE, Voice: { tx: false, rx: true } })
    await settled()
    expect(result.result).toEqual({ value: { ...START, Voice: on(true, false) } })
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
    expect(here).toEqual([
      [
        'mediachange',
        {
          newMedia: { ...START, Voice: { ...on(true, false), data: { slot: 'visitor' } }, Sharing: NATIVE },
          diff: added('Voice'),
        },
      ],
    ])
    expect(there).toEqual([
      [
        'mediachange',
        {
          newMedia: { ...START, Voice: { ...on(false, true), data: { slot: 'agent' } }, Sharing: NATIVE },
          diff: added('Voice'),
        },
      ],
    ])
    expect([fakeOf(visitor).carried, fakeOf(agent).carried]).toEqual([
      { Voice: on(true, false) },
      { Voice: on(false, true) },
    ])
  })

  it('MED-6 the callback of offerMedia gets the answer', async () => {
    const { visitor, agent } = await joined()
    answering(agent)
    const calls: unknown[] = []
    await visitor.offerMedia(VOICE, (...args) => calls.push(args))
    expect(calls).toEqual([[null, CALLING]])
  })

  it('MED-3 MED-27 the streams of an engine are in getMedia and mediachange, and not in getMedia(true)', async () => {
    const { visitor } = await inCall()
    expect((await visitor.getMedia()).Voice).toEqual({ ...CALL, data: { slot: 'visitor' } })
    class Stream {
      readonly id = () => 'stream'
    }
    const stream = new Stream()
    const engine = fakeOf(visitor)
    engine.data = () => ({ Voice: { tx_stream: stream, count: 1 } })
    const told = record(visitor, 'mediachange')
    engine.host?.report({ type: 'data_changed', medium: 'Voice' })
    expect((await visitor.getMedia()).Voice?.data?.['tx_stream']).toBe(stream)
    expect((await visitor.getMedia(true)).Voice).toEqual({ ...CALL, data: { tx_stream: true, count: 1 } })
    expect(told).toEqual([
      [
        'mediachange',
        {
          newMedia: await visitor.getMedia(),
          diff: {
            added: NOTHING,
            removed: NOTHING,
            changed: { media: { Voice: 'WebRTC' }, engine: { WebRTC: ['Voice'] } },
          },
        },
      ],
    ])
    engine.host?.report({ type: 'data_changed', medium: 'Screen' })
    expect(told.length).toBe(1)
  })

  it('MED-1 MED-5 getMediaOffer, mergeMedia, cloneMedia and diffMedia describe and change nothing', async () => {
    const { visitor } = await inCall()
    const log = visitor.data().mediaState
    expect(await visitor.getMediaOffer()).toEqual({ Chat: CHAT, Voice: { ...required, ...WEBRTC } })
    const merged = await visitor.mergeMedia({ Voice: OFF, Video: on(true, false) })
    expect(merged).toEqual({ ...START, Video: on(true, false) })
    const clone = visitor.cloneMedia(log)
    expect(clone).toEqual(CALLING)
    expect(clone.Voice).not.toBe(log.Voice)
    expect(visitor.diffMedia(CALLING, merged)).toEqual({
      added: added('Video').added,
      removed: added('Voice').added,
      changed: NOTHING,
    })
    expect(visitor.data().mediaState).toEqual(log)
    expect([visitor.mediaState, visitor.getMediaState()]).toEqual(['idle', 'idle'])
  })

  it('MED-6 ALG-5 what an offer does not name goes off, Sharing apart', async () => {
    const { visitor } = await inCall()
    expect(await visitor.offerMedia({})).toEqual({ Sharing: NATIVE })
    expect(await visitor.getMedia(true)).toEqual({ Sharing: NATIVE })
  })

  it.each([
    ['a Sharing key', { Sharing: required }],
    ['an unknown medium', { Smell: required }],
    ['a direction that is no word of the three', { Voice: { tx: 'maybe', rx: 'off' } }],
    ['a boolean direction', { Voice: { tx: true, rx: true } }],
    ['an engine that nobody has', { Voice: { ...required, engine: 'Telepathy' } }],
    ['a via that no engine has', { Voice: { ...required, via: 'pstn' } }],
    ['no object', null],
    ['a list', []],
    ['a medium that is no object', { Voice: 'on' }],
  ])('ALG-18 ALG-17 MED-6 %s is invalid_offer, and nothing is written', async (_what, offer) => {
    const { visitor, world } = await joined()
    const before = world.entries
    await expect(visitor.offerMedia(offer as never)).rejects.toMatchObject({ code: 'invalid_offer' })
    expect(visitor.mediaState).toBe('idle')
    expect(world.entries).toEqual(before)
  })

  it('MED-4 outside idle offerMedia, transitMedia and mergeAndTransitMedia give invalid_state, on both sides', async () => {
    const { visitor, agent } = await joined()
    const offers = asked(agent)
    const first = watch(visitor.offerMedia(VOICE))
    const media = await visitor.getMedia()
    const refused = async (contact: typeof visitor): Promise<unknown[]> => {
      const results = await Promise.allSettled([
        contact.offerMedia(VOICE),
        contact.transitMedia(media, START),
        contact.mergeAndTransitMedia({ Chat: OFF }),
      ])
      return results.map((result) =>
        result.status === 'rejected' ? (result.reason as { code: string }).code : result.value,
      )
    }
    const all = ['invalid_state', 'invalid_state', 'invalid_state']
    expect(await refused(visitor)).toEqual(all)
    await settled()
    expect([await refused(visitor), await refused(agent), visitor.mediaState, agent.mediaState]).toEqual([
      all,
      all,
      'offering',
      'offered',
    ])
    fakeOf(agent).script('transit', 'hang')
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect([await refused(visitor), await refused(agent), visitor.mediaState, agent.mediaState]).toEqual([
      all,
      all,
      'transiting',
      'transiting',
    ])
    expect(first.result).toBe('pending')
  })

  it('MED-17 with no agent in the contact offers and transitions give peer_left', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'peer_left' })
    await expect(visitor.mergeAndTransitMedia({ Chat: OFF })).rejects.toMatchObject({ code: 'peer_left' })
  })

  it('MED-17 an offer that meets the absence of the other side in the log gives peer_left', async () => {
    const { visitor, agent, link } = await joined()
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'log.entries' ? 'drop' : 'pass'),
    }
    const result = watch(visitor.offerMedia(VOICE))
    void agent.leave()
    await settled()
    expect(['pending', { code: 'peer_left' }, { code: 'left' }]).toContainEqual(result.result)
  })

  it('MED-33 an initial offer beyond Chat is offered when the agent has joined, and shown in the record', async () => {
    const pair = await joined({ initialOffer: { Chat: required, Voice: required } }, ({ agent }) =>
      answering(agent),
    )
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: CALLING, agent: CALLING })
    expect(pair.agent.data().initialOffer).toEqual({ Chat: CHAT, Voice: { ...required, ...WEBRTC } })
    expect(pair.world.entries.filter((type) => type === 'offer')).toEqual(['offer'])
  })

  it('MED-33 ALG-20 an initial offer without Chat starts with Sharing alone and is not offered again', async () => {
    const pair = await joined({ initialOffer: {} })
    expect(mediaOf(pair)).toEqual({ visitor: { Sharing: NATIVE }, agent: { Sharing: NATIVE } })
    expect(pair.world.entries).not.toContain('offer')
  })

  it('CAP-4 getRemoteCapabilities tells what the other side carries', async () => {
    const { visitor } = await joined()
    expect(Object.keys((await visitor.getRemoteCapabilities()).Media)).toEqual([
      'Sharing',
      'Chat',
      'Voice',
      'Video',
      'Screen',
    ])
    expect(await visitor.getLocalCapabilities()).toEqual(await visitor.getRemoteCapabilities())
  })
})
