import { describe, expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import type { FakeEngine } from '../../../testing/index.ts'
import { settled } from '../../../testing/index.ts'
import { CALL, endCleanly, fakeOf, inCall, joined, openTab, required } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { pair } from './compat-pair.ts'

const BOTH = { tx: 'required', rx: 'required' } as const

describe('clients of the positional style', () => {
  it('SND-308 declined, joined and transferred hand one object', async () => {
    const world = new World()
    const page = world.visitor()
    const contact = compat(await page.client.createContact())
    const told: unknown[][] = []
    for (const name of ['joined', 'declined', 'transferred'] as const)
      contact.on(name, (...args) => void told.push([name, ...args]))
    const agent = world.agent()
    const accepted = await agent.client.accept(contact.id)
    await agent.client.decline(contact.id)
    await settled()
    expect(accepted.id).toBe('contact-1')
    await (await agent.client.accept(contact.id)).join()
    await settled()
    const toId = await agent.client.transfer(contact.id, { toTags: ['x'] })
    await settled()
    const ada = { id: 'contact-1', user: 'agent-1', nick: 'Ada' }
    expect(told).toEqual([
      ['declined', ada],
      ['joined', ada],
      ['transferred', { id: 'contact-1', to: { toId, toTags: ['x'] } }],
    ])
  })

  it('SND-313 SND-308 on and once give what takes the handler off, which has the methods of the contact, and take a signal', async () => {
    const { contact, agent } = await pair()
    const told: string[] = []
    const view = new AbortController()
    const first = contact.on('text', (text) => void told.push(`first ${text}`))
    const second = first
      .on('text', (text) => void told.push(`second ${text}`), { signal: view.signal })
      .once('text', (text) => void told.push(`once ${text}`))
    expect([typeof first, typeof second, first.id, first.mediaState]).toEqual([
      'function',
      'function',
      'contact-1',
      'idle',
    ])
    await agent.sendText('1')
    await settled()
    view.abort()
    await agent.sendText('2')
    await settled()
    first()
    const raw = contact.on('rawmessage', ({ body }) => void told.push(`raw ${body}`))
    await agent.sendText('3')
    raw()
    await agent.sendText('4')
    await settled()
    expect(told).toEqual(['first 1', 'second 1', 'once 1', 'first 2', 'raw 3'])
    const channel = await contact.getDataChannel('pointer', 'sio')
    expect(typeof channel.on('data', () => {})).toBe('function')
  })

  it('SND-308 getMediaEngine gives a Promise of the engine that has its own methods, and of undefined for an unknown id', async () => {
    const { contact, visitor } = await pair()
    const own = visitor.getMediaEngine('WebRTC')
    const engine = contact.getMediaEngine<FakeEngine>('WebRTC')
    expect([
      await engine,
      engine.id,
      await contact.getMediaEngine('None'),
      contact.getMediaEngine('None').id,
    ]).toEqual([own, 'WebRTC', undefined, undefined])
    expect([
      own === (await engine),
      'muteLocalAudio' in engine,
      'then' in engine,
      'muteLocalAudio' in contact.getMediaEngine('None'),
    ]).toEqual([true, true, true, false])
    const { calls } = fakeOf(visitor)
    await engine.stop()
    await engine.then((one) => one?.stop())
    expect(calls.filter((call) => call === 'stop')).toHaveLength(2)
    engine.carried = { Voice: CALL }
    expect(fakeOf(visitor).carried).toEqual({ Voice: CALL })
    expect(await engine.finally(() => {}).catch(() => 'failed')).toBe(own)
  })

  it('SND-308 a client of this style ignores Sharing in the first offer, and gives contacts of this style', async () => {
    const world = new World()
    const page = world.visitor()
    const client = compat(page.client)
    expect(compat(page.client)).toBe(client)
    const initialOffer = { Sharing: BOTH, Chat: BOTH, Voice: { ...BOTH, via: 'net', engine: 'WebRTC' } }
    const contact = await client.createContact({ nick: 'Vera', initialOffer })
    const offers: unknown[] = []
    const agent = await world.agent().client.accept(contact.id)
    agent.on('mediaoffer', ({ offer }) => void offers.push(offer))
    await agent.join()
    await settled()
    expect([contact.data().initialOffer, offers.length, Object.keys(initialOffer)]).toEqual([
      expect.not.objectContaining({ Sharing: expect.anything() }),
      1,
      ['Sharing', 'Chat', 'Voice'],
    ])
    expect(await client.resumeContact()).toEqual({ contact, resumed: false })
    await client.close()
    await expect(client.createContact()).rejects.toMatchObject({ code: 'left' })
    await expect(
      client.createContact({ initialOffer: new Proxy({}, { ownKeys: () => expect.fail('a trap') }) }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await compat(new World().visitor().client).resumeContact()).toEqual({
      contact: null,
      resumed: false,
    })
  })
})

describe('more of what such clients call', () => {
  it('SND-308 send: a text, or an action of that type', async () => {
    const { contact, agent } = await pair()
    const told: unknown[] = []
    agent.on('text', ({ text }) => void told.push(text))
    agent.on('action', ({ action_code, args }) => void told.push([action_code, args]))
    const called: unknown[] = []
    await contact.send(
      { type: 'text', body: 'Guten Tag', lang: 'de' },
      (error, id) => void called.push([error, typeof id]),
    )
    await contact.send({ type: 'Show', body: { lamp: 'oak' } })
    await contact.send({ type: 'Beep' })
    await contact.send({ type: 'text', body: '' }, (error) => void called.push(error?.code))
    await settled()
    expect([told, called]).toEqual([
      ['Guten Tag', ['Show', [{ lamp: 'oak' }]], ['Beep', []]],
      [[null, 'string'], 'invalid_argument'],
    ])
    for (const bad of [null, 'text', {}, { type: 'no good' }, { type: 'text', body: { a: 1 } }]) {
      await expect(contact.send(bad as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    }
  })

  it('SND-308 release leaves without waiting, whatever comes of it', async () => {
    const { contact, agent } = await pair()
    const told: unknown[] = []
    agent.on('left', ({ reason }) => void told.push(reason))
    expect(contact.release('the page closes')).toBe(undefined)
    contact.release({} as never)
    await settled()
    expect(told).toEqual(['vvcu'])
  })

  it('SND-308 channel tells whether this page is connected, and gives its part back', async () => {
    const all = await joined()
    const contact = compat(all.visitor)
    const { channel } = contact
    expect(channel.isConnected()).toBe(true)
    all.link.faults = { onConnect: () => 'drop' }
    all.link.cut('visitor')
    await settled()
    expect(channel.isConnected()).toBe(false)
    all.link.faults = {}
    await all.clock.advance(60_000)
    expect(channel.isConnected()).toBe(true)
    channel.disconnect()
    channel.disconnect()
    await settled()
    expect([channel.isConnected(), all.agent.data().state]).toEqual([false, 'joined'])
    const again = await openTab(all, all.tab)
    expect(compat(again.contact).channel.isConnected()).toBe(true)
  })

  it('SND-308 getMediaStream gives the streams of what is on', async () => {
    const all = await inCall({ Voice: required, Video: required })
    const contact = compat(all.visitor)
    const [sent, received] = [{}, {}] as MediaStream[]
    const engine = fakeOf(all.visitor)
    engine.data = () => ({ Voice: { tx_stream: sent, rx_stream: received }, Video: { rx_stream: received } })
    expect([
      contact.getMediaStream('audio', 'tx') === sent,
      contact.getMediaStream('audio', 'rx') === received,
      contact.getMediaStream('video', 'rx') === received,
    ]).toEqual([true, true, true])
    expect([contact.getMediaStream('video', 'tx'), contact.getMediaStream('screen', 'rx')]).toEqual([
      null,
      null,
    ])
    engine.data = () => expect.fail('the engine')
    expect(contact.getMediaStream('audio', 'rx')).toBe(null)
    expect(() => contact.getMediaStream('Voice' as never, 'rx')).toThrowError(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(() => contact.getMediaStream('audio', 'both' as never)).toThrowError(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    await endCleanly(all)
  })
})
