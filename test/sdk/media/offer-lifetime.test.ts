import { describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { TestClock, createTestContact, settled } from '../../../testing/index.ts'
import { CALL, VOICE, asked, joined, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

describe('withdrawing, glare and time', () => {
  it('MED-11 an offer that nobody answers lapses after 60 s, on both sides', async () => {
    const { visitor, agent, clock, world } = await joined()
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(VOICE))
    await clock.advance(59_999)
    expect([result.result, visitor.mediaState, agent.mediaState]).toEqual(['pending', 'offering', 'offered'])
    await clock.advance(1)
    expect([result.result, visitor.mediaState, agent.mediaState]).toEqual([
      { code: 'timeout' },
      'idle',
      'idle',
    ])
    expect(world.contact.entries.at(-1)).toMatchObject({ type: 'withdraw', body: { reason: 'timeout' } })
    offers[0]?.callback(null, { Voice: CALL })
    await settled()
    expect(clock.pending).toBe(0)
  })

  it('MED-11 an offer whose lifetime is over before it is read back is taken back as soon as it stands', async () => {
    const { visitor, agent, clock, link, world } = await joined()
    const offers = asked(agent)
    const away = {
      onConnect: ({ slot }: { slot: string }) => (slot === 'visitor' ? ('drop' as const) : ('pass' as const)),
    }
    link.faults = away
    link.cut('visitor')
    const result = watch(visitor.offerMedia(VOICE))
    await clock.advance(30_000)
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'log.append' ? 'drop' : 'pass'),
    }
    await clock.advance(3_000)
    link.faults = away
    link.cut('visitor')
    await clock.advance(32_000)
    expect([result.result, visitor.mediaState]).toEqual(['pending', 'offering'])
    link.faults = {}
    await clock.advance(2_000)
    expect([result.result, visitor.mediaState, agent.mediaState, world.entries.slice(-2)]).toEqual([
      { code: 'timeout' },
      'idle',
      'idle',
      ['offer', 'withdraw'],
    ])
    expect(offers.length).toBeLessThanOrEqual(1)
  })

  it('MED-12 the answering side rejects by itself after 65 s where the offerer is frozen', async () => {
    const world = new World()
    const visitor = await world.visitor({ clock: new TestClock() }).client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    await settled()
    asked(agent)
    const result = watch(visitor.offerMedia(VOICE))
    await world.clock.advance(64_999)
    expect([visitor.mediaState, agent.mediaState]).toEqual(['offering', 'offered'])
    await world.clock.advance(1)
    expect([visitor.mediaState, agent.mediaState, result.result]).toEqual([
      'idle',
      'idle',
      { code: 'rejected' },
    ])
    expect(world.contact.entries.at(-1)).toMatchObject({ type: 'reject', body: { reason: 'expired' } })
  })

  it.each([10_000, 300_000])(
    'MED-11 an offer with a lifetime of %i ms lapses when that is over',
    async (offerLifetime) => {
      const { visitor, agent, clock } = await createTestContact({ offerLifetime })
      asked(agent)
      const result = watch(visitor.offerMedia(VOICE))
      await clock.advance(offerLifetime - 1)
      expect([result.result, visitor.mediaState, agent.mediaState]).toEqual([
        'pending',
        'offering',
        'offered',
      ])
      await clock.advance(1)
      expect([result.result, visitor.mediaState, agent.mediaState]).toEqual([
        { code: 'timeout' },
        'idle',
        'idle',
      ])
    },
  )

  it.each([10_000, 300_000])(
    'MED-12 the answering side waits 5 s longer than the lifetime of %i ms that the offerer named',
    async (offerLifetime) => {
      const world = new World()
      const visitor = await world.visitor({ clock: new TestClock(), offerLifetime }).client.createContact()
      const agent = await world.agent().client.accept(visitor.id)
      await agent.join()
      await settled()
      asked(agent)
      const result = watch(visitor.offerMedia(VOICE))
      await world.clock.advance(offerLifetime + 4_999)
      expect([visitor.mediaState, agent.mediaState]).toEqual(['offering', 'offered'])
      await world.clock.advance(1)
      expect([visitor.mediaState, agent.mediaState, result.result]).toEqual([
        'idle',
        'idle',
        { code: 'rejected' },
      ])
    },
  )

  it.each([9_999, 300_001, 60_000.5, Number.NaN, '60000' as never, null as never])(
    'MED-11 a lifetime of %j is refused with invalid_argument',
    (offerLifetime) => {
      const service = 'http://localhost'
      expect(() => createClient({ service, offerLifetime })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
      expect(() => createAgent({ service, token: 'x', offerLifetime })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
    },
  )
})
