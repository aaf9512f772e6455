import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { OFF, inCall, joined, record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const FROM_VISITOR = { from_id: 'visitor-1', from_nick: 'Vera', agent: false }
const FROM_AGENT = { from_id: 'agent-1', from_nick: 'Ada', agent: true }
/** When they were stored: the clock stands still. */
const ts = 0
const circle: unknown[] = []
circle.push(circle)
const vera = () => joined({ nick: 'Vera' })

describe('messages', () => {
  it('MSG-1 MSG-7 a text reaches the other side as text, the sender as localtext and, once a handler had it, as ack', async () => {
    const { visitor, agent } = await vera()
    const [here, there] = [record(visitor), record(agent)]
    const first = await visitor.sendText('good morning', 'en')
    await settled()
    const second = await agent.sendText('hello')
    await settled()
    expect(there).toEqual([
      ['text', { text: 'good morning', id: first, ts, ...FROM_VISITOR }],
      ['localtext', { text: 'hello', id: second, ts }],
      ['ack', { ref: second, ...FROM_VISITOR }],
    ])
    expect(here).toEqual([
      ['localtext', { text: 'good morning', id: first, ts }],
      ['ack', { ref: first, ...FROM_AGENT }],
      ['text', { text: 'hello', id: second, ts, ...FROM_AGENT }],
    ])
  })

  it('MSG-1 a sender without a nick is told by id alone', async () => {
    const { visitor, agent } = await joined()
    const there = record(agent)
    const id = await visitor.sendText('hi')
    await settled()
    expect(there).toEqual([['text', { text: 'hi', id, ts, from_id: 'visitor-1', agent: false }]])
  })

  it('MSG-7 nothing is acknowledged where no handler takes the message', async () => {
    const { visitor, agent } = await vera()
    const here = record(visitor, 'ack')
    await visitor.sendText('unheard')
    await settled()
    agent.on('text', () => {})
    const heard = await visitor.sendText('heard')
    await settled()
    expect(here).toEqual([['ack', { ref: heard, ...FROM_AGENT }]])
  })

  it('MSG-2 MSG-4 links and actions both ways, each acknowledged', async () => {
    const { visitor, agent } = await vera()
    const [here, there] = [record(visitor), record(agent)]
    const ids = [
      await visitor.sendLink('https://example.org/a?b=c', 'the page'),
      await visitor.sendAction('Show.form', 'one'),
      await visitor.sendAction('Hide', ['a', 'b']),
      await visitor.sendAction('Beep'),
    ]
    await settled()
    expect(there).toEqual([
      ['link', { url: 'https://example.org/a?b=c', desc: 'the page', id: ids[0], ts, ...FROM_VISITOR }],
      ['action', { action_code: 'Show.form', args: ['one'], id: ids[1], ts, ...FROM_VISITOR }],
      ['action', { action_code: 'Hide', args: ['a', 'b'], id: ids[2], ts, ...FROM_VISITOR }],
      ['action', { action_code: 'Beep', args: [], id: ids[3], ts, ...FROM_VISITOR }],
    ])
    expect(here).toEqual([
      ['locallink', { url: 'https://example.org/a?b=c', desc: 'the page', id: ids[0], ts }],
      ...ids.map((ref) => ['ack', { ref, ...FROM_AGENT }]),
    ])
  })

  it('SND-308 SND-24 MSG-4 arguments of an action may be any JSON, alone or in a list; null is none', async () => {
    const { visitor, agent } = await vera()
    const there = record(agent, 'action')
    const lamp = { name: 'oak', watts: [4, 9.5], on: false, shade: null, größe: { cm: 40 } }
    const given = [lamp, [lamp, ['nested', []], 1, true, null, ''], 7, false, '', null, [null], []] as const
    for (const args of given) await visitor.sendAction('Show', args)
    await visitor.sendAction('Show', undefined)
    await settled()
    expect(there.map(([, event]) => (event as { readonly args: unknown }).args)).toEqual([
      [lamp],
      given[1],
      [7],
      [false],
      [''],
      [],
      [null],
      [],
      [],
    ])
    const { messages } = await agent.readTranscript({ limit: 9 })
    expect(messages.at(-1)).toMatchObject({ type: 'action', action_code: 'Show', args: [lamp] })
  })

  it('SND-308 what an application gives as arguments is copied at once', async () => {
    const { visitor, agent } = await vera()
    const there = record(agent, 'action')
    const args = [{ lamp: 'oak' }]
    const sending = visitor.sendAction('Show', args)
    args[0] = { lamp: 'pine' }
    await sending
    await settled()
    expect(there).toMatchObject([['action', { args: [{ lamp: 'oak' }] }]])
  })

  it.each([
    ['javascript:alert(1)', 'invalid_argument'],
    ['ftp://example.org', 'invalid_argument'],
    ['https://user:secret@example.org', 'invalid_argument'],
    ['example.org', 'invalid_argument'],
    ['https://example.org/\u0000', 'invalid_argument'],
    [`https://example.org/${'a'.repeat(2048)}`, 'too_large'],
  ])('MSG-3 the link %j is not sent: %s', async (url, code) => {
    const { world, visitor } = await joined()
    await expect(visitor.sendLink(url)).rejects.toMatchObject({ name: 'ContactError', code })
    expect(world.entries).not.toContain('link')
  })

  it.each([
    ['an empty text', 'invalid_argument', (send: Contact) => send.sendText('')],
    ['a text that is too long', 'too_large', (send: Contact) => send.sendText('ä'.repeat(4097))],
    ['a language that is too long', 'too_large', (send: Contact) => send.sendText('x', 'a'.repeat(17))],
    [
      'a description that is too long',
      'too_large',
      (send: Contact) => send.sendLink('https://example.org', 'd'.repeat(513)),
    ],
    ['a code with a space', 'invalid_argument', (send: Contact) => send.sendAction('no good')],
    [
      'arguments that are too long',
      'too_large',
      (send: Contact) => send.sendAction('x', ['a'.repeat(4000), 'b'.repeat(97)]),
    ],
    [
      'arguments that are too long as JSON',
      'too_large',
      (send: Contact) => send.sendAction('x', { text: 'a'.repeat(4_096) }),
    ],
    [
      'a function as argument',
      'invalid_argument',
      (send: Contact) => send.sendAction('x', (() => {}) as never),
    ],
    [
      'nothing in a list of arguments',
      'invalid_argument',
      (send: Contact) => send.sendAction('x', [undefined] as never),
    ],
    [
      'a number that JSON would make null of',
      'invalid_argument',
      (send: Contact) => send.sendAction('x', [Number.NaN]),
    ],
    ['arguments that go round', 'invalid_argument', (send: Contact) => send.sendAction('x', circle as never)],
    [
      'arguments nested too deep',
      'invalid_argument',
      (send: Contact) => send.sendAction('x', JSON.parse('['.repeat(40) + ']'.repeat(40)) as never),
    ],
    [
      'an argument that reaches a prototype',
      'invalid_argument',
      (send: Contact) => send.sendAction('x', JSON.parse('{"__proto__":1}') as never),
    ],
  ])('MSG-1 MSG-4 ERR-1 %s gives %s and is not sent', async (_what, code, run) => {
    const { world, visitor } = await joined()
    const before = world.entries
    await expect(run(visitor)).rejects.toMatchObject({ name: 'ContactError', code, retryable: false })
    expect(world.entries).toEqual(before)
  })

  it('MSG-5 typing is told at most once in 3 s', async () => {
    const { visitor, agent, clock } = await vera()
    const [here, there] = [record(visitor), record(agent)]
    visitor.sendIsWriting()
    visitor.sendIsWriting()
    await clock.advance(2_999)
    visitor.sendIsWriting()
    await settled()
    expect([here, there]).toEqual([[['localiswriting', {}]], [['iswriting', FROM_VISITOR]]])
    await clock.advance(1)
    visitor.sendIsWriting()
    agent.sendIsWriting()
    await settled()
    expect(there).toEqual([
      ['iswriting', FROM_VISITOR],
      ['localiswriting', {}],
      ['iswriting', FROM_VISITOR],
    ])
    expect(here.at(-1)).toEqual(['iswriting', FROM_AGENT])
  })

  it('MSG-6 SND-303 typing that nobody could be told uses up no pause', async () => {
    const world = new World()
    const contact = await world.visitor().client.createContact()
    await settled()
    contact.sendIsWriting()
    const agent = await world.agent().client.accept(contact.id)
    await agent.join()
    await settled()
    const told = record(agent, 'iswriting')
    contact.sendIsWriting()
    await settled()
    expect(told.length).toBe(1)
  })

  it('MSG-5 MSG-6 typing while nobody is there is not told, and never stored', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const told = record(visitor)
    visitor.sendIsWriting()
    await settled()
    expect({ told, entries: world.entries }).toEqual({ told: [], entries: ['present'] })
  })

  it('MSG-9 texts pass while Chat is off', async () => {
    const { visitor, agent } = await inCall()
    await visitor.mergeAndTransitMedia({ Chat: OFF })
    const there = record(agent, 'text')
    const id = await visitor.sendText('still there?')
    await settled()
    expect(there).toEqual([['text', { text: 'still there?', id, ts, from_id: 'visitor-1', agent: false }]])
  })
})
