import { describe, expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import type { CompatContact } from '../../../sdk/compat/index.ts'
import { settled } from '../../../testing/index.ts'
import { CALL, START, VOICE } from '../../support/contacts.ts'
import { pair } from './compat-pair.ts'

/** What the handlers of some events are called with. */
function heard(contact: CompatContact, ...names: readonly string[]): unknown[][] {
  const calls: unknown[][] = []
  for (const name of names) contact.on(name, (...args: unknown[]) => void calls.push([name, ...args]))
  return calls
}

describe('the compatibility entry', () => {
  it('PKG-11 messages and typing come as positional arguments', async () => {
    const { contact, agent } = await pair()
    const calls = heard(
      contact,
      'text',
      'localtext',
      'link',
      'locallink',
      'action',
      'iswriting',
      'localiswriting',
      'ack',
    )
    const ref = await contact.sendText('Good morning')
    await agent.sendText('Hello')
    await agent.sendLink('https://example.org/', 'a page')
    await contact.sendLink('https://example.org/mine')
    await agent.sendAction('Blink', ['twice'])
    agent.sendIsWriting()
    contact.sendIsWriting()
    await settled()
    const from = ['agent-1', 'Ada', true]
    expect(calls.filter(([name]) => name !== 'ack')).toEqual([
      ['localtext', 'Good morning'],
      ['text', 'Hello', ...from],
      ['link', 'https://example.org/', 'agent-1', 'Ada', 'a page', true],
      ['locallink', 'https://example.org/mine', undefined],
      ['action', 'Blink', ['twice'], ...from],
      ['localiswriting'],
      ['iswriting', ...from],
    ])
    agent.on('text', () => {})
    const again = await contact.sendText('heard')
    await settled()
    expect([ref === again, calls.at(-1)]).toEqual([false, ['ack', again, ...from]])
  })

  it('PKG-11 SND-308 membership and capabilities come as the one object', async () => {
    const { contact, agent } = await pair()
    const calls = heard(contact, 'left', 'localleft', 'cleared', 'capabilities')
    await agent.setLocalCapability('Custom', 1)
    await settled()
    await agent.leave()
    await settled()
    expect(calls).toEqual([
      ['capabilities', expect.objectContaining({ Custom: 1 })],
      [
        'left',
        { id: 'contact-1', user: 'agent-1', reason: 'user', channels: { total: 1, vvcu: 1, user: 0 } },
      ],
      ['cleared', { id: 'contact-1', reason: 'user' }],
    ])
  })

  it('PKG-11 offers come with their callback, media changes with their difference', async () => {
    const { contact, agent } = await pair()
    const calls = heard(contact, 'mediachange')
    contact.on('mediaoffer', (offer, callback) =>
      callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: offer.Voice?.tx !== 'off', rx: true } }),
    )
    await agent.offerMedia(VOICE)
    await settled()
    expect(calls).toEqual([
      [
        'mediachange',
        { ...START, Voice: { ...CALL, data: { slot: 'visitor' } } },
        {
          added: { media: { Voice: 'WebRTC' }, engine: { WebRTC: ['Voice'] } },
          removed: { media: {}, engine: {} },
          changed: { media: {}, engine: {} },
        },
      ],
    ])
    expect([contact.mediaState, contact.id, contact.role, contact.secure, contact.getMediaState()]).toEqual([
      'idle',
      'contact-1',
      'visitor',
      false,
      'idle',
    ])
  })

  it('PKG-11 data comes with its channel, on the contact and on the channel, whose handlers are positional, too', async () => {
    const { contact, agent } = await pair()
    const opened: string[] = []
    const onChannel: unknown[][] = []
    const calls = heard(contact, 'data')
    contact.on('datachannel', (channel) => {
      opened.push(channel.id)
      channel
        .on('data', (...args) => void onChannel.push(args))
        .on('moved', (...args) => void onChannel.push(args))
    })
    await agent.sendData('pointer', { x: 1 }, undefined, 'sio')
    await agent.sendData('pointer', { x: 2 }, 'moved', 'sio')
    await settled()
    expect([opened, onChannel, calls]).toEqual([
      ['pointer'],
      [
        ['pointer', { x: 1 }, undefined],
        ['pointer', { x: 2 }, 'moved'],
      ],
      [['data', 'pointer', undefined, { x: 1 }]],
    ])
    expect(await contact.getDataChannel('pointer', 'sio')).toBe(
      await contact.getDataChannel('pointer', 'sio'),
    )
  })

  /**
   * Properties of each event in the order in which the contract lists them; those that hand over one object
   * are not here.
   */
  const ORDER: Readonly<Record<string, string>> = {
    text: 'text from_id from_nick agent',
    localtext: 'text',
    link: 'url from_id from_nick desc agent',
    locallink: 'url desc',
    attachment: 'url meta from_id from_nick agent',
    iswriting: 'from_id from_nick agent',
    localiswriting: '',
    ack: 'ref from_id from_nick agent',
    action: 'action_code args from_id from_nick agent',
    localleft: 'reason',
    data: 'channel topic data',
    mediaoffer: 'offer callback',
    mediachange: 'newMedia diff',
  }

  it('PKG-11 every event of the contract comes in its order, whatever else its object has; membership and capabilities as the one object', () => {
    const handlers = new Map<string, (event: unknown) => void>()
    const source = {
      on: (name: string, handler: (event: unknown) => void) => void handlers.set(name, handler),
      off: () => {},
      once: () => {},
    }
    const contact = compat(source as unknown as Parameters<typeof compat>[0])
    for (const [name, order] of Object.entries(ORDER)) {
      const [calls, names] = [heard(contact, name), order.split(' ').filter(Boolean)]
      handlers.get(name)?.(
        Object.fromEntries([...names.toReversed(), 'more'].map((property) => [property, `the ${property}`])),
      )
      expect(calls).toEqual([
        [
          name,
          ...names.map((property) => (property === 'callback' ? expect.any(Function) : `the ${property}`)),
        ],
      ])
    }
    for (const name of [
      'joined',
      'cleared',
      'transferred',
      'declined',
      'left',
      'capabilities',
      'localcapabilities',
      'assigned',
      'queue',
      'error',
    ]) {
      const [calls, event] = [heard(contact, name), { id: 'x' }]
      handlers.get(name)?.(event)
      expect(calls).toEqual([[name, event]])
    }
  })

  it('PKG-11 handlers can be chained, called once and taken away, also one that was given twice', async () => {
    const { contact, visitor, agent } = await pair()
    const told: string[] = []
    const every = (text: string): void => void told.push(`every ${text}`)
    const first = (text: string): void => void told.push(`first ${text}`)
    expect(
      contact
        .on('text', every)
        .addListener('text', every)
        .once('text', first)
        .off('text', () => {}),
    ).toBe(contact)
    await agent.sendText('1')
    contact.removeListener('text', every)
    await agent.sendText('2')
    contact.removeListener('text', every)
    await agent.sendText('3')
    contact.once('text', first).off('text', first)
    contact.on('text', every).off('text')
    await agent.sendText('4')
    await settled()
    expect(told).toEqual(['every 1', 'every 1', 'first 1', 'every 2'])
    compat(visitor).on('text', every)
    compat(visitor).off('text', every)
    await agent.sendText('5')
    await settled()
    expect(told).toHaveLength(4)
    expect(() => contact.on('text', null as never)).toThrowError(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
