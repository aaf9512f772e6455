import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { NATIVE, START, endCleanly, fakeOf, inCall, joined, record } from '../../support/contacts.ts'
import { taken } from '../../support/transfers.ts'

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
