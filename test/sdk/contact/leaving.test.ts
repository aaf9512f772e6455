import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { NATIVE, OFF, joined, queued, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const CLOSED = { Sharing: OFF }
const TURNED_OFF = [
  'mediachange',
  {
    newMedia: CLOSED,
    diff: {
      added: { media: {}, engine: {} },
      removed: { media: { Sharing: 'Native', Chat: 'Native' }, engine: { Native: ['Sharing', 'Chat'] } },
      changed: { media: {}, engine: {} },
    },
  },
]

describe('leaving', () => {
  it.each([
    [0, 'cancel'],
    [9_999, 'cancel'],
    [10_000, 'abandon'],
    [60_000, 'abandon'],
  ])('LIFE-6 leaving the queue after %i ms is %s', async (waitMs, reason) => {
    const { world, visitor, told } = await queued()
    await world.clock.advance(waitMs)
    await visitor.leave('changed my mind')
    expect(told).toEqual([TURNED_OFF, ['localleft', { reason }], ['cleared', { id: 'contact-1', reason }]])
    expect(world.clock.pending).toBe(0)
  })

  it('LIFE-6 the log says why a visitor left the queue, and an agent who accepted cannot join any more', async () => {
    const { world, visitor } = await queued()
    await world.clock.advance(10_000)
    const agent = await world.agent().client.accept(visitor.id)
    await visitor.leave()
    await expect(agent.join()).rejects.toMatchObject({ code: 'left' })
    expect(world.contact.entries.slice(-2)).toMatchObject([
      {
        type: 'left',
        body: {
          slot: 'visitor',
          vvcu: 'visitor-1',
          reason: 'abandon',
          channels: { total: 0, vvcu: 0, user: 0 },
        },
      },
      { type: 'cleared', body: { reason: 'abandon' } },
    ])
  })

  it('LIFE-7 MED-34 a visitor who leaves a joined contact: localleft closed, left with vvcu, cleared 30 s later', async () => {
    const { visitor, agent, clock } = await joined()
    const [here, there] = [record(visitor), record(agent)]
    await visitor.leave()
    await settled()
    expect(here).toEqual([TURNED_OFF, ['localleft', { reason: 'closed' }]])
    const left = [
      'left',
      { id: 'contact-1', vvcu: 'visitor-1', reason: 'vvcu', channels: { total: 1, vvcu: 0, user: 1 } },
    ]
    expect(there).toEqual([left])
    await clock.advance(29_999)
    expect(there).toEqual([left])
    await clock.advance(1)
    expect(there).toEqual([left, TURNED_OFF, ['cleared', { id: 'contact-1', reason: 'user' }]])
    expect(clock.pending).toBe(0)
  })

  it('LIFE-7 a joined contact that the visitor left is cleared at once when the agent leaves', async () => {
    const { visitor, agent, clock } = await joined()
    await visitor.leave()
    const there = record(agent)
    await agent.leave()
    await settled()
    expect(there).toEqual([
      TURNED_OFF,
      ['localleft', { reason: 'user' }],
      ['cleared', { id: 'contact-1', reason: 'user' }],
    ])
    expect(clock.pending).toBe(0)
  })

  it('LIFE-8 LIFE-14 an agent who leaves gives user in localleft, left and cleared', async () => {
    const { visitor, agent, clock } = await joined()
    const [here, there] = [record(visitor), record(agent)]
    await agent.leave()
    await settled()
    expect(there).toEqual([
      TURNED_OFF,
      ['localleft', { reason: 'user' }],
      ['cleared', { id: 'contact-1', reason: 'user' }],
    ])
    expect(here).toEqual([
      [
        'left',
        { id: 'contact-1', user: 'agent-1', reason: 'user', channels: { total: 1, vvcu: 1, user: 0 } },
      ],
      TURNED_OFF,
      ['cleared', { id: 'contact-1', reason: 'user' }],
    ])
    expect(visitor.data()).toMatchObject({
      state: 'cleared',
      reason: 'user',
      channels: { total: 0, vvcu: 0, user: 0 },
    })
    expect(clock.pending).toBe(0)
  })

  it('LIFE-9 LIFE-10 a visitor who is silent for 60 s gives left with timeout, and cleared with disconnect 10 min later', async () => {
    const { agent, link, clock } = await joined()
    const there = record(agent, 'left', 'cleared')
    link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    link.cut('visitor')
    await clock.advance(59_999)
    expect(there).toEqual([])
    await clock.advance(1)
    const left = [
      'left',
      { id: 'contact-1', vvcu: 'visitor-1', reason: 'timeout', channels: { total: 1, vvcu: 0, user: 1 } },
    ]
    expect(there).toEqual([left])
    await clock.advance(599_999)
    expect(there).toEqual([left])
    await clock.advance(1)
    expect(there).toEqual([left, ['cleared', { id: 'contact-1', reason: 'disconnect' }]])
  })

  it('LIFE-9 LIFE-10 an agent who is silent for 60 s gives left with timeout, and the contact is queued again', async () => {
    const { visitor, link, clock } = await joined()
    const here = record(visitor, 'left', 'cleared', 'transferred')
    link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
    link.cut('agent')
    await clock.advance(60_000)
    expect(here).toEqual([
      [
        'left',
        { id: 'contact-1', user: 'agent-1', reason: 'timeout', channels: { total: 1, vvcu: 1, user: 0 } },
      ],
      ['transferred', { id: 'contact-1', to: { toId: 'contact-2' } }],
    ])
  })

  it('LIFE-11 a contact that waited too long is cleared with dissuasion', async () => {
    const { world, visitor, told } = await queued()
    await world.clock.advance(1_800_000)
    expect(told).toEqual([TURNED_OFF, ['cleared', { id: 'contact-1', reason: 'dissuasion' }]])
    await expect(visitor.sendText('hello?')).rejects.toMatchObject({ code: 'left' })
    expect(world.clock.pending).toBe(0)
  })

  it('LIFE-5 leave calls back when everything has stopped, a second time as well', async () => {
    const { visitor, agent } = await joined()
    const calls: unknown[] = []
    await visitor.leave('bye', (...args) => calls.push(args))
    await visitor.leave(undefined, (...args) => calls.push(args))
    expect(calls).toEqual([
      [null, undefined],
      [null, undefined],
    ])
    expect(visitor.mediaState).toBe('init')
    expect(await visitor.getMedia()).toEqual(CLOSED)
    await agent.leave()
    await agent.leave()
  })

  it('LIFE-5 leaving a second time does not disturb the next contact of the page', async () => {
    const { page, visitor } = await queued()
    await visitor.leave()
    const next = await page.client.createContact()
    await visitor.leave()
    expect(await next.sendText('still here')).toMatch(/^[0-9a-f]{32}$/)
  })

  it('LIFE-22 LIFE-19 nothing can be done with a contact that was left', async () => {
    const { visitor } = await joined()
    await visitor.leave()
    const media = await visitor.getMedia()
    const results = await Promise.allSettled([
      visitor.sendText('x'),
      visitor.sendLink('https://example.org'),
      visitor.sendAction('x'),
      visitor.offerMedia({}),
      visitor.mergeAndTransitMedia({}),
      visitor.transitMedia(media, media),
      visitor.join(),
    ])
    expect(
      results.map((result) =>
        result.status === 'rejected' ? (result.reason as { code: string }).code : result.status,
      ),
    ).toEqual(['left', 'left', 'left', 'left', 'left', 'left', 'left'])
    visitor.sendIsWriting()
    visitor.withdrawOffer()
  })

  it('LIFE-19 joining settles with left when the contact is left meanwhile, and nothing is announced', async () => {
    const { world, visitor } = await queued(new World({ isInspected: true }))
    const agent = await world.agent().client.accept(visitor.id)
    const joining = watch(agent.join())
    await agent.leave()
    await settled()
    expect(joining.result).toEqual({ code: 'left' })
    expect(world.entries).not.toContain('joined')
    expect(world.started.filter((id) => id.startsWith('media'))).toEqual(['media contact-1'])
    expect(world.clock.pending).toBe(1)
  })

  it('SND-311 LIFE-13 a medium that is turned off gives the other side left without reason and with unchanged counts', async () => {
    const { visitor, agent } = await joined()
    const [here, there] = [record(visitor, 'left'), record(agent, 'left')]
    await visitor.mergeAndTransitMedia({ Chat: OFF })
    await settled()
    const left = ['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } }]
    expect([here, there]).toEqual([[], [left]])
    expect(agent.data().mediaState).toEqual({ Sharing: NATIVE })
  })
})
