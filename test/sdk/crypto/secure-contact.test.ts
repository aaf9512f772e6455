import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  VOICE,
  answering,
  endCleanly,
  joined,
  mediaOf,
  openTab,
  record,
  reload,
  textsOf,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const secure = { secure: true } as const
/** What stands in the log and in every frame of a contact, as the service has it. */
const seenBy = ({ world }: Pick<Pair, 'world'>): string =>
  JSON.stringify([...world.link.contacts.values()].map(({ entries }) => entries))
const codeOf = (contact: Contact): string | undefined => contact.verification?.code?.digits

describe('a secure contact', () => {
  it('ENC-220 ENC-221 texts written in the queue wait, and are read by the agent who joins; the codes are equal', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact(secure)
    const sending = visitor.sendText('before anybody is there')
    await settled()
    expect(world.entries).toEqual(['present', 'keyCommit'])
    expect(visitor.verification).toEqual({ state: 'agreeing', code: null, by: null })
    expect(() => visitor.encrypt('x')).toThrowError(expect.objectContaining({ code: 'invalid_key' }))
    const agent = await world.agent().client.accept(visitor.id)
    const told = record(agent, 'text', 'verification', 'ack', 'error')
    const heard = record(visitor, 'ack', 'localtext', 'error')
    await agent.join()
    await settled()
    const id = await sending
    await settled()
    expect(told.map(([name]) => name)).toEqual(['verification', 'text'])
    expect(told.at(-1)).toMatchObject(['text', { text: 'before anybody is there', id }])
    expect(heard).toMatchObject([
      ['localtext', { text: 'before anybody is there', id }],
      ['ack', { ref: id }],
    ])
    expect(visitor.verification).toEqual({
      state: 'unverified',
      by: null,
      code: { digits: expect.stringMatching(/^\d{13}$/), symbols: expect.any(Array) as unknown },
    })
    expect(visitor.verification).toEqual(agent.verification)
    expect(seenBy({ world })).not.toContain('before anybody')
  })

  it('ENC-222 texts, links, actions, requests, data and calls go both ways, and the service reads none of them', async () => {
    const pair = await joined(secure)
    const { visitor, agent } = pair
    const told = record(agent, 'text', 'link', 'action', 'data')
    agent.on('Question', (data, callback) => callback(null, { answer: data ?? null }))
    await visitor.sendText('Grüße \uD83D, auch halbe', 'de')
    await visitor.sendLink('https://example.org/secret', 'a secret place')
    await visitor.sendAction('Order', [{ number: 4711 }])
    const asking = visitor.request('Question', 'secret question')
    await visitor.sendData('secret-channel', { secret: 'data' }, undefined, 'sio')
    await settled()
    expect(await asking).toEqual({ answer: 'secret question' })
    expect(told).toMatchObject([
      ['text', { text: 'Grüße \uFFFD, auch halbe' }],
      ['link', { url: 'https://example.org/secret', desc: 'a secret place' }],
      ['action', { action_code: 'Order', args: [{ number: 4711 }] }],
      ['data', { data: { secret: 'data' } }],
    ])
    answering(agent)
    await visitor.offerMedia(VOICE)
    await settled()
    expect(mediaOf(pair).agent['Voice']).toEqual(CALL)
    const seen = seenBy(pair)
    for (const secret of ['Grüße', 'example.org', 'secret', ':4711', 'Order'])
      expect(seen).not.toContain(secret)
    expect(pair.world.warnings).toEqual([])
    await endCleanly(pair)
  })

  it('SEC-4 SEC-5 what one side encrypts the other decrypts, and only the named members', async () => {
    const pair = await joined(secure)
    const { visitor, agent } = pair
    expect(agent.decrypt(visitor.encrypt('4111 1111'))).toBe('4111 1111')
    expect(visitor.decrypt(visitor.encrypt(''))).toBe('')
    expect(visitor.encrypt('the same')).not.toBe(visitor.encrypt('the same'))
    const message = { text: 'my number', id: 7, list: [1, { two: null }] }
    const encrypted = visitor.encryptMessage(message, ['text', 'list'])
    expect(encrypted).toMatchObject({ id: 7, encrypted: ['text', 'list'] })
    expect(JSON.stringify(encrypted)).not.toContain('my number')
    expect(agent.decryptMessage(encrypted)).toEqual(message)
    const code = (run: () => unknown): unknown => {
      try {
        return run()
      } catch (thrown) {
        return (thrown as { readonly code?: unknown }).code
      }
    }
    const data = visitor.encrypt('x')
    expect([
      code(() => visitor.encrypt('x'.repeat(32_769))),
      code(() => visitor.encrypt('\uD800')),
      code(() => visitor.encrypt(1 as never)),
      code(() => visitor.encryptMessage({ a: 1 }, ['b' as never])),
      code(() => visitor.encryptMessage({ encrypted: 1 } as never, ['encrypted' as never])),
      code(() => agent.decrypt(data.replace(/^./, 'F'))),
      code(() => agent.decrypt(`${data.slice(0, -8)}AAAAAAA=`)),
      code(() => agent.decryptMessage({ ...encrypted, text: encrypted.list } as never)),
    ]).toEqual([
      'too_large',
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
      'tampered',
      'tampered',
      'tampered',
    ])
    await endCleanly(pair)
  })

  it('ENC-223 a page load of either side goes on with the key: still verified, with the same code', async () => {
    const pair = await joined(secure)
    pair.visitor.verify(true)
    pair.agent.verify(true)
    const code = codeOf(pair.visitor)
    expect(pair.visitor.verification).toMatchObject({ state: 'verified', by: 'user' })
    const { contact: visitor } = await reload(pair)
    await settled()
    expect([visitor.verification?.state, pair.agent.verification?.state]).toEqual(['verified', 'verified'])
    expect([codeOf(visitor), codeOf(pair.agent)]).toEqual([code, code])
    const texts = textsOf(pair.agent)
    await visitor.sendText('after a page load')
    await settled()
    expect(texts).toEqual(['after a page load'])
    await visitor.leave()
    await pair.agent.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('ENC-224 the console is loaded anew and goes on, still verified', async () => {
    const world = new World()
    const tab = memoryStore()
    const visitor = await world.visitor().client.createContact(secure)
    const first = world.agent({}, tab)
    const contact = await first.client.accept(visitor.id)
    await contact.join()
    await settled()
    visitor.verify(true)
    contact.verify(true)
    await first.client.close()
    const [next] = await world.agent({}, tab).client.contacts()
    await next?.join()
    await settled()
    expect([visitor.verification?.state, next?.verification?.state]).toEqual(['verified', 'verified'])
    const texts = textsOf(visitor)
    await next?.sendText('here again')
    await settled()
    expect(texts).toEqual(['here again'])
  })

  it('ENC-225 a transfer asks about the key of the next agent; nothing is sent before that', async () => {
    const pair = await joined(secure)
    pair.visitor.verify(true)
    const next = pair.world.agent({ id: 'agent-2', nick: 'Bo' })
    const told = record(pair.visitor, 'verification', 'text')
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const agent = await next.client.accept(id)
    await agent.join()
    await settled()
    expect(pair.visitor.verification).toMatchObject({ state: 'changed', by: null })
    expect(codeOf(pair.visitor)).toBe(codeOf(agent))
    const texts = textsOf(agent)
    const sending = pair.visitor.sendText('who are you?')
    await agent.sendText('it is me')
    await settled()
    expect([texts, told.some(([name]) => name === 'text')]).toEqual([['own it is me'], false])
    pair.visitor.acceptKey()
    await sending
    await settled()
    expect(texts).toEqual(['own it is me', 'who are you?'])
    expect(told.at(-1)).toMatchObject(['text', { text: 'it is me' }])
    expect(told.map(([, event]) => (event as { readonly state?: string }).state)).toEqual([
      'agreeing',
      'changed',
      'unverified',
      undefined,
    ])
    await Promise.all([pair.visitor.leave(), agent.leave()])
  })

  it('ENC-226 differing codes break the contact on that side: nothing is sent, and leaving works', async () => {
    const pair = await joined(secure)
    const told = record(pair.visitor, 'error', 'text')
    pair.visitor.verify(false)
    expect(pair.visitor.verification).toEqual({ state: 'broken', code: null, by: null })
    await pair.agent.sendText('are you there?')
    await settled()
    expect(told).toMatchObject([['error', { code: 'tampered' }]])
    await expect(pair.visitor.sendText('x')).rejects.toMatchObject({ code: 'tampered' })
    await expect(pair.visitor.request('x')).rejects.toMatchObject({ code: 'tampered' })
    const { visitor } = pair
    const every = [
      visitor.offerMedia({ Voice: { tx: 'required', rx: 'required' } }),
      visitor.mergeAndTransitMedia({ Chat: { tx: false, rx: false } }),
      visitor.acceptOffer({}),
      visitor.getDataChannel('x'),
      visitor.sendData('x', 1),
      visitor.takeOver(),
      visitor.setLocalCapability('x', 1),
      visitor.attach(new File(['x'], 'x')),
    ]
    const codes = every.map((asked) => asked.catch((thrown: unknown) => (thrown as { code?: unknown }).code))
    expect(await Promise.all(codes)).toEqual(every.map(() => 'tampered'))
    await expect(visitor.join()).rejects.toMatchObject({ code: 'no_crypto' })
    expect(() => pair.visitor.encrypt('x')).toThrowError(expect.objectContaining({ code: 'tampered' }))
    expect(() => pair.visitor.verify(true)).toThrowError(expect.objectContaining({ code: 'tampered' }))
    await pair.visitor.leave()
    await pair.agent.leave()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('ENC-227 keys are erased with the contact', async () => {
    const tab = new Map<string, string>()
    const store = {
      getItem: (key: string) => tab.get(key) ?? null,
      setItem: (key: string, value: string) => void tab.set(key, value),
      removeItem: (key: string) => void tab.delete(key),
    }
    const world = new World()
    const visitor = await world.visitor({ tab: store }).client.createContact(secure)
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    await settled()
    expect([...tab.keys()].filter((key) => /:(?:keys|head)$/.test(key)).length).toBe(2)
    await Promise.all([visitor.leave(), agent.leave()])
    await settled()
    expect([...tab.keys()].filter((key) => /:(?:keys|head)$/.test(key))).toEqual([])
    expect(world.store.getItem(`duolog:http://localhost:${visitor.id}:secure`)).toBe(null)
  })

  it('ENC-228 a contact goes on after the visitor was offline; texts written meanwhile arrive once', async () => {
    const pair = await joined(secure)
    const texts = textsOf(pair.agent)
    pair.link.cut('visitor')
    const sending = pair.visitor.sendText('written while offline')
    await pair.clock.advance(40_000)
    await settled()
    await sending
    await settled()
    expect(texts).toEqual(['written while offline'])
    expect(pair.world.warnings).toEqual([])
  })

  it('ENC-229 a second tab that takes the contact over agrees on a key of its own', async () => {
    const pair = await joined(secure)
    const { contact } = await openTab(pair)
    await contact.takeOver()
    await settled()
    expect(codeOf(contact)).toBe(codeOf(pair.agent))
    const texts = textsOf(pair.agent)
    await contact.sendText('from the second tab')
    await settled()
    expect(texts).toEqual(['from the second tab'])
  })
})
