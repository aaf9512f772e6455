import { describe, expect, it } from 'vitest'
import type { MediaAnswerCallback } from '../../../sdk/index.ts'
import type { Pair } from '../../support/contacts.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { NativeEngine } from '../../../engines/index.ts'
import { FakeDevices, FakeEngine, settled } from '../../../testing/index.ts'
import {
  CALL,
  OFF,
  START,
  VOICE,
  World,
  answering,
  asked,
  fakeOf,
  fakes,
  inCall,
  joined,
  mediaOf,
  offering,
  openTab,
  record,
  reload,
  required,
  textsOf,
  watch,
} from '../../support/contacts.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'

const CALLING = { ...START, Voice: CALL }

/** Storage whose keys a test sees. */
function observedStore(): KeyValueStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

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

  it('LOG-11 what was seen does not come again as an event, what came meanwhile does', async () => {
    const pair = await joined()
    await pair.agent.sendText('seen')
    await settled()
    await pair.pages.visitor.client.close()
    await pair.agent.sendText('missed')
    const page = pair.world.visitor({ tab: pair.tab })
    const { contact } = await page.client.resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    const texts = textsOf(contact)
    await settled()
    expect(texts).toEqual(['missed'])
    await pair.agent.sendText('new')
    await settled()
    expect(texts).toEqual(['missed', 'new'])
  })

  it('LOG-11 a new tab gets no old messages as events', async () => {
    const pair = await joined()
    await pair.agent.sendText('old')
    const page = pair.world.visitor()
    const { contact } = await page.client.resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    const texts = textsOf(contact)
    await pair.agent.sendText('new')
    await settled()
    expect(texts).toEqual(['new'])
  })

  it.each([
    ['was never sent', { name: 'log.append', slot: 'visitor' } as const],
    [
      'was stored without the page knowing',
      { name: 'log.append', slot: 'visitor', answerOnly: true } as const,
    ],
  ])('LOG-5 LOG-6 RES-1 a text that %s arrives once, and what follows it as well', async (_what, loss) => {
    const pair = await joined()
    const there = textsOf(pair.agent)
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.lose(loss)
    const sent = [watch(pair.visitor.sendText('1')), watch(pair.visitor.sendText('2'))]
    await pair.clock.advance(3_000)
    pair.link.faults = {}
    const { contact } = await reload(pair)
    expect(sent.map(({ result }) => result)).toEqual([{ code: 'left' }, { code: 'left' }])
    await contact.sendText('3')
    await settled()
    expect(there).toEqual(['1', '2', '3'])
  })

  it('LOG-6 MSG-7 an acknowledgement that could not be sent goes out from the next page', async () => {
    const pair = await joined()
    const there = record(pair.agent, 'ack')
    pair.link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'log.append' ? 'drop' : 'pass'),
    }
    record(pair.visitor, 'text')
    const ref = await pair.agent.sendText('read this')
    await settled()
    await pair.pages.visitor.client.close()
    pair.link.faults = {}
    await openTab(pair, pair.tab)
    await settled()
    expect(there).toEqual([['ack', { ref, from_id: 'visitor-1', agent: false }]])
  })

  it('RES-1 RES-9 where there is nothing to resume, or it is over, contact is null and nothing is kept', async () => {
    const pair = await joined()
    const none = pair.world.visitor({ tab: memoryStore() })
    await pair.agent.sendText('x')
    await pair.pages.visitor.client.close()
    await pair.agent.leave()
    expect(await none.client.resumeContact()).toEqual({ contact: null, resumed: false })
    expect(pair.world.store.getItem('duolog:http://localhost:visitor')).toBeNull()
    const later = pair.world.visitor({ tab: pair.tab })
    expect(await later.client.resumeContact()).toEqual({ contact: null, resumed: false })
    expect((await later.client.createContact()).id).toBe('contact-2')
  })

  it('RES-9 leaving erases what was kept for resuming', async () => {
    const pair = await joined()
    pair.visitor.on('text', () => {})
    await pair.agent.sendText('x')
    await settled()
    expect(pair.tab.getItem('duolog:http://localhost:contact-1')).not.toBeNull()
    await pair.visitor.leave()
    await settled()
    expect([
      pair.tab.getItem('duolog:http://localhost:contact-1'),
      pair.tab.getItem('duolog:http://localhost:contact'),
      pair.world.store.getItem('duolog:http://localhost:visitor'),
    ]).toEqual([null, null, null])
  })

  it('RES-9 what is kept is separate per service, erased with the contact to the last key, and useless after it', async () => {
    const shared = { store: observedStore(), tab: observedStore() }
    const { store, tab } = shared
    const sites = [new World(), new World()].map((world, index) => {
      const service = `https://${index}.example.org`
      const party = { slot: 'visitor', id: `visitor-${index}` } as const
      const page = () =>
        new VisitorClient(
          { service, transport: world.link.transport(party) },
          { ...testEnvironment(world.clock, fakes), store, tab },
        )
      return { service, world, page, first: page() }
    })
    for (const { first, world } of sites) {
      const visitor = await first.createContact()
      visitor.on('Count', (_data, callback) => callback(null, 1))
      visitor.on('text', () => {})
      const agent = await world.agent().client.accept(visitor.id)
      await agent.join()
      await settled()
      await agent.request('Count')
      await agent.sendText(`of ${world.contact.visitor.id}`)
      await settled()
      await first.close()
    }
    const kept = [...store.values.keys(), ...tab.values.keys()]
    for (const { service } of sites)
      expect(kept.filter((key) => key.startsWith(`duolog:${service}:`)).length).toBe(5)
    expect(kept.length).toBe(10)
    const before = [new Map(store.values), new Map(tab.values)]
    for (const { page, world } of sites) {
      const { contact, resumed } = await page().resumeContact()
      expect([resumed, contact?.data().visitor.id]).toEqual([true, world.contact.visitor.id])
      expect((await contact?.readTranscript())?.messages).toMatchObject([
        { text: `of ${world.contact.visitor.id}` },
      ])
      await contact?.leave()
      await world.clock.advance(30_000)
    }
    expect([...store.values.keys(), ...tab.values.keys()]).toEqual([])
    for (const [index, { values }] of [store, tab].entries())
      for (const [key, value] of before[index] ?? []) values.set(key, value)
    for (const { page } of sites)
      expect(await page().resumeContact()).toEqual({ contact: null, resumed: false })
    expect([...store.values.keys(), ...tab.values.keys()].filter((key) => !key.endsWith(':visitor'))).toEqual(
      [],
    )
  })

  it('RES-8 RES-1 what is kept may be garbage', async () => {
    const pair = await joined()
    await pair.pages.visitor.client.close()
    pair.tab.setItem('duolog:http://localhost:contact-1', '{"cursor":"no","letters":[{}]}')
    const { contact } = await openTab(pair, pair.tab)
    expect(contact.mediaState).toBe('idle')
  })

  it('MED-6 NEG-1 after a reload offers go on as ever', async () => {
    const pair = await joined()
    const { contact } = await reload(pair)
    answering(pair.agent)
    expect(await contact.offerMedia(offering({ Voice: required }))).toEqual(CALLING)
    expect(mediaOf({ visitor: contact, agent: pair.agent })).toEqual({ visitor: CALLING, agent: CALLING })
  })
})
