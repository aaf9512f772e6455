import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../../protocol/index.ts'
import { queueVisitor } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService
let writer: WaitingVisitor

beforeAll(async () => {
  test = await startTestService()
  writer = await queueVisitor(test)
})
afterAll(() => test.close())

const x = (count: number): string => 'x'.repeat(count)
const REFUSED = ['invalid_argument', 'too_large']

/** `ok`, or the code with which one draft is refused. */
async function outcomeOf(type: string, body: unknown): Promise<string> {
  const { client, session, id } = writer
  session.counter += 1
  const draft = { id: randomUUID(), session: session.id, counter: session.counter, type, body }
  const reply = await client.ask('log.append', { contact: id, session: session.id, drafts: [draft] })
  const [first] = reply.ok
    ? (reply.value as { appended: readonly { error?: { code: string } }[] }).appended
    : []
  return reply.ok ? (first?.error?.code ?? 'ok') : reply.error.code
}

async function creation(contact: unknown): Promise<string> {
  const reply = await writer.client.ask('contact.create', { request: randomUUID(), contact })
  return reply.ok ? 'ok' : reply.error.code
}

const url = (count: number): string => `https://a.example/${x(count - 'https://a.example/'.length)}`
const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `f${index}`, desc: '', type: 'text', value: '' }))
const forms = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `f${index}`, desc: '', data: [] }))
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

/** Capabilities whose JSON has so many bytes, most of them these letters. */
const capable = (letter: string) => (size: number) => {
  const bytes = size - Buffer.byteLength(JSON.stringify({ Media: {}, Mobile: false, more: '' }))
  const each = Buffer.byteLength(letter)
  const more = letter.repeat(Math.floor(bytes / each)) + x(bytes % each)
  return { capabilities: { Media: {}, Mobile: false, more } }
}

/** An offer whose JSON has so many bytes. */
function offerOf(size: number): Record<string, unknown> {
  const offer: Record<string, unknown> = {}
  for (let left = size - 2, index = 100; left > 0; index += 1) {
    // With its colon, and a comma where another one follows.
    const bare =
      JSON.stringify({ [`m${index}`]: { tx: 'optional', rx: 'off', via: '', engine: 'e' } }).length - 2
    const bytes = left <= bare + 128 ? left : bare + 60
    offer[`m${index}`] = { tx: 'optional', rx: 'off', via: x(bytes - bare), engine: 'e' }
    left -= bytes + 1
  }
  return offer
}

const DRAFTS: readonly [string, string, (size: number) => unknown, number][] = [
  ['bytes of a text', 'text', (size) => ({ text: x(size) }), LIMITS.textBytes],
  [
    'bytes of a text in other letters',
    'text',
    (size) => ({ text: `${'é'.repeat((size - (size % 2)) / 2)}${x(size % 2)}` }),
    LIMITS.textBytes,
  ],
  ['characters of an address', 'link', (size) => ({ url: url(size) }), LIMITS.url],
  [
    'characters of a description',
    'link',
    (size) => ({ url: 'https://a.example/', desc: x(size) }),
    LIMITS.desc,
  ],
  [
    'bytes of the arguments of an action',
    'action',
    (size) => ({ code: 'a', args: [x(size)] }),
    LIMITS.actionArgsBytes,
  ],
  [
    'bytes of the JSON of what is no text among them',
    'action',
    (size) => ({ code: 'a', args: [{ a: x(size - 9) }, 1] }),
    LIMITS.actionArgsBytes,
  ],
  ['bytes of the JSON of capabilities', 'capabilities', capable('x'), LIMITS.capabilitiesBytes],
  ['the same in other letters', 'capabilities', capable('é'), LIMITS.capabilitiesBytes],
  [
    'bytes of the JSON of an offer',
    'offer',
    (size) => ({ offer: offerOf(size), restore: false }),
    LIMITS.mediaBytes,
  ],
]

const CREATIONS: readonly [string, (size: number) => unknown, number][] = [
  ['characters of a nick', (size) => ({ nick: x(size) }), LIMITS.nick],
  ['tags', (size) => ({ tags: Array.from({ length: size }, String) }), LIMITS.tags],
  ['bytes of the JSON of a first offer', (size) => ({ initialOffer: offerOf(size) }), LIMITS.mediaBytes],
  ['forms', (size) => ({ data: forms(size) }), LIMITS.forms],
  [
    'members of a field that the protocol does not know',
    (size) => ({
      data: [
        {
          name: 'f',
          data: [
            {
              ...Object.fromEntries(Array.from({ length: size }, (_, index) => [`m${index}`, 1])),
              name: 'f',
              type: 'text',
            },
          ],
        },
      ],
    }),
    LIMITS.fieldMembers,
  ],
  [
    'bytes of their JSON',
    (size) => ({
      data: [{ name: 'f', data: [{ name: 'f', type: 'text', m: x(size - '[["m",""]]'.length) }] }],
    }),
    LIMITS.fieldMembersBytes,
  ],
  ['fields of a form', (size) => ({ data: [{ name: 'f', desc: '', data: fields(size) }] }), LIMITS.fields],
]

describe('sizes', () => {
  it.each(DRAFTS)('SRV-7 %s', async (_name, type, body, limit) => {
    expect([await outcomeOf(type, body(limit - 1)), await outcomeOf(type, body(limit))]).toEqual(['ok', 'ok'])
    expect(REFUSED).toContain(await outcomeOf(type, body(limit + 1)))
  })

  it.each(CREATIONS)('SRV-7 %s', async (_name, contact, limit) => {
    expect([await creation(contact(limit - 1)), await creation(contact(limit))]).toEqual(['ok', 'ok'])
    expect(REFUSED).toContain(await creation(contact(limit + 1)))
  })

  it('SRV-7 drafts of one call', async () => {
    const { client, session, id } = writer
    const append = (count: number) => {
      const drafts = Array.from({ length: count }, (_, index) => ({
        id: randomUUID(),
        session: session.id,
        counter: session.counter + index + 1,
        type: 'text',
        body: { text: 'x' },
      }))
      return client.ask('log.append', { contact: id, session: session.id, drafts })
    }
    expect(await append(LIMITS.draftsInOneCall + 1)).toMatchObject({ ok: false })
    expect(await append(LIMITS.draftsInOneCall)).toMatchObject({ ok: true })
    session.counter += LIMITS.draftsInOneCall
  })

  const relay = async (body: unknown): Promise<string> => {
    const { client, session, id } = writer
    const reply = await client.ask('relay.send', {
      contact: id,
      session: session.id,
      to: 's',
      frame: { n: 1, ack: 0, kind: 'data', body },
    })
    return reply.ok ? 'ok' : reply.error.code
  }

  /** The frame and the arguments around a body are two levels themselves. */
  it.each<[string, (size: number) => unknown, number]>([
    ['depth', nested, 22],
    [
      'keys of an object',
      (size) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, 1])),
      256,
    ],
    ['items of a list', (size) => Array.from({ length: size }, () => 1), 1_024],
  ])('SRV-7 %s of a value', async (_name, make, limit) => {
    expect([await relay(make(limit - 1)), await relay(make(limit)), await relay(make(limit + 1))]).toEqual([
      'peer_left',
      'peer_left',
      'invalid_argument',
    ])
  })

  it.each([
    ['bytes', Buffer.from('abcd')],
    ['bytes deep within', { a: [{ b: new Uint8Array(3) }] }],
    ['a NUL', 'a\u0000b'],
    ['a prototype', JSON.parse('{"a":{"__proto__":{"x":1}}}')],
    ['a constructor', { a: [{ constructor: 1 }] }],
  ])('SRV-7 SRV-6 %s in a value is refused', async (_name, body) => {
    expect(await relay(body)).toBe('invalid_argument')
  })

  it('SRV-7 lone surrogates, directions and odd numbers are no reason to refuse', async () => {
    for (const text of ['\ud800', '\u202egpj.exe', '\u0007', String(-0), '1e999'])
      expect(await outcomeOf('text', { text })).toBe('ok')
    for (const odd of [1e308, -0, 0.1, 2 ** 53]) expect(await relay(odd)).toBe('peer_left')
  })

  it.each([[null], [[]], ['text'], [7], [{}], [[null]]])('SRV-6 %j is no draft', async (draft) => {
    const reply = await writer.client.ask('log.append', {
      contact: writer.id,
      session: writer.session.id,
      drafts: [draft],
    })
    expect(reply).toMatchObject({ ok: false, error: { code: 'invalid_argument' } })
    expect(await outcomeOf('text', { text: 'still there' })).toBe('ok')
  })

  it('SRV-7 characters of a name', async () => {
    const append = (id: string) =>
      writer.client.ask('log.append', {
        contact: writer.id,
        session: writer.session.id,
        drafts: [
          {
            id,
            session: writer.session.id,
            counter: writer.session.counter + 1,
            type: 'ack',
            body: { ref: id },
          },
        ],
      })
    for (const size of [LIMITS.name - 1, LIMITS.name]) {
      expect(await append(x(size))).toMatchObject({
        ok: true,
        value: { appended: [{ seq: expect.any(Number) }] },
      })
      writer.session.counter += 1
    }
    expect(REFUSED).toContain(await outcomeOf('action', { code: x(LIMITS.name + 1), args: [] }))
    expect(await outcomeOf('action', { code: x(LIMITS.name), args: [] })).toBe('ok')
    for (const code of ['', 'a b', 'a/b', 'é', 'a\n'])
      expect(await outcomeOf('action', { code, args: [] })).toBe('invalid_argument')
  })

  it('SRV-7 a frame above the limit ends its own connection only', async () => {
    const client = await test.visitor()
    const ended = new Promise((settle) => client.socket.once('disconnect', settle))
    client.socket.emit('contact.read', { contact: x(LIMITS.frameBytes + 1) }, () => {})
    await ended
    expect(await outcomeOf('text', { text: 'still there' })).toBe('ok')
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    '//a.example',
    'https://user:secret@a.example/',
    'java\tscript:alert(1)',
    '\u0001https://a.example/',
    ' https://a.example/',
    'https://',
  ])('SRV-7 the address %j is not taken for a link', async (address) => {
    expect(await outcomeOf('link', { url: address })).toBe('invalid_argument')
  })
})

describe('origins', () => {
  it('SRV-9 a cookie never signs anybody in', async () => {
    const { token, refresh } = await signInVisitor(test.url)
    const cookie = `token=${token}; refresh=${refresh}; io=${token}`
    for (const transport of ['websocket', 'polling'] as const) {
      await expect(
        WireClient.connect(test.url, undefined, { transports: [transport], headers: { cookie } }),
      ).rejects.toMatchObject({ code: 'unauthorized' })
    }
    const response = await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: '{}',
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('SRV-9 a stranger who knows the id of a connection cannot poll it', async () => {
    const client = await test.visitor()
    const sid = (client.socket.io.engine as unknown as { readonly id: string }).id
    const stranger = await fetch(`${test.url}/v1/link/?EIO=4&transport=polling&sid=${sid}`, {
      headers: { origin: 'https://evil.example' },
    })
    expect(stranger.status).toBeGreaterThanOrEqual(400)
    expect(await client.call('ice.servers', {})).toMatchObject({ expiresInMs: 600_000 })
  })
})
