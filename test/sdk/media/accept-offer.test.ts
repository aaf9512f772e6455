import { afterEach, describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import { FakeDevices, FakeEngine, settled } from '../../../testing/index.ts'
import {
  CALL,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  joined,
  leaveBoth,
  mediaOf,
  offering,
  on,
  optional,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'
import { OFFER } from './offer-of-all-media.ts'

let pair: Pair

/** Both have joined; their calls take what `devices` gives. */
const withDevices = (devices: FakeDevices): Promise<Pair> => {
  const engines = () => [new NativeEngine(), new FakeEngine({ id: 'WebRTC', media: ['Voice'], devices })]
  return joined({}, () => {}, new World({ engines }))
}

describe('acceptOffer and rejectOffer', () => {
  afterEach(() => endCleanly(pair))

  it('SND-313 MED-6 acceptOffer answers the offer that stands, and gives the answer', async () => {
    pair = await joined()
    const { visitor, agent } = pair
    const answers: unknown[] = []
    agent.on(
      'mediaoffer',
      ({ offer }) =>
        void agent
          .acceptOffer(offer, { Voice: true, Video: 'receive' })
          .then((answer) => answers.push(answer)),
    )
    const answer = await visitor.offerMedia(
      offering({ Voice: required, Video: { tx: 'optional', rx: 'optional' } }),
    )
    await settled()
    const expected = { ...START, Voice: CALL, Video: on(false, true) }
    expect([answers, answer, mediaOf(pair)]).toEqual([
      [expected],
      { ...START, Voice: CALL, Video: on(true, false) },
      { agent: expected, visitor: { ...START, Voice: CALL, Video: on(true, false) } },
    ])
  })

  it('SND-313 a copy of the offer will do, without a choice all of it is accepted, and a second answer does nothing', async () => {
    pair = await joined()
    const offers = asked(pair.agent)
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    await pair.agent.acceptOffer(structuredClone(offers[0]?.offer ?? {}))
    offers[0]?.callback(new Error('too late'))
    await settled()
    expect(result.result).toEqual({ value: { ...START, Voice: CALL } })
    await expect(pair.agent.acceptOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await expect(pair.agent.rejectOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({
      code: 'invalid_state',
    })
  })

  it('SND-313 MED-13 another offer than the one that was shown is neither accepted nor rejected in its place', async () => {
    pair = await joined()
    const { visitor, agent } = pair
    const offers = asked(agent)
    const first = watch(visitor.offerMedia(VOICE))
    await settled()
    visitor.withdrawOffer()
    await settled()
    const second = watch(visitor.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    await expect(agent.acceptOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(agent.rejectOffer(offers[0]?.offer ?? {}, 'no')).rejects.toMatchObject({
      code: 'invalid_state',
    })
    expect([first.result, second.result, agent.mediaState]).toEqual([
      { code: 'withdrawn' },
      'pending',
      'offered',
    ])
    await agent.rejectOffer(offers[1]?.offer ?? {})
    await settled()
    expect(second.result).toEqual({ code: 'rejected' })
  })

  it('SND-313 MED-9 rejectOffer tells its reason to the offerer, and nothing changes', async () => {
    pair = await joined()
    const { visitor, agent } = pair
    const reasons = ['busy', new Error('busy'), undefined] as const
    const told: string[] = []
    agent.on('mediaoffer', ({ offer }) => void agent.rejectOffer(offer, reasons[told.length]))
    for (const _each of reasons)
      await visitor.offerMedia(VOICE).catch((error: Error) => told.push(error.message))
    expect(told).toEqual([
      expect.stringContaining(': busy'),
      expect.stringContaining(': busy'),
      expect.stringContaining(': declined'),
    ])
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
  })

  it.each([
    'media_denied',
    'media_dismissed',
    'media_not_found',
    'media_in_use',
    'media_insecure_context',
    'media_failed',
    'engine_failed',
  ] as const)(
    'SND-313 where a device gives %s, acceptOffer rejects with it, the offer goes on standing, and less of it can be accepted',
    async (code) => {
      pair = await joined()
      const { visitor, agent } = pair
      const offers = asked(agent)
      const result = watch(visitor.offerMedia(offering({ Voice: required, Video: optional })))
      await settled()
      fakeOf(agent).script('prepare', code)
      await expect(agent.acceptOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({ code })
      await settled()
      expect([result.result, agent.mediaState]).toEqual(['pending', 'offered'])
      await agent.acceptOffer(offers[0]?.offer ?? {}, { Voice: true, Video: 'receive' })
      await settled()
      expect(result.result).toEqual({ value: { ...START, Voice: CALL, Video: on(true, false) } })
    },
  )

  it('SND-313 asks for the devices also where a running medium moves to another engine', async () => {
    const engines = () => [
      new NativeEngine(),
      new FakeEngine({ id: 'WebRTC', media: ['Voice'] }),
      new FakeEngine({ id: 'Other', media: ['Voice'] }),
    ]
    pair = await joined({}, () => {}, new World({ engines }))
    const { visitor, agent } = pair
    const calling = (engine: string) => offering({ Voice: { ...required, via: 'net', engine } })
    answering(agent)
    await visitor.offerMedia(calling('Other'))
    await settled()
    agent.off('mediaoffer')
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(calling('WebRTC')))
    await settled()
    fakeOf(agent).script('prepare', 'media_denied')
    await expect(agent.acceptOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({ code: 'media_denied' })
    await settled()
    expect([result.result, agent.mediaState]).toEqual(['pending', 'offered'])
    await agent.acceptOffer(offers[0]?.offer ?? {})
    await settled()
    expect(mediaOf(pair).agent.Voice).toEqual(CALL)
  })

  it('SND-313 NEG-7 what was asked for is given back where the offer is over by then', async () => {
    const devices = new FakeDevices()
    pair = await withDevices(devices)
    const { visitor, agent } = pair
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(VOICE))
    await settled()
    devices.hold()
    const accepting = watch(agent.acceptOffer(offers[0]?.offer ?? {}))
    await settled()
    expect(accepting.result).toBe('pending')
    visitor.withdrawOffer()
    await settled()
    expect(accepting.result).toEqual({ code: 'invalid_state' })
    devices.answer()
    await settled()
    expect([result.result, accepting.result, devices.inUse]).toEqual([
      { code: 'withdrawn' },
      { code: 'invalid_state' },
      [],
    ])
  })

  it('SND-313 SND-303 a user who never answers the browser is waited for until this page leaves', async () => {
    const devices = new FakeDevices()
    pair = await withDevices(devices)
    const offers = asked(pair.agent)
    pair.visitor.offerMedia(VOICE).catch(() => {})
    await settled()
    devices.hold()
    const accepting = watch(pair.agent.acceptOffer(offers[0]?.offer ?? {}))
    await pair.agent.leave()
    await settled()
    expect(accepting.result).toEqual({ code: 'left' })
    devices.answer()
    await settled()
    expect(devices.inUse).toEqual([])
  })

  it('SND-313 gives not_joined, left and invalid_argument where nothing can be answered', async () => {
    const world = new World()
    const waiting = await world.visitor().client.createContact()
    const outside = await world.agent().client.accept(waiting.id)
    await expect(outside.acceptOffer(OFFER)).rejects.toMatchObject({ code: 'not_joined' })
    await expect(outside.rejectOffer(OFFER)).rejects.toMatchObject({ code: 'not_joined' })
    pair = await joined()
    const offers = asked(pair.agent)
    void pair.visitor.offerMedia(VOICE)
    await settled()
    const unreadable = { toString: () => expect.fail('a trap') }
    await expect(pair.agent.acceptOffer(null as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(
      pair.agent.rejectOffer(offers[0]?.offer ?? {}, { message: unreadable }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
    await leaveBoth(pair)
    await expect(pair.agent.acceptOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({ code: 'left' })
    await expect(pair.agent.rejectOffer(offers[0]?.offer ?? {})).rejects.toMatchObject({ code: 'left' })
  })
})
