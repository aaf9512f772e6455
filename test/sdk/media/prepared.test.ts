import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import type { MediaEngine } from '../../../engines/index.ts'
import type { AnswerChoice, Contact, MediaOffer } from '../../../sdk/index.ts'
import { FakeDevices, FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  NATIVE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  joined,
  moveToTab,
  offering,
  on,
  optional,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const CAMERA = { Voice: on(true, false), Video: on(true, false) }

/** An offer of the visitor, and devices that the agent's application has acquired to answer it. */
async function prepared(offer: MediaOffer = offering({ Voice: required, Video: required })) {
  const test = await createTestContact()
  const offers = asked(test.agent)
  const offered = watch(test.visitor.offerMedia(offer))
  await settled()
  await test.agent.getMediaEngine('WebRTC')?.prepare(CAMERA)
  return { ...test, offers, offered }
}

describe('devices that an application acquires before its answer', () => {
  const ENDS: readonly (readonly [string, (test: Awaited<ReturnType<typeof prepared>>) => unknown])[] = [
    ['is taken back', ({ visitor }) => visitor.withdrawOffer()],
    ['is rejected', ({ offers }) => offers[0]?.callback('not now')],
    ['lapses', ({ clock }) => clock.advance(66_000)],
    ['is cut by a page load of the offerer', ({ reload }) => reload('visitor')],
    ['ends because the offerer leaves', ({ visitor }) => visitor.leave()],
  ]

  it.each(ENDS)('SND-25 are given back where the offer %s', async (_how, end) => {
    const test = await prepared()
    expect(test.devices.agent.inUse).toEqual(['Voice', 'Video'])
    await end(test)
    await settled()
    expect(test.devices.agent.inUse).toEqual([])
  })

  it('SND-25 are given back where the question of the browser is still open, and what comes late is stopped', async () => {
    const test = await createTestContact()
    asked(test.agent)
    watch(test.visitor.offerMedia(offering({ Video: required })))
    await settled()
    test.devices.agent.hold()
    const preparing = watch(
      (test.agent.getMediaEngine('WebRTC') as { prepare(media: unknown): Promise<void> }).prepare(CAMERA),
    )
    test.visitor.withdrawOffer()
    await settled()
    test.devices.agent.answer()
    await settled()
    expect([preparing.result, test.devices.agent.inUse]).toEqual([{ code: 'left' }, []])
  })

  it.each([
    ['another tab of the party takes the slot', (pair: Pair) => moveToTab(pair)],
    [
      'the contact goes on to another agent',
      ({ pages }: Pair) => pages.agent.client.transfer('contact-1', { toTags: ['second'] }),
    ],
    ['the contact ends under it', ({ agent }: Pair) => agent.leave()],
  ] as const)('SND-25 SND-313 are given back where %s, also those that come late', async (_what, end) => {
    const held: FakeDevices[] = []
    const engines = (): MediaEngine[] => {
      const devices = new FakeDevices()
      held.push(devices)
      return [new NativeEngine(), new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video'], devices })]
    }
    const pair = await joined({}, () => {}, new World({ engines }))
    const [own] = held
    const offers = asked(pair.visitor)
    watch(pair.agent.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    await pair.visitor.getMediaEngine('WebRTC')?.prepare({ Voice: on(true, false) })
    own?.hold()
    const accepting = watch(pair.visitor.acceptOffer(offers[0]?.offer ?? {}))
    await settled()
    expect([accepting.result, own?.inUse]).toEqual(['pending', ['Voice']])
    await end(pair)
    await settled()
    expect(accepting.result).toMatchObject({
      code: expect.stringMatching(/^(invalid_state|left)$/) as unknown,
    })
    own?.answer()
    await settled()
    expect(own?.inUse).toEqual([])
  })

  it('SND-25 what runs goes on, and what is acquired for the next offer stays', async () => {
    const { visitor, agent, devices } = await createTestContact()
    answering(agent)
    await visitor.offerMedia(offering({ Voice: required }))
    await settled()
    agent.off('mediaoffer')
    const seen: unknown[] = []
    agent.on('mediaoffer', ({ offer }) => {
      seen.push(offer)
      void agent.getMediaEngine('WebRTC')?.prepare({ Video: on(true, false) })
    })
    const again = async (contact: Contact): Promise<void> =>
      void watch(contact.offerMedia(offering({ Voice: required, Video: required })))
    await again(visitor)
    await settled()
    visitor.withdrawOffer()
    await settled()
    expect(devices.agent.inUse).toEqual(['Voice'])
    await again(visitor)
    await settled()
    expect([devices.agent.inUse, seen.length]).toEqual([['Voice', 'Video'], 2])
  })

  it('SND-25 are used by the answer', async () => {
    const { offers, devices, agent } = await prepared()
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL, Video: CALL })
    await settled()
    expect([devices.agent.inUse, devices.agent.asked, agent.data().mediaState.Video]).toEqual([
      ['Voice', 'Video'],
      ['Voice', 'Video'],
      CALL,
    ])
  })

  it.each([
    ['the next transition', 'freeze'],
    ['what ends the contact', 'hang'],
  ] as const)('SND-25 giving back and %s are one after the other', async (_what, behaviour) => {
    const pair = await joined()
    const offers = asked(pair.agent)
    const engine = fakeOf(pair.agent).script('undo', behaviour)
    const first = watch(pair.visitor.offerMedia(offering({ Voice: required })))
    await settled()
    offers[0]?.callback('not now')
    await settled()
    const second = watch(pair.visitor.offerMedia(offering({ Voice: required })))
    await settled()
    offers[1]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect([engine.overlaps, engine.calls.filter((call) => call === 'transit')]).toEqual([0, []])
    if (behaviour === 'freeze') engine.thaw()
    else await pair.clock.advance(35_000)
    await settled()
    expect([first.result, engine.overlaps]).toEqual([{ code: 'rejected' }, 0])
    if (behaviour === 'freeze')
      expect([second.result, engine.carried]).toMatchObject([{ value: { Voice: CALL } }, { Voice: CALL }])
    else
      expect(second.result).toMatchObject({
        code: expect.stringMatching(/^(timeout|remote_failed|engine_failed)$/) as unknown,
      })
    await endCleanly(pair)
    expect(engine.overlaps).toBe(0)
  })
})

describe('devices of an answer that is tried again', () => {
  /** The agent is asked for a call, its devices are refused as often, and it has answered each time. */
  async function refused(times: number) {
    const test = await createTestContact()
    const { visitor, agent, devices } = test
    const offers = asked(agent)
    const offered = watch(visitor.offerMedia(offering({ Voice: required, Video: optional })))
    await settled()
    const engine = fakeOf(agent)
    engine.script('undo', 'freeze')
    const accept = (choice?: AnswerChoice) => agent.acceptOffer(offers[0]?.offer ?? {}, choice)
    for (let n = 0; n < times; n++) {
      devices.agent.refuse('media_denied', 'media_denied')
      await expect(accept()).rejects.toMatchObject({ code: 'media_denied' })
    }
    devices.agent.hold()
    return { ...test, engine, offered, accept, inUse: () => devices.agent.inUse }
  }

  it.each([1, 2])(
    'SND-313 ENG-14 are kept where %i answers failed before it, and what these acquired is still given back',
    async (times) => {
      const { accept, engine, devices, inUse, offered } = await refused(times)
      const accepting = watch(accept({ Voice: true, Video: 'receive' }))
      await settled()
      engine.thaw()
      await settled()
      expect(accepting.result).toBe('pending')
      devices.agent.answer()
      await settled()
      expect([accepting.result, offered.result]).toMatchObject([
        { value: { Voice: CALL } },
        { value: { Voice: CALL } },
      ])
      expect(inUse()).toEqual(['Voice'])
    },
  )

  it('SND-313 ENG-14 of two answers under way at once, one that fails leaves the devices of the other alone', async () => {
    const { accept, engine, devices, offered } = await refused(0)
    const first = watch(accept({ Voice: true, Video: 'receive' }))
    engine.script('prepare', 'media_denied')
    const second = watch(accept())
    await settled()
    devices.agent.answer()
    await settled()
    expect([second.result, first.result, offered.result]).toMatchObject([
      { code: 'media_denied' },
      { value: { Voice: CALL } },
      { value: { Voice: CALL } },
    ])
  })

  it('SND-313 SND-25 are given back where it fails, too, and the undo of the first one is still under way', async () => {
    const { accept, engine, devices, inUse } = await refused(1)
    devices.agent.answer()
    devices.agent.refuseMedium('Video', 'media_denied')
    await expect(accept()).rejects.toMatchObject({ code: 'media_denied' })
    engine.thaw()
    await settled()
    expect(inUse()).toEqual([])
  })
})
