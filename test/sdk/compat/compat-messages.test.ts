import { describe, expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import type { CompatContact, RawMessage } from '../../../sdk/compat/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, optional } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { pair } from './compat-pair.ts'

const BOTH = { tx: 'required', rx: 'required' } as const
const FROM_VISITOR = { agent: false, from_id: 'visitor-1', from_nick: 'Vera' }
const FROM_AGENT = { agent: true, from_id: 'agent-1', from_nick: 'Ada' }

/** Raw messages that a contact tells. */
function raws(contact: CompatContact): RawMessage[] {
  const told: RawMessage[] = []
  contact.on('rawmessage', (message) => void told.push(message))
  return told
}

describe('rawmessage', () => {
  it('SND-308 tells the messages of both sides as they are in the log, with id and time', async () => {
    const { contact, agent, clock } = await pair()
    const told = raws(contact)
    await clock.advance(1_000)
    const ids = [
      await contact.sendText('Guten Tag', 'de'),
      await agent.sendText('Hello'),
      await agent.sendLink('https://example.org/', 'a page'),
      await contact.sendLink('https://example.org/mine'),
      await contact.sendAction('Show', { lamp: ['oak'] }),
      await agent.sendAction('Beep', null),
    ]
    await settled()
    const file = await agent.attach(new File(['hi'], 'note.txt', { type: 'text/plain' }), 'A note', 'ref-1')
    await settled()
    const [id, ts] = [(index: number) => ids[index] ?? '', 1_000]
    expect(told.slice(0, 6)).toEqual([
      { id: id(0), ts, type: 'text', ...FROM_VISITOR, body: 'Guten Tag', lang: 'de' },
      { id: id(1), ts, type: 'text', ...FROM_AGENT, body: 'Hello' },
      { id: id(2), ts, type: 'link', ...FROM_AGENT, url: 'https://example.org/', desc: 'a page' },
      { id: id(3), ts, type: 'link', ...FROM_VISITOR, url: 'https://example.org/mine' },
      { id: id(4), ts, type: 'action', ...FROM_VISITOR, code: 'Show', args: [{ lamp: ['oak'] }] },
      { id: id(5), ts, type: 'action', ...FROM_AGENT, code: 'Beep', args: [] },
    ])
    expect(told.slice(6)).toMatchObject([
      {
        id: file.id,
        type: 'attachment',
        ...FROM_AGENT,
        url: file.url,
        meta: { desc: 'A note', referenceId: 'ref-1', ref: 'ref-1' },
      },
    ])
    expect(contact.contact.transcript).toEqual(told)
  })

  it('SND-308 MSG-7 its handler counts as having had a message: it is acknowledged once, own ones and those without a handler never', async () => {
    const { contact, agent } = await pair()
    const acks: string[] = []
    agent.on('ack', ({ ref }) => void acks.push(ref))
    await agent.sendText('unheard')
    await settled()
    const stop = contact.on('rawmessage', () => {})
    contact.on('link', () => {})
    const heard = [
      await agent.sendText('heard'),
      await agent.sendAction('Beep'),
      await agent.sendLink('https://example.org/'),
    ]
    await contact.sendText('own')
    await settled()
    stop()
    await agent.sendText('unheard again')
    await settled()
    expect(acks).toEqual(heard)
    expect(contact.contact.transcript.map(({ body }) => body).filter((body) => body !== undefined)).toEqual([
      'unheard',
      'heard',
      'own',
      'unheard again',
    ])
  })

  it('SND-308 SND-301 nothing that is handed out is shared with what is kept', async () => {
    const { contact, agent } = await pair()
    contact.on('rawmessage', (message) => {
      const { args } = message as unknown as { args: { lamp: string[] }[] }
      args[0]?.lamp.push('spoilt')
    })
    const seen: unknown[] = []
    contact.on('action', (_code, args) => void seen.push(structuredClone(args)))
    await agent.sendAction('Show', { lamp: ['oak'] })
    await settled()
    contact.contact.transcript.pop()
    const { transcript, initial_offer } = contact.contact
    Object.assign(initial_offer, { Voice: BOTH })
    expect([seen, transcript[0]?.args, contact.contact.initial_offer]).toEqual([
      [[{ lamp: ['oak'] }]],
      [{ lamp: ['oak'] }],
      {},
    ])
  })

  it('SND-308 NS-1 the remote can raise neither it nor mediatimeout by the name of an action or a topic', async () => {
    const { contact, agent } = await pair()
    const told: unknown[] = []
    contact.on('rawmessage', (message) => void told.push(message))
    contact.on('mediatimeout', (offer) => void told.push(offer))
    await expect(agent.request('rawmessage', {}, 1_000)).rejects.toMatchObject({ code: 'not_supported' })
    await agent.sendData('pointer', {}, 'mediatimeout', 'sio')
    await settled()
    expect(told).toEqual([])
  })

  it('SND-308 RES-1 after a page load the record has what was said before, each once, and what comes then is told', async () => {
    const before = await joined({ nick: 'Vera' })
    await before.visitor.sendText('one', 'en')
    await before.agent.sendAction('two', { n: 2 })
    await settled()
    await before.pages.visitor.client.close()
    await before.agent.sendText('three')
    const page = before.world.visitor({ tab: before.tab })
    const { contact } = await compat(page.client).resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    const told = raws(contact)
    const words = (messages: readonly RawMessage[]): unknown[] =>
      messages.map(({ body, code, lang, args }) => [body ?? code, lang ?? args])
    expect(words(contact.contact.transcript)).toEqual([
      ['one', 'en'],
      ['two', [{ n: 2 }]],
      ['three', undefined],
    ])
    await before.agent.sendText('four')
    await settled()
    expect(told.map(({ body }) => body).at(-1)).toBe('four')
    expect(contact.contact.transcript.map(({ body, code }) => body ?? code)).toEqual([
      'one',
      'two',
      'three',
      'four',
    ])
    await page.client.close()
  })
})

describe('the record of a client of this style', () => {
  it('SND-308 has id, time, type, first offer, agent and messages', async () => {
    const world = new World()
    const offers = [
      undefined,
      { Chat: BOTH },
      { Chat: BOTH, Voice: BOTH },
      { Voice: BOTH, Video: optional },
      { Screen: { tx: 'required', rx: 'off' } },
    ] as const
    const types: unknown[] = []
    for (const initialOffer of offers) {
      const { client } = world.visitor()
      types.push(compat(await client.createContact(initialOffer && { initialOffer })).contact.type)
      await client.close()
    }
    expect(types).toEqual(['chat', 'chat', 'voice', 'video', 'screen'])
    const { contact } = await pair()
    const { agentInfo, ...record } = contact.contact
    expect(record).toEqual({ id: 'contact-1', ts: 0, type: 'chat', initial_offer: {}, transcript: [] })
    expect(agentInfo).toEqual({ id: 'agent-1', nick: 'Ada' })
    expect(compat(await new World().visitor().client.createContact()).contact.agentInfo).toBe(null)
  })

  it('SND-308 goes on over a transfer', async () => {
    const all = await joined({ nick: 'Vera' })
    const contact = compat(all.visitor)
    await all.agent.sendText('one')
    await settled()
    await all.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    const next = await all.world.agent({ id: 'agent-2' }).client.accept(all.visitor.id)
    await next.join()
    await next.sendText('two')
    await settled()
    expect([
      contact.contact.id,
      contact.contact.agentInfo?.id,
      contact.contact.transcript.map(({ body }) => body),
    ]).toEqual([all.visitor.id, 'agent-2', ['one', 'two']])
  })
})

describe('the transcript of a contact that was transferred', () => {
  it('SND-308 MSG-12 has what was said before, in a page that is loaded anew and for the next agent', async () => {
    const pair = await joined()
    await pair.visitor.sendText('one')
    await pair.agent.sendText('two')
    await settled()
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toTags: ['x'] })
    await settled()
    await pair.pages.visitor.client.close()
    const client = compat(pair.world.visitor({ tab: pair.tab }).client)
    const { contact } = await client.resumeContact()
    const next = compat(await pair.world.agent({ id: 'agent-2', nick: 'Bob' }).client.accept(id))
    await next.join()
    await import('../../../sdk/transcript/transcript.ts')
    await settled()
    const said = [contact, next].map((one) => one?.contact.transcript.map(({ body }) => body))
    expect(said).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
  })
})
