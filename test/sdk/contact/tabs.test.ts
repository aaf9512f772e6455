import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  VOICE,
  answering,
  asked,
  fakeOf,
  inCall,
  joined,
  moveToTab,
  openTab,
  record,
  reload,
  textsOf,
  watch,
} from '../../support/contacts.ts'

describe('two tabs', () => {
  it('SND-309 RES-6 a newer one leaves slot and call where they are, and is one more channel of its party', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const told = [
      record(pair.visitor, 'left', 'mediachange'),
      record(pair.agent, 'left', 'mediachange', 'peeraway'),
    ]
    const { contact } = await openTab(pair)
    expect([pair.visitor.mediaState, contact.mediaState, pair.agent.mediaState, offers, told]).toEqual([
      'idle',
      'init',
      'idle',
      [],
      [[], []],
    ])
    expect([pair.visitor.data().mediaState, contact.data().mediaState, pair.agent.data().mediaState]).toEqual(
      [CALLING, CALLING, CALLING],
    )
    expect([fakeOf(pair.visitor).carried, fakeOf(contact).carried, fakeOf(pair.agent).carried]).toEqual([
      { Voice: CALL },
      {},
      { Voice: CALL },
    ])
    expect(contact.data().channels).toEqual({ total: 3, vvcu: 2, user: 1 })
    await pair.clock.advance(300_000)
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['idle', 'init'])
  })

  it('RES-5 RES-6 SND-309 MED-28 the newer takes slot and call over when its user asks, without a question, and the older gets left and init', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const told = record(pair.visitor, 'left', 'mediachange')
    const { contact } = await moveToTab(pair)
    expect([pair.visitor.mediaState, contact.mediaState, pair.agent.mediaState, offers]).toEqual([
      'init',
      'idle',
      'idle',
      [],
    ])
    expect([contact.data().mediaState, pair.agent.data().mediaState]).toEqual([CALLING, CALLING])
    expect([fakeOf(pair.visitor).carried, fakeOf(contact).carried, fakeOf(pair.agent).carried]).toEqual([
      {},
      { Voice: CALL },
      { Voice: CALL },
    ])
    expect(told.map(([name]) => name)).toEqual(['mediachange', 'left', 'mediachange'])
    expect(told[1]).toEqual([
      'left',
      { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 3, vvcu: 2, user: 1 } },
    ])
  })

  it('RES-6 they never take it from each other again by themselves', async () => {
    const pair = await inCall()
    await moveToTab(pair)
    await pair.clock.advance(300_000)
    expect(pair.world.entries.filter((type) => type === 'present')).toEqual([
      'present',
      'present',
      'present',
      'present',
    ])
    expect(pair.visitor.mediaState).toBe('init')
  })

  it('RES-5 LOG-2 both see everything and may send, each message once and in the same order', async () => {
    const pair = await joined()
    const { contact } = await openTab(pair)
    const [older, newer, there] = [textsOf(pair.visitor), textsOf(contact), textsOf(pair.agent)]
    await pair.visitor.sendText('from the older')
    await pair.agent.sendText('answer')
    await contact.sendText('from the newer')
    await settled()
    expect({ older, newer, there }).toEqual({
      older: ['own from the older', 'answer', 'own from the newer'],
      newer: ['own from the older', 'answer', 'own from the newer'],
      there: ['from the older', 'own answer', 'from the newer'],
    })
    expect(pair.world.entries.filter((type) => type === 'ack').length).toBe(3)
  })

  it('SND-309 LIFE-12 RES-6 when the newer, which has slot and call, is closed the older has them back within 2 s', async () => {
    const pair = await inCall()
    const offers = asked(pair.agent)
    const { page } = await moveToTab(pair)
    const told = record(pair.visitor, 'left')
    const there = record(pair.agent, 'left', 'peeraway')
    await page.client.close()
    await pair.clock.advance(999)
    expect(pair.visitor.mediaState).toBe('init')
    await pair.clock.advance(1)
    expect([pair.visitor.mediaState, pair.agent.mediaState, pair.agent.data().mediaState, offers]).toEqual([
      'idle',
      'idle',
      CALLING,
      [],
    ])
    expect([fakeOf(pair.visitor).carried, fakeOf(pair.agent).carried]).toEqual([
      { Voice: CALL },
      { Voice: CALL },
    ])
    expect([told, there]).toEqual([
      [],
      [['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } }]],
    ])
  })

  it('SND-309 RES-6 a page that is loaded anew beside another one keeps slot and call', async () => {
    const pair = await inCall()
    const { contact: second } = await openTab(pair)
    const { contact: again } = await reload(pair)
    await pair.clock.advance(5_000)
    expect([again.mediaState, second.mediaState]).toEqual(['idle', 'init'])
    expect([fakeOf(again).carried, fakeOf(pair.agent).carried]).toEqual([{ Voice: CALL }, { Voice: CALL }])
  })

  it('SND-309 RES-6 a page whose connection is back at once keeps slot and call; one that is silent for longer gives them to the other, for good', async () => {
    const pair = await inCall()
    const { contact: second } = await openTab(pair)
    pair.link.cut(pair.pages.visitor.party)
    await pair.clock.advance(60_000)
    expect([pair.visitor.mediaState, second.mediaState]).toEqual(['idle', 'init'])
    pair.link.faults = { onConnect: (party) => (party === pair.pages.visitor.party ? 'drop' : 'pass') }
    pair.link.cut(pair.pages.visitor.party)
    await pair.clock.advance(1_000)
    expect(second.mediaState).toBe('idle')
    pair.link.faults = {}
    const told = record(pair.visitor, 'left')
    await pair.clock.advance(300_000)
    expect([pair.visitor.mediaState, second.mediaState]).toEqual(['init', 'idle'])
    expect(told.length).toBe(1)
    expect([fakeOf(pair.visitor).carried, fakeOf(second).carried, fakeOf(pair.agent).carried]).toEqual([
      {},
      { Voice: CALL },
      { Voice: CALL },
    ])
  })

  it('SND-309 RES-6 after a cut of both the one that is back first does not take the other’s call', async () => {
    const pair = await inCall()
    const { contact: second } = await openTab(pair)
    const there = record(pair.agent, 'peeraway')
    pair.link.faults = { onConnect: (party) => (party === pair.pages.visitor.party ? 'drop' : 'pass') }
    for (const slot of ['visitor', 'agent'] as const) pair.link.cut(slot)
    await pair.clock.advance(4_000)
    pair.link.faults = {}
    await pair.clock.advance(60_000)
    expect([pair.visitor.mediaState, second.mediaState, there]).toEqual(['idle', 'init', []])
  })

  it('SND-309 of two that take it over at the same moment one has it, and the other is told', async () => {
    const pair = await joined()
    const [one, other] = [await openTab(pair), await openTab(pair)]
    const taking = [one, other].map(({ contact }) => watch(contact.takeOver()))
    await settled()
    expect(taking.map(({ result }) => result)).toEqual([{ value: undefined }, { code: 'glare' }])
    expect([pair.visitor, one.contact, other.contact].map(({ mediaState }) => mediaState)).toEqual([
      'init',
      'idle',
      'init',
    ])
    await one.contact.takeOver()
    await pair.visitor.takeOver()
    await settled()
    expect([pair.visitor, one.contact, other.contact].map(({ mediaState }) => mediaState)).toEqual([
      'idle',
      'init',
      'init',
    ])
  })

  it('SND-25 SND-309 a takeover that the service refuses fails with its code, does not hang, and can be tried again', async () => {
    const pair = await joined()
    const { contact, page } = await openTab(pair)
    const answer = pair.link.answer.bind(pair.link)
    pair.link.answer = (connection, name, args) => {
      if (name === 'log.append' && connection.party === page.party)
        throw new ContactError('forbidden', 'a fault')
      return answer(connection, name, args)
    }
    const taking = watch(contact.takeOver())
    await pair.clock.advance(90_000)
    pair.link.answer = answer
    await pair.clock.advance(5_000)
    const again = watch(contact.takeOver())
    await settled()
    expect([taking.result, again.result, pair.visitor.mediaState]).toEqual([
      { code: 'forbidden' },
      { value: undefined },
      'init',
    ])
  })

  it('SND-309 LIFE-12 when the one with the call leaves, the contact goes on in the one that followed', async () => {
    const pair = await joined()
    const { contact: second } = await openTab(pair)
    const told = record(pair.agent, 'left', 'cleared')
    await pair.visitor.leave()
    await settled()
    expect([second.mediaState, told]).toEqual([
      'idle',
      [['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } }]],
    ])
  })

  it('LIFE-12 RES-6 when the newer leaves its channel the older comes back at once, and the contact goes on', async () => {
    const pair = await joined()
    const { contact } = await moveToTab(pair)
    const told = record(contact, 'localleft', 'cleared')
    await contact.leave()
    await settled()
    expect([pair.visitor.mediaState, contact.mediaState]).toEqual(['idle', 'init'])
    expect(told.map(([name]) => name)).toEqual(['localleft'])
    answering(pair.agent)
    expect(await pair.visitor.offerMedia(VOICE)).toEqual(CALLING)
  })
})
