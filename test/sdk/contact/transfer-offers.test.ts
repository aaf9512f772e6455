import { describe, expect, it } from 'vitest'
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
  joined,
  leaveBoth,
  offering,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'
import { taken } from '../../support/transfers.ts'

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
})
