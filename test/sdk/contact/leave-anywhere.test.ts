import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { MediaTransitionState, Slot } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  OFF,
  VOICE,
  answering,
  asked,
  fakeOf,
  inCall,
  joined,
  leaveBoth,
  offering,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const MORE = offering({ Voice: required, Video: required })

/** How to come into a state, and what of the visitor's is pending then. */
interface Situation {
  readonly states: readonly [visitor: MediaTransitionState, agent: MediaTransitionState]
  readonly begin: (pair: Pair) => Promise<ReturnType<typeof watch>[]> | ReturnType<typeof watch>[]
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'nothing is going on': { states: ['idle', 'idle'], begin: () => [] },
  'a device is asked for': {
    states: ['offering', 'idle'],
    begin: ({ visitor }) => {
      fakeOf(visitor).script('prepare', 'hang')
      return [watch(visitor.offerMedia(MORE))]
    },
  },
  'an offer is on its way': {
    states: ['offering', 'idle'],
    begin: ({ visitor }) => [watch(visitor.offerMedia(offering({ Voice: required })))],
  },
  'an offer stands': {
    states: ['offering', 'offered'],
    begin: async ({ visitor, agent }) => {
      asked(agent)
      const result = watch(visitor.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'an offer waits for an answer': {
    states: ['offered', 'offering'],
    begin: async ({ visitor, agent }) => {
      asked(visitor)
      const result = watch(agent.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'an engine works': {
    states: ['transiting', 'transiting'],
    begin: async ({ visitor, agent }) => {
      answering(agent)
      fakeOf(visitor).script('transit', 'hang')
      const result = watch(visitor.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'an engine is frozen': {
    states: ['transiting', 'transiting'],
    begin: async ({ visitor, agent }) => {
      answering(agent)
      fakeOf(visitor).script('transit', 'freeze')
      const result = watch(visitor.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'the other engine works': {
    states: ['transiting', 'transiting'],
    begin: async ({ visitor, agent }) => {
      answering(agent)
      fakeOf(agent).script('transit', 'hang')
      const result = watch(visitor.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'an undo hangs': {
    states: ['transiting', 'idle'],
    begin: async ({ visitor, agent }) => {
      answering(agent)
      fakeOf(visitor).script('transit', 'media_failed').script('undo', 'freeze')
      const result = watch(visitor.offerMedia(MORE))
      await settled()
      return [result]
    },
  },
  'an engine has just broken': {
    states: ['init', 'idle'],
    begin: ({ visitor }) => {
      fakeOf(visitor).host?.report({ type: 'broke', error: new ContactError('engine_failed', 'gone') })
      return []
    },
  },
  'a hang-up is on its way': {
    states: ['offering', 'idle'],
    begin: ({ visitor }) => [watch(visitor.mergeAndTransitMedia({ Voice: OFF }))],
  },
  'a text is on its way': {
    states: ['idle', 'idle'],
    begin: ({ visitor }) => [watch(visitor.sendText('on its way').then(() => 'sent'))],
  },
  'the connection is broken': {
    states: ['offering', 'idle'],
    begin: ({ visitor, link }) => {
      link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
      link.cut('visitor')
      return [watch(visitor.sendText('unsent')), watch(visitor.offerMedia(MORE))]
    },
  },
}

describe.each(Object.entries(SITUATIONS))('leaving while %s', (what, { states, begin }) => {
  it.each(['visitor', 'agent'] as const)(
    'LIFE-19 LIFE-20 NEG-3 by the %s settles everything, stops every engine and leaves no timer',
    async (first) => {
      const pair = await inCall()
      const pending = await begin(pair)
      expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(states)
      const told = record(pair[first], 'mediachange', 'localleft', 'cleared')
      await pair[first].leave()
      expect(pair[first].mediaState).toBe('init')
      expect(fakeOf(pair[first]).calls.at(-1)).toBe('stop')
      await leaveBoth(pair)
      expect(pending.map(({ result }) => result)).not.toContain('pending')
      expect(told.filter(([name]) => name === 'localleft').length).toBe(1)
      expect(told.filter(([name]) => name === 'mediachange').length).toBeLessThanOrEqual(2)
      expect([fakeOf(pair.visitor).carried, fakeOf(pair.agent).carried]).toEqual([{}, {}])
      pair.link.faults = {}
      if (what !== 'the connection is broken') expect(pair.clock.pending).toBe(0)
      const before = [pair.visitor.data(), pair.agent.data()]
      await pair.clock.advance(1_000_000)
      expect([pair.visitor.data(), pair.agent.data()]).toEqual(before)
      expect(pair.clock.pending).toBe(0)
    },
  )
})

describe('what is pending', () => {
  it.each(['visitor', 'agent'] as const)('LIFE-19 settles with left for the %s who leaves', async (slot) => {
    const pair = await joined()
    const contact = pair[slot]
    const offer = watch(contact.offerMedia(VOICE))
    const calls: unknown[] = []
    await contact.sendText('x')
    void contact.offerMedia(VOICE, (error) => calls.push((error as ContactError | null)?.code))
    await contact.leave()
    await settled()
    expect([offer.result, calls]).toEqual([{ code: 'left' }, ['invalid_state']])
  })

  it('LIFE-19 settles with left for the party that stays when the contact is cleared', async () => {
    const pair = await joined()
    asked(pair.agent)
    const offer = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    await pair.agent.leave()
    await settled()
    expect(offer.result).toMatchObject({ code: expect.stringMatching(/^(left|peer_left)$/) as unknown })
    expect(pair.visitor.mediaState).toBe('init')
  })

  it('LIFE-19 NEG-3 an offer settles with peer_left when the other side leaves a contact that goes on', async () => {
    const pair = await joined()
    asked(pair.visitor)
    const offer = watch(pair.agent.offerMedia(VOICE))
    await settled()
    await pair.visitor.leave()
    await settled()
    expect([offer.result, pair.agent.mediaState]).toEqual([{ code: 'peer_left' }, 'idle'])
    await expect(pair.agent.offerMedia(VOICE)).rejects.toMatchObject({ code: 'peer_left' })
  })

  it('LIFE-5 leave waits for engines that take their time to stop, 15 s at most', async () => {
    const pair = await inCall()
    fakeOf(pair.visitor).stop = () => new Promise(() => {})
    const leaving = watch(pair.visitor.leave())
    await pair.clock.advance(14_999)
    expect(leaving.result).toBe('pending')
    await pair.clock.advance(1)
    expect(leaving.result).toEqual({ value: undefined })
  })

  it('LIFE-5 an engine that throws on stop does not keep anybody from leaving', async () => {
    const pair = await inCall()
    fakeOf(pair.visitor).stop = () => {
      throw new Error('no')
    }
    await pair.visitor.leave()
    expect(pair.visitor.mediaState).toBe('init')
  })

  it('LIFE-5 LIFE-19 while it leaves, a page answers no request and opens no channel', async () => {
    const pair = await inCall()
    const ran: unknown[] = []
    pair.visitor.on('Ping', (data, callback) => callback(null, ran.push(data)))
    await pair.agent.sendData('x', 1, undefined, 'sio')
    await pair.agent.request('Ping', 'early')
    await settled()
    const told = record(pair.visitor, 'datachannel', 'data', 'iswriting')
    pair.agent.sendIsWriting()
    watch(pair.agent.request('Ping', 'late'))
    watch(pair.agent.sendData('y', 2, undefined, 'sio'))
    await pair.visitor.leave()
    await settled()
    expect([ran, told]).toEqual([['early'], []])
  })

  it('LIFE-20 what engines do and say after leaving has no effect', async () => {
    const pair = await inCall()
    const engine = fakeOf(pair.visitor)
    await pair.visitor.leave()
    const told = record(pair.visitor)
    for (const event of [
      { type: 'data_changed', medium: 'Voice' },
      { type: 'capture_ended', medium: 'Voice' },
    ] as const)
      engine.host?.report(event)
    engine.host?.report({ type: 'broke', error: new ContactError('engine_failed', 'gone') })
    engine.host?.signal({ hello: true })
    await settled()
    expect(told).toEqual([])
    await pair.agent.leave()
    expect(pair.clock.pending).toBe(0)
  })

  it('LIFE-20 no listener remains: nothing of the link reaches a contact that was left', async () => {
    const world = new World()
    const page = world.visitor()
    const visitor = await page.client.createContact()
    const desk = world.agent()
    const agent = await desk.client.accept(visitor.id)
    await agent.join()
    await settled()
    await agent.leave()
    await settled()
    const told = record(agent)
    world.link.cut('agent')
    await world.clock.advance(10_000)
    expect(told).toEqual([])
    await desk.client.close()
    await page.client.close()
    expect(world.clock.pending).toBe(0)
  })

  it.each(['visitor', 'agent'] as Slot[])(
    'LIFE-20 closing the page of the %s drops the contact without leaving it',
    async (slot) => {
      const pair = await inCall()
      const told = record(pair[slot], 'localleft', 'cleared')
      const pending = watch(pair[slot].offerMedia(MORE))
      await pair.pages[slot].client.close()
      await settled()
      expect([told, pending.result, fakeOf(pair[slot]).carried]).toEqual([[], { code: 'left' }, {}])
      await pair[slot].leave()
      await expect(pair[slot].sendText('x')).rejects.toMatchObject({ code: 'left' })
      await expect(pair[slot].join()).rejects.toMatchObject({ code: 'left' })
      expect(pair.world.contact.state.life).toBe('joined')
      expect(pair.world.entries).not.toContain('cleared')
    },
  )
})
