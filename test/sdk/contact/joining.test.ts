import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { START, queued, record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const CARD = { user: 'agent-1', nick: 'Ada' }
const REMOTE = {
  Media: {
    Sharing: { Engines: { Native: true }, FileTransfer: true, MaxFileSize: 16_777_216, FileTypes: ['*/*'] },
    Chat: { Engines: { Native: true } },
    Voice: { Engines: { WebRTC: true } },
    Video: { Engines: { WebRTC: true } },
    Screen: { Engines: { WebRTC: true } },
  },
  Mobile: false,
  CoBrowsing: false,
}

describe('joining', () => {
  it('LIFE-1 createContact resolves with a contact that is queued, entered and can be written to', async () => {
    const { world, visitor } = await queued()
    expect({
      id: visitor.id,
      role: visitor.role,
      secure: visitor.secure,
      state: visitor.mediaState,
      entries: world.entries,
    }).toEqual({
      id: 'contact-1',
      role: 'visitor',
      secure: false,
      state: 'idle',
      entries: ['present'],
    })
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
      files: { maxFileSize: 16_777_216, types: ['*/*'] },
    })
  })

  it('LIFE-2 join before assignment fails with not_assigned, with force it does not wait for one', async () => {
    const { visitor } = await queued()
    const calls: unknown[] = []
    await visitor.join((error) => calls.push(error?.code ?? null))
    await visitor.join((error) => calls.push(error?.code ?? null), true)
    await expect(visitor.join()).rejects.toMatchObject({
      name: 'ContactError',
      code: 'not_assigned',
      retryable: false,
    })
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
    expect(visitor.data()).toMatchObject({
      state: 'joined',
      agent: CARD,
      channels: { total: 2, vvcu: 1, user: 1 },
    })
  })

  it('LIFE-4 joined carries the avatar where there is one', async () => {
    const { world, visitor, told } = await queued()
    const avatar = { base_url: 'http://localhost/avatars/', images: [{ size: '64', file: 'ada.png' }] }
    await (await world.agent({ avatar }).client.accept(visitor.id)).join()
    await settled()
    expect(told.filter(([name]) => name === 'joined')).toEqual([
      ['joined', { id: 'contact-1', ...CARD, avatar }],
    ])
  })

  it('LIFE-4 the agent is told what happened before joining, as events after joining', async () => {
    const { world, visitor } = await queued()
    const id = await visitor.sendText('first')
    const agent = await world.agent().client.accept(visitor.id)
    const told = record(agent)
    expect(agent.mediaState).toBe('init')
    await agent.join()
    expect(told).toEqual([])
    await settled()
    expect(told).toEqual([
      ['capabilities', REMOTE],
      ['text', { text: 'first', id, ts: 0, from_id: 'visitor-1', from_nick: 'Vera', agent: false }],
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
