import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  NATIVE,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  inCall,
  joined,
  leaveBoth,
  moveToTab,
  offering,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

/** Another agent takes the contact and joins it. */
async function taken(pair: Pair, id: string): Promise<Contact> {
  const page = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
  const contact = await page.client.accept(id)
  await contact.join()
  await settled()
  return contact
}

/** The next agent is called, and everything ends well. */
async function expectCalls(pair: Pair): Promise<void> {
  const bob = await taken(pair, pair.visitor.id)
  answering(bob)
  const call = watch(pair.visitor.offerMedia(VOICE))
  await settled()
  expect([call.result, bob.data().mediaState]).toEqual([
    { value: { ...START, Voice: CALL } },
    { ...START, Voice: CALL },
  ])
  await endCleanly({ ...pair, agent: bob })
}

describe('transfer', () => {
  it('LIFE-15 the Contact of the visitor goes on under the new id, which changes as the event comes; Native media stay, all others are off', async () => {
    const pair = await inCall()
    const told = record(pair.visitor, 'transferred', 'mediachange', 'assigned', 'joined')
    const ids: string[] = []
    pair.visitor.on('transferred', () => void ids.push(pair.visitor.id))
    const toId = await pair.pages.agent.client.transfer('contact-1', { toAgent: 'agent-2' })
    await settled()
    expect(told).toEqual([
      ['mediachange', expect.objectContaining({ newMedia: START })],
      ['transferred', { id: 'contact-1', to: { toId, toAgent: 'agent-2' } }],
    ])
    expect([ids, pair.visitor.id, pair.visitor.data()]).toMatchObject([
      [toId],
      toId,
      { id: toId, state: 'queued', transferredFrom: 'contact-1', mediaState: START },
    ])
    expect([fakeOf(pair.visitor).carried, pair.visitor.mediaState]).toEqual([{}, 'idle'])
    const bob = await taken(pair, toId)
    expect(told.slice(2)).toEqual([
      ['assigned', { id: toId, user: 'agent-2', nick: 'Bob' }],
      ['joined', { id: toId, user: 'agent-2', nick: 'Bob' }],
    ])
    await endCleanly({ ...pair, agent: bob })
  })

  it('SND-355 what was written before the transfer is told under the old id, also in one batch with it', async () => {
    const pair = await joined()
    const ids: [string, string][] = []
    for (const name of ['text', 'transferred', 'assigned'] as const)
      pair.visitor.on(name, () => void ids.push([name, pair.visitor.id]))
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    await settled()
    await pair.agent.sendText('one moment')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toAgent: 'agent-2' })
    pair.link.faults = {}
    await pair.clock.advance(20_000)
    expect([ids, pair.visitor.id]).toEqual([
      [
        ['text', 'contact-1'],
        ['transferred', toId],
      ],
      toId,
    ])
    const bob = await taken(pair, toId)
    expect(ids.at(-1)).toEqual(['assigned', toId])
    await endCleanly({ ...pair, agent: bob })
  })

  it('LIFE-15 the session of the new agent starts clean: no offer of the old one, and calls as ever', async () => {
    const pair = await joined({ initialOffer: VOICE }, ({ agent }) => answering(agent))
    await pair.pages.agent.client.transfer('contact-1', { toTags: ['second'] })
    await settled()
    const bob = await taken(pair, pair.visitor.id)
    const offers = asked(bob)
    await settled()
    expect([offers, bob.data().tags, await bob.getMedia()]).toEqual([[], ['second'], START])
    answering(pair.visitor)
    await bob.offerMedia(VOICE)
    await settled()
    expect([pair.visitor.data().mediaState.Voice, bob.data().mediaState.Voice]).toMatchObject([
      { tx: true, rx: true },
      { tx: true, rx: true },
    ])
    await endCleanly({ ...pair, agent: bob })
  })

  it('SND-7 LIFE-15 an offer of the next agent is asked about, and answered by its own callback alone, also under the number of one that nobody answered', async () => {
    const pair = await joined()
    const offers = asked(pair.visitor)
    for (let more = 0; more < 12; more++) await pair.visitor.sendText('hello')
    const first = watch(pair.agent.offerMedia(VOICE))
    await settled()
    const number = pair.world.contact.entries.length
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    const bob = await taken(pair, pair.visitor.id)
    const entries = (): number => pair.link.contacts.get(pair.visitor.id)?.entries.length ?? 0
    while (entries() < number - 1) await pair.visitor.sendText('hello')
    const second = watch(bob.offerMedia(offering({ Video: required })))
    await settled()
    expect([entries(), first.result, offers.length, pair.visitor.mediaState]).toEqual([
      number,
      { code: 'left' },
      2,
      'offered',
    ])
    offers[0]?.callback(null, { Chat: NATIVE })
    offers[0]?.callback('no')
    await settled()
    expect([second.result, pair.visitor.mediaState, pair.world.warnings]).toEqual([
      'pending',
      'offered',
      Array(2).fill('an answer was ignored; its offer is over'),
    ])
    offers[1]?.callback(null, { Chat: NATIVE, Video: CALL })
    await settled()
    expect(second.result).toEqual({ value: { ...START, Video: CALL } })
    await endCleanly({ ...pair, agent: bob })
  })

  it('LIFE-17 the part of the old agent is over: transferred is told, everything is given back, nothing can be sent', async () => {
    const pair = await inCall()
    const told = record(pair.agent, 'transferred', 'text', 'cleared', 'localleft')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    await pair.visitor.sendText('still there?')
    await settled()
    expect([told, fakeOf(pair.agent).carried]).toEqual([
      [['transferred', { id: 'contact-1', to: { toId, toTags: [] } }]],
      {},
    ])
    await expect(pair.agent.sendText('hello')).rejects.toMatchObject({ code: 'left' })
    expect(await pair.pages.agent.client.contacts()).toEqual([])
    await pair.visitor.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('LIFE-15 MED-17 what is pending with the old agent ends with peer_left', async () => {
    const pair = await joined()
    asked(pair.agent)
    const offering = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect(pair.visitor.mediaState).toBe('offering')
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect([offering.result, pair.visitor.mediaState, fakeOf(pair.visitor).carried]).toEqual([
      { code: 'peer_left' },
      'idle',
      {},
    ])
    await leaveBoth(pair)
  })

  it('LIFE-15 MED-17 an offer that the old contact never hears of ends with peer_left, and calls go on as ever', async () => {
    const pair = await joined()
    pair.link.lose({ name: 'log.append', slot: 'visitor' })
    const offering = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await pair.clock.advance(10_000)
    expect(offering.result).toEqual({ code: 'peer_left' })
    await expectCalls(pair)
  })

  it('LIFE-15 MED-17 an offer whose devices are asked for ends with peer_left at once, and the engine gives up the question', async () => {
    const pair = await joined()
    fakeOf(pair.visitor).script('prepare', 'hang').script('undo', 'freeze')
    const offering = watch(pair.visitor.offerMedia(VOICE))
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect(offering.result).toBe('pending')
    await pair.clock.advance(5_000)
    expect([offering.result, fakeOf(pair.visitor).calls.slice(-1)]).toEqual([{ code: 'peer_left' }, ['stop']])
    await expectCalls(pair)
    const { entries } = pair.link.contacts.get(pair.visitor.id) ?? { entries: [] }
    expect(entries.filter(({ type, slot }) => type === 'present' && slot === 'visitor').length).toBe(1)
  })

  it('LIFE-15 LOG-4 messages that the visitor writes while it happens reach the new agent, once and in order', async () => {
    const pair = await joined()
    pair.link.lose({ name: 'log.append', slot: 'visitor' })
    const first = pair.visitor.sendText('one')
    const second = pair.visitor.sendText('two')
    await settled()
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    const third = pair.visitor.sendText('three')
    await pair.clock.advance(60_000)
    await Promise.all([first, second, third])
    expect(pair.visitor.id).not.toBe('contact-1')
    const bob = await taken(pair, pair.visitor.id)
    const { entries } = pair.link.contacts.get(pair.visitor.id) ?? { entries: [] }
    expect(entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))).toEqual([
      'one',
      'two',
      'three',
    ])
    await endCleanly({ ...pair, agent: bob })
  })

  it('LIFE-15 RES-1 a visitor who is offline follows as soon as the connection is back', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'transferred', 'joined')
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await pair.clock.advance(5_000)
    expect(pair.visitor.id).toBe('contact-1')
    pair.link.faults = {}
    await pair.clock.advance(40_000)
    expect([pair.visitor.id, pair.visitor.mediaState]).toEqual([toId, 'idle'])
    const bob = await taken(pair, toId)
    expect(told.map(([name]) => name)).toEqual(['transferred', 'joined'])
    await endCleanly({ ...pair, agent: bob })
  })

  it('LIFE-15 a connection that breaks on the way is taken up again where the contact is', async () => {
    for (const name of ['contact.open', 'log.append'] as const) {
      const pair = await joined()
      pair.link.faults = {
        onMessage: ({ slot }, each, body) =>
          slot === 'visitor' && each === name && (body as { contact: string }).contact !== 'contact-1'
            ? 'drop'
            : 'pass',
      }
      const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
      await pair.clock.advance(3_000)
      pair.link.faults = {}
      await pair.clock.advance(40_000)
      expect([pair.visitor.id, pair.visitor.mediaState]).toEqual([toId, 'idle'])
      await endCleanly({ ...pair, agent: await taken(pair, toId) })
    }
  })

  it('LIFE-15 RES-1 a page that is loaded meanwhile finds the contact where it has gone', async () => {
    const pair = await joined()
    await pair.pages.visitor.client.close()
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    const { contact, resumed } = await pair.world.visitor({ tab: pair.tab }).client.resumeContact()
    await settled()
    expect([resumed, contact?.id, contact?.mediaState]).toEqual([true, toId, 'idle'])
    if (contact) await endCleanly({ ...pair, visitor: contact, agent: await taken(pair, toId) })
  })

  it('LIFE-15 RES-6 of two tabs the one that had the contact has it there as well, and the other follows', async () => {
    const pair = await joined()
    const { contact: newer } = await moveToTab(pair)
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect([pair.visitor.id, newer.id, pair.visitor.mediaState, newer.mediaState]).toEqual([
      toId,
      toId,
      'init',
      'idle',
    ])
    await pair.clock.advance(30_000)
    await pair.visitor.sendText('from the older')
    expect([pair.visitor.mediaState, newer.mediaState]).toEqual(['init', 'idle'])
    await newer.leave()
    await settled()
    expect(pair.visitor.mediaState).toBe('idle')
    await pair.visitor.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('LIFE-15 RES-6 a tab that follows has the contact where the other does not come', async () => {
    const pair = await joined()
    const page = pair.world.visitor()
    const { contact: newer } = await page.client.resumeContact()
    await newer?.takeOver()
    await settled()
    pair.link.faults = { onConnect: (party) => (party === page.party ? 'drop' : 'pass') }
    pair.link.cut(page.party)
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    expect(pair.visitor.mediaState).toBe('init')
    await pair.clock.advance(10_000)
    expect(pair.visitor.mediaState).toBe('idle')
    await page.client.close()
    await endCleanly({ ...pair, agent: await taken(pair, pair.visitor.id) })
  })

  it('LIFE-15 who leaves while it happens leaves the contact where it has gone', async () => {
    const pair = await joined()
    const leaving: Promise<void>[] = []
    pair.link.faults = {
      onMessage: ({ slot }, name) => {
        if (slot === 'visitor' && name === 'log.entries' && leaving.length === 0)
          leaving.push(pair.visitor.leave())
        return 'pass'
      },
    }
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await Promise.all(leaving)
    await settled()
    expect([pair.link.contacts.get(toId)?.state.life, pair.clock.pending]).toEqual(['cleared', 0])
  })

  it('LIFE-15 a contact that was over before the visitor could follow tells cleared', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'transferred', 'cleared')
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    const toId = await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    const bob = await taken(pair, toId)
    await bob.leave()
    expect(pair.link.contacts.get(toId)?.state.life).toBe('cleared')
    pair.link.faults = {}
    await pair.clock.advance(40_000)
    expect([told.map(([name]) => name), pair.clock.pending]).toEqual([['transferred', 'cleared'], 0])
  })

  it('LIFE-18 one that is not joined goes back to the queue under its own id', async () => {
    const pair = await joined()
    await pair.pages.agent.client.transfer(pair.visitor.id, { toTags: [] })
    await settled()
    const page = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
    const told = record(pair.visitor, 'declined')
    await page.client.accept(pair.visitor.id)
    const { id } = pair.visitor
    expect([await page.client.transfer(id, { toTags: [] }), pair.visitor.id]).toEqual([id, id])
    await settled()
    expect(told).toEqual([['declined', { id, user: 'agent-2', nick: 'Bob' }]])
    await pair.visitor.leave()
  })

  it.each([
    ['neither', {}],
    ['both', { toAgent: 'a', toTags: [] }],
    ['no list', { toTags: 'x' }],
    ['no text', { toTags: [1] }],
    ['no agent', { toAgent: 7 }],
    ['nothing', null],
    ['itself', { toAgent: 'agent-1' }],
  ])('LIFE-15 ERR-2 a target that makes no sense is invalid_argument: %s', async (_, to) => {
    const pair = await joined()
    await expect(pair.pages.agent.client.transfer('contact-1', to as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    expect(pair.visitor.id).toBe('contact-1')
    await endCleanly(pair)
  })

  it('LIFE-15 Chat that was off stays off', async () => {
    const pair = await joined({ initialOffer: {} })
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    const bob = await taken(pair, pair.visitor.id)
    expect([await bob.getMedia(), await pair.visitor.getMedia()]).toEqual([
      { Sharing: NATIVE },
      { Sharing: NATIVE },
    ])
    await endCleanly({ ...pair, agent: bob })
  })
})
