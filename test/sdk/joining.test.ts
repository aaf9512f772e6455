import { describe, expect, it } from 'vitest'
import { settled } from '../../testing/index.ts'
import { NATIVE, OFF, START, World, joined, record, watch } from '../support/contacts.ts'

const CARD = { user: 'agent-1', nick: 'Ada' }
const REMOTE = { Media: { Sharing: { Engines: { Native: true } }, Chat: { Engines: { Native: true } }, Voice: { Engines: { WebRTC: true } }, Video: { Engines: { WebRTC: true } }, Screen: { Engines: { WebRTC: true } } }, Mobile: false, CoBrowsing: false }
const CLOSED = { Sharing: OFF }
const TURNED_OFF = ['mediachange', { newMedia: CLOSED, diff: { added: { media: {}, engine: {} }, removed: { media: { Sharing: 'Native', Chat: 'Native' }, engine: { Native: ['Sharing', 'Chat'] } }, changed: { media: {}, engine: {} } } }]

async function queued() {
  const world = new World()
  const page = world.visitor()
  const visitor = await page.client.createContact({ nick: 'Vera' })
  await settled()
  return { world, page, visitor, told: record(visitor) }
}

describe('joining', () => {
  it('LIFE-1 createContact resolves with a contact that is queued, entered and can be written to', async () => {
    const { world, visitor } = await queued()
    expect({ id: visitor.id, role: visitor.role, secure: visitor.secure, state: visitor.mediaState, entries: world.entries }).toEqual({ id: 'contact-1', role: 'visitor', secure: false, state: 'idle', entries: ['present'] })
    expect(await visitor.sendText('anybody here?')).toMatch(/^[0-9a-f]{32}$/)
    expect(world.entries).toEqual(['present', 'text'])
  })

  it('LIFE-1 FORM-1 data() is the record as last read', async () => {
    const { visitor } = await queued()
    expect(visitor.data()).toEqual({
      id: 'contact-1',
      state: 'queued',
      created: '1970-01-01T00:00:00.000Z',
      visit: {},
      visitor: { id: 'visitor-1', nick: 'Vera' },
      tags: [],
      data: [],
      mediaState: START,
      secure: false,
      transcript: { messages: 0 },
      channels: { total: 1, vvcu: 1, user: 0 },
    })
  })

  it('LIFE-2 join before assignment fails with not_assigned, with force it does not wait for one', async () => {
    const { visitor } = await queued()
    const calls: unknown[] = []
    await visitor.join((error) => calls.push(error?.code ?? null))
    await visitor.join((error) => calls.push(error?.code ?? null), true)
    await expect(visitor.join()).rejects.toMatchObject({ name: 'ContactError', code: 'not_assigned', retryable: false })
    expect(calls).toEqual(['not_assigned', null])
  })

  it('LIFE-3 LIFE-4 the visitor is told who was assigned, and that they joined', async () => {
    const { world, visitor, told } = await queued()
    const agent = await world.agent().client.accept(visitor.id)
    await settled()
    expect(told).toEqual([['assigned', { id: 'contact-1', ...CARD }]])
    await visitor.join()
    await agent.join()
    await settled()
    expect(told).toEqual([
      ['assigned', { id: 'contact-1', ...CARD }],
      ['capabilities', REMOTE],
      ['joined', { id: 'contact-1', ...CARD }],
    ])
    expect(visitor.data()).toMatchObject({ state: 'joined', agent: CARD, channels: { total: 2, vvcu: 1, user: 1 } })
  })

  it('LIFE-4 joined carries the avatar where there is one', async () => {
    const { world, visitor, told } = await queued()
    const avatar = { base_url: 'http://localhost/avatars/', images: [{ size: '64', file: 'ada.png' }] }
    await (await world.agent({ avatar }).client.accept(visitor.id)).join()
    await settled()
    expect(told.filter(([name]) => name === 'joined')).toEqual([['joined', { id: 'contact-1', ...CARD, avatar }]])
  })

  it('LIFE-4 the agent is told what happened before joining, as events after joining', async () => {
    const { world, visitor } = await queued()
    await visitor.sendText('first')
    const agent = await world.agent().client.accept(visitor.id)
    const told = record(agent)
    expect(agent.mediaState).toBe('init')
    await agent.join()
    expect(told).toEqual([])
    await settled()
    expect(told).toEqual([
      ['capabilities', REMOTE],
      ['text', { text: 'first', from_id: 'visitor-1', from_nick: 'Vera', agent: false }],
      ['assigned', { id: 'contact-1', ...CARD }],
      ['joined', { id: 'contact-1', ...CARD }],
    ])
  })

  it('LOG-10 events start in the task after createContact resolved', async () => {
    const world = new World()
    const desk = world.agent().client
    desk.on('distribution', ({ id }) => void desk.accept(id).then((agent) => agent.join()))
    await desk.ready()
    const visitor = await world.visitor().client.createContact()
    const told = record(visitor, 'assigned', 'joined')
    await Promise.resolve()
    await settled()
    expect(told.map(([name]) => name)).toEqual(['assigned', 'joined'])
  })

  it('LIFE-22 an agent who accepted and has not joined cannot send yet', async () => {
    const { world, visitor } = await queued()
    const agent = await world.agent().client.accept(visitor.id)
    await expect(agent.sendText('too early')).rejects.toMatchObject({ code: 'not_joined' })
    await expect(agent.offerMedia({})).rejects.toMatchObject({ code: 'not_joined' })
    expect(world.entries).toEqual(['present', 'assigned'])
  })

  it('LIFE-2 join that failed while the service was away succeeds when it is back', async () => {
    const { world, visitor } = await queued()
    const page = world.agent()
    const agent = await page.client.accept(visitor.id)
    world.link.lose({ slot: 'agent', name: 'contact.open' })
    await expect(agent.join()).rejects.toMatchObject({ code: 'offline', retryable: true })
    await world.clock.advance(5_000)
    await agent.join()
    await settled()
    expect(world.entries).toEqual(['present', 'assigned', 'present', 'joined'])
  })

  it('LIFE-18 an agent who declines an offered contact gives declined, and the contact keeps its id', async () => {
    const { world, visitor, told } = await queued()
    await world.agent().client.decline(visitor.id)
    await settled()
    expect(told).toEqual([['declined', { id: 'contact-1', ...CARD }]])
    await (await world.agent({ id: 'agent-2', nick: 'Bea' }).client.accept(visitor.id)).join()
    await settled()
    expect(told.map(([name]) => name)).toEqual(['declined', 'assigned', 'capabilities', 'joined'])
  })

  it('LIFE-18 an assigned agent who does not join within a minute gives declined', async () => {
    const { world, visitor, told } = await queued()
    await world.agent().client.accept(visitor.id)
    await world.clock.advance(60_000)
    expect(told.at(-1)).toEqual(['declined', { id: 'contact-1', ...CARD }])
    expect(visitor.data()).toMatchObject({ state: 'queued' })
    expect(visitor.data()).not.toHaveProperty('agent')
  })
})

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
    expect(told).toEqual([
      TURNED_OFF,
      ['localleft', { reason }],
      ['cleared', { id: 'contact-1', reason }],
    ])
    expect(world.clock.pending).toBe(0)
  })

  it('LIFE-6 the log says why a visitor left the queue, and an agent who accepted cannot join any more', async () => {
    const { world, visitor } = await queued()
    await world.clock.advance(10_000)
    const agent = await world.agent().client.accept(visitor.id)
    await visitor.leave()
    await expect(agent.join()).rejects.toMatchObject({ code: 'left' })
    expect(world.contact.entries.slice(-2)).toMatchObject([
      { type: 'left', body: { slot: 'visitor', vvcu: 'visitor-1', reason: 'abandon', channels: { total: 0, vvcu: 0, user: 0 } } },
      { type: 'cleared', body: { reason: 'abandon' } },
    ])
  })

  it('LIFE-7 MED-34 a visitor who leaves a joined contact: localleft closed, left with vvcu, cleared 30 s later', async () => {
    const { visitor, agent, clock } = await joined()
    const [here, there] = [record(visitor), record(agent)]
    await visitor.leave()
    await settled()
    expect(here).toEqual([TURNED_OFF, ['localleft', { reason: 'closed' }]])
    const left = ['left', { id: 'contact-1', vvcu: 'visitor-1', reason: 'vvcu', channels: { total: 1, vvcu: 0, user: 1 } }]
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
    expect(there).toEqual([TURNED_OFF, ['localleft', { reason: 'user' }], ['cleared', { id: 'contact-1', reason: 'user' }]])
    expect(clock.pending).toBe(0)
  })

  it('LIFE-8 LIFE-14 an agent who leaves gives user in localleft, left and cleared', async () => {
    const { visitor, agent, clock } = await joined()
    const [here, there] = [record(visitor), record(agent)]
    await agent.leave()
    await settled()
    expect(there).toEqual([TURNED_OFF, ['localleft', { reason: 'user' }], ['cleared', { id: 'contact-1', reason: 'user' }]])
    expect(here).toEqual([
      ['left', { id: 'contact-1', user: 'agent-1', reason: 'user', channels: { total: 1, vvcu: 1, user: 0 } }],
      TURNED_OFF,
      ['cleared', { id: 'contact-1', reason: 'user' }],
    ])
    expect(visitor.data()).toMatchObject({ state: 'cleared', reason: 'user', channels: { total: 0, vvcu: 0, user: 0 } })
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
    const left = ['left', { id: 'contact-1', vvcu: 'visitor-1', reason: 'timeout', channels: { total: 1, vvcu: 0, user: 1 } }]
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
      ['left', { id: 'contact-1', user: 'agent-1', reason: 'timeout', channels: { total: 1, vvcu: 1, user: 0 } }],
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
    expect(calls).toEqual([[null, undefined], [null, undefined]])
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

  it('LIFE-5 leave works while the service cannot be reached', async () => {
    const { visitor, link, clock } = await joined()
    const told = record(visitor, 'localleft')
    link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    link.cut('visitor')
    await visitor.leave()
    expect(told).toEqual([['localleft', { reason: 'closed' }]])
    await clock.advance(1_000_000)
    expect(clock.pending).toBe(0)
  })

  it('LIFE-22 LIFE-19 nothing can be done with a contact that was left', async () => {
    const { visitor } = await joined()
    await visitor.leave()
    const media = await visitor.getMedia()
    const results = await Promise.allSettled([visitor.sendText('x'), visitor.sendLink('https://example.org'), visitor.sendAction('x'), visitor.offerMedia({}), visitor.mergeAndTransitMedia({}), visitor.transitMedia(media, media), visitor.join()])
    expect(results.map((result) => (result.status === 'rejected' ? (result.reason as { code: string }).code : result.status))).toEqual(['left', 'left', 'left', 'left', 'left', 'left', 'left'])
    visitor.sendIsWriting()
    visitor.withdrawOffer()
  })

  it('LIFE-19 joining settles with left when the contact is left meanwhile, and nothing is announced', async () => {
    const { world, visitor } = await queued()
    const agent = await world.agent().client.accept(visitor.id)
    const joining = watch(agent.join())
    await agent.leave()
    await settled()
    expect(joining.result).toEqual({ code: 'left' })
    expect(world.entries).not.toContain('joined')
    expect(world.clock.pending).toBe(1)
  })

  it('LIFE-13 a medium that is turned off gives left without reason and with unchanged counts', async () => {
    const { visitor, agent } = await joined()
    const [here, there] = [record(visitor, 'left'), record(agent, 'left')]
    await visitor.mergeAndTransitMedia({ Chat: OFF })
    await settled()
    const left = ['left', { id: 'contact-1', vvcu: 'visitor-1', channels: { total: 2, vvcu: 1, user: 1 } }]
    expect([here, there]).toEqual([[left], [left]])
    expect(agent.data().mediaState).toEqual({ Sharing: NATIVE })
  })
})
