import { describe, expect, it } from 'vitest'
import type { MediaAnswerCallback } from '../../../sdk/index.ts'
import type { Pair } from '../../support/contacts.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { NativeEngine } from '../../../engines/index.ts'
import { FakeDevices, FakeEngine, settled } from '../../../testing/index.ts'
import {
  CALL,
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
  offering,
  openTab,
  record,
  reload,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

describe('a page that is loaded anew', () => {
  it('RES-1 RES-2 MED-29 the contact is resumed and its call comes back without a question', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const there = record(pair.agent, 'left', 'mediachange')
    const { contact } = await reload(pair)
    expect([
      contact.id,
      contact.mediaState,
      contact.data().mediaState,
      pair.agent.data().mediaState,
      offers,
    ]).toEqual(['contact-1', 'idle', CALLING, CALLING, []])
    expect(there.map(([name]) => name)).toEqual(['mediachange', 'left', 'mediachange'])
    expect(there[1]).toEqual([
      'left',
      { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } },
    ])
  })

  it('RES-11 RES-2 the agent’s console: contacts() gives the contact, joined again its call comes back', async () => {
    const world = new World({ agentStore: memoryStore() })
    const pair = await joined({}, ({ agent }) => answering(agent), world)
    await pair.visitor.offerMedia(VOICE)
    await settled()
    const offers = asked(pair.visitor)
    await pair.pages.agent.client.close()
    const console = pair.world.agent()
    const contacts = await console.client.contacts()
    expect(contacts.map(({ id, mediaState }) => [id, mediaState])).toEqual([['contact-1', 'init']])
    await contacts[0]?.join()
    await settled()
    expect([
      contacts[0]?.data().mediaState,
      pair.visitor.data().mediaState,
      offers,
      contacts[0]?.mediaState,
    ]).toEqual([CALLING, CALLING, [], 'idle'])
  })

  it('MED-29 MED-30 a restore is asked where the other user had begun to hang up', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    await pair.pages.visitor.client.close()
    await pair.clock.advance(20_000)
    const hangUp = watch(pair.agent.mergeAndTransitMedia({ Voice: OFF }))
    await settled()
    const { contact } = await openTab(pair, pair.tab)
    expect([hangUp.result, offers.length, contact.mediaState, pair.agent.mediaState]).toEqual([
      { code: 'peer_left' },
      1,
      'offering',
      'offered',
    ])
    offers[0]?.callback('no, thank you')
    await settled()
    expect(mediaOf({ visitor: contact, agent: pair.agent })).toEqual({ visitor: START, agent: START })
    expect(fakeOf(pair.agent).carried).toEqual({})
  })

  it('MED-29 MED-30 a restore is asked where the other user hung up while nobody was there', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    await pair.pages.visitor.client.close()
    await pair.clock.advance(60_000)
    await expect(pair.agent.mergeAndTransitMedia({ Voice: OFF })).rejects.toMatchObject({ code: 'peer_left' })
    const { contact } = await openTab(pair, pair.tab)
    expect([offers.length, contact.mediaState, fakeOf(pair.agent).carried]).toEqual([1, 'offering', {}])
  })

  it.each([
    ['is refused', (answer: MediaAnswerCallback) => answer('not now'), CALLING],
    ['is taken back', (_answer: MediaAnswerCallback, { agent }: Pair) => agent.withdrawOffer(), CALLING],
    [
      'is accepted',
      (answer: MediaAnswerCallback) => answer(null, { ...START, Voice: CALL, Video: CALL }),
      { ...CALLING, Video: CALL },
    ],
  ] as const)(
    'RES-2 MED-29 a new page finds an offer of the other side, which %s: the call comes back after it, unless another one has',
    async (_how, end, media) => {
      const pair = await inCall()
      const there = asked(pair.agent)
      pair.visitor.off('mediaoffer')
      asked(pair.visitor)
      watch(pair.agent.offerMedia(offering({ Voice: required, Video: required })))
      await settled()
      await pair.pages.visitor.client.close()
      const { contact } = await pair.world.visitor({ tab: pair.tab }).client.resumeContact()
      if (!contact) throw new Error('there is no contact')
      const offers = asked(contact)
      await settled()
      expect([offers.length, contact.mediaState, contact.data().mediaState]).toEqual([1, 'offered', START])
      if (offers[0]) end(offers[0].callback, pair)
      await settled()
      expect([
        mediaOf({ visitor: contact, agent: pair.agent }),
        contact.mediaState,
        there,
        offers.length,
      ]).toEqual([{ visitor: media, agent: media }, 'idle', [], 1])
    },
  )

  it('RES-2 MED-27 mediachange of the new page tells what has come since it entered: the call comes back', async () => {
    const pair = await inCall()
    await pair.pages.visitor.client.close()
    const page = pair.world.visitor({ tab: pair.tab })
    const { contact } = await page.client.resumeContact()
    const before = contact?.data().mediaState
    const told = contact ? record(contact, 'mediachange') : []
    await settled()
    const none = { media: {}, engine: {} }
    const diff = {
      added: { media: { Voice: 'WebRTC' }, engine: { WebRTC: ['Voice'] } },
      removed: none,
      changed: none,
    }
    expect([before, told]).toEqual([
      START,
      [['mediachange', { newMedia: { ...CALLING, Voice: { ...CALL, data: { slot: 'visitor' } } }, diff }]],
    ])
  })

  it('MED-29 each cut opens a window of its own: 60 s after the last one', async () => {
    const devices = new FakeDevices()
    const world = new World({
      engines: () => [new NativeEngine(), new FakeEngine({ id: 'WebRTC', media: ['Voice'], devices })],
    })
    const pair = await joined({}, ({ agent }) => answering(agent), world)
    await pair.visitor.offerMedia(offering({ Voice: required }))
    await settled()
    pair.agent.off('mediaoffer')
    const offers = asked(pair.agent)
    const { page } = await reload(pair)
    await pair.clock.advance(55_000)
    devices.hold()
    await page.client.close()
    const { contact } = await openTab(pair, pair.tab)
    await pair.clock.advance(10_000)
    expect([contact.mediaState, mediaOf({ visitor: contact, agent: pair.agent }).agent]).toEqual([
      'offering',
      START,
    ])
    devices.answer()
    await settled()
    expect([offers, mediaOf({ visitor: contact, agent: pair.agent }).agent]).toEqual([[], CALLING])
  })

  it('MED-29 a call that was cut for longer than 60 s is not restored', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    await pair.pages.visitor.client.close()
    await pair.clock.advance(60_000)
    expect(pair.agent.data().mediaState).toEqual(START)
    await pair.clock.advance(60_001)
    const { contact } = await openTab(pair, pair.tab)
    expect([contact.data().mediaState, contact.mediaState, offers]).toEqual([START, 'idle', []])
  })
})
