/**
 * A client of somebody else: made from docs/protocol.md alone, without anything of this repository's but what
 * starts the service.
 */
import { createHash, randomUUID } from 'node:crypto'
import { io } from 'socket.io-client'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

type Body = Record<string, unknown>
interface Line {
  readonly call: (name: string, args: Body) => Promise<Body>
  readonly pushes: { readonly name: string; readonly body: Body }[]
  readonly wait: (name: string, fits?: (body: Body) => boolean) => Promise<Body>
  readonly entry: (type: string, nth?: number) => Promise<Body>
  readonly end: () => void
}

const post = async (path: string, body: Body): Promise<Body> => {
  const answer = await fetch(`${test.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:3000' },
    body: JSON.stringify(body),
  })
  return answer.status === 204 ? {} : ((await answer.json()) as Body)
}

/** Section 2. */
async function connect(token: unknown): Promise<Line> {
  const socket: Socket = io(test.url, {
    ...{
      path: '/v1/link',
      auth: { token, protocol: '1.0' },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    },
    extraHeaders: { origin: 'http://localhost:3000' },
  })
  const pushes: { name: string; body: Body }[] = []
  socket.onAny((name: string, body: Body) => pushes.push({ name, body }))
  await new Promise<void>((settle, fail) =>
    socket
      .once('connect', settle)
      .once('connect_error', (error: Error & { data?: Body }) => fail(Object.assign(error, error.data))),
  )
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found
      await new Promise((settle) => setImmediate(settle))
    }
  }
  return {
    pushes,
    call: async (name, args) => {
      const reply = (await socket.timeout(10_000).emitWithAck(name, args)) as {
        ok: boolean
        value: Body
        error: Body
      }
      if (!reply.ok) throw Object.assign(new Error(String(reply.error['message'])), reply.error)
      return reply.value
    },
    wait: (name, fits = () => true) =>
      until(() => pushes.find((push) => push.name === name && fits(push.body))?.body),
    entry: (type, nth = 0) => until(() => entriesOf(pushes).filter((entry) => entry['type'] === type)[nth]),
    end: () => void socket.close(),
  }
}

const entriesOf = (pushes: Line['pushes']): Body[] =>
  pushes.flatMap(({ name, body }) => (name === 'log.entries' ? (body['entries'] as Body[]) : []))
const PRESENT = {
  capabilities: { Media: { Chat: { Engines: { Native: true } } }, Mobile: false },
  media: { Sharing: 'Native', Chat: 'Native' },
  after: null,
}

/** Section 4: what a session writes. */
function writer(line: Line, contact: string) {
  const session = randomUUID()
  let counter = 0
  const draft = (type: string, body: Body, id = randomUUID()): Body => ({
    id,
    session,
    counter: (counter += 1),
    type,
    body,
  })
  const append = async (...drafts: Body[]): Promise<Body[]> =>
    (await line.call('log.append', { contact, session, drafts }))['appended'] as Body[]
  return { session, draft, append, write: (type: string, body: Body) => append(draft(type, body)) }
}

async function queued(): Promise<{
  readonly line: Line
  readonly contact: string
  readonly own: ReturnType<typeof writer>
  readonly signIn: Body
}> {
  const signIn = await post('/v1/visitors', {})
  const line = await connect(signIn['token'])
  const { contact } = await line.call('contact.create', {
    request: randomUUID(),
    contact: { nick: 'Stranger', tags: ['x'], lang: 'en' },
  })
  const own = writer(line, String(contact))
  await line.call('contact.open', { contact, session: own.session, cursor: 0 })
  await own.write('present', PRESENT)
  return { line, contact: String(contact), own, signIn }
}

async function joined() {
  const visitor = await queued()
  const { token } = await post('/v1/dev/agents', { nick: `Agent ${randomUUID()}` })
  const line = await connect(token)
  await line.call('agent.presence', { state: 'ready', capacity: 5 })
  expect(await line.wait('agent.distribution', ({ id }) => id === visitor.contact)).toMatchObject({
    nick: 'Stranger',
    tags: ['x'],
    lang: 'en',
    secure: false,
    expiresInMs: 30_000,
  })
  await line.call('agent.accept', { contact: visitor.contact })
  const own = writer(line, visitor.contact)
  await line.call('contact.open', { contact: visitor.contact, session: own.session, cursor: 0 })
  await own.write('present', PRESENT)
  await visitor.line.entry('joined')
  return { visitor, agent: { line, own } }
}

describe('a client made from the page alone', () => {
  it('SRV-6 SRV-16 is told by codes what it does wrong', async () => {
    await expect(connect('x')).rejects.toMatchObject({ code: 'unauthorized' })
    const { line, contact } = await queued()
    await expect(line.call('contact.open', { contact })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(line.call('agent.contacts', {})).rejects.toMatchObject({ code: 'forbidden' })
    await expect(line.call('contact.read', { contact: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      line.call('log.append', { contact, session: 'unknown', drafts: [{}] }),
    ).rejects.toMatchObject({ code: 'not_joined' })
    line.end()
  })

  it('LOG-1 LOG-3 LOG-4 LIFE-4 talks, repeats, comes back after its cursor, and hears how it ends', async () => {
    const { visitor, agent } = await joined()
    const { contact } = visitor
    expect(await visitor.line.entry('assigned')).toMatchObject({
      slot: 'service',
      body: { user: expect.any(String), nick: expect.any(String) },
    })
    const draft = visitor.own.draft('text', { text: 'hello', lang: 'en' })
    const [first] = await visitor.own.append(draft)
    expect(await visitor.own.append(draft)).toEqual([first])
    expect(await agent.line.entry('text')).toMatchObject({
      seq: first?.['seq'],
      slot: 'visitor',
      from: { nick: 'Stranger' },
      body: { text: 'hello' },
    })
    await agent.own.write('ack', { ref: draft['id'] })
    expect(await visitor.line.entry('ack')).toMatchObject({ body: { ref: draft['id'] } })
    expect(await visitor.own.append(visitor.own.draft('link', { url: 'javascript:x' }))).toMatchObject([
      { error: { code: 'invalid_argument' } },
    ])
    const cursor = Number(entriesOf(visitor.line.pushes).at(-1)?.['seq'])
    visitor.line.end()
    await agent.own.write('text', { text: 'missed' })
    const again = await connect(visitor.signIn['token'])
    expect(await again.call('contact.open', { contact, session: visitor.own.session, cursor })).toMatchObject(
      { counter: 3, record: { id: contact, state: 'joined' } },
    )
    expect(await again.entry('text')).toMatchObject({ seq: cursor + 1, body: { text: 'missed' } })
    await again.call('contact.leave', { contact, session: visitor.own.session })
    expect(entriesOf(again.pushes).at(-1)).toMatchObject({
      type: 'left',
      body: { reason: 'vvcu', channels: { total: 1, vvcu: 0, user: 1 } },
    })
    await agent.line.call('contact.leave', { contact, session: agent.own.session })
    expect(await agent.line.entry('cleared')).toMatchObject({ body: { reason: 'user' } })
    for (const line of [again, agent.line]) line.end()
  })

  it('LOG-12 ATT-2 LIFE-15 uses the relay, sends a file, and follows a transfer', async () => {
    const { visitor, agent } = await joined()
    const { contact } = visitor
    const frame = { n: 1, ack: 0, kind: 'rpc', body: { hello: [1, 2] } }
    await visitor.line.call('relay.send', {
      contact,
      session: visitor.own.session,
      to: agent.own.session,
      frame,
    })
    expect(await agent.line.wait('relay.frame')).toEqual({ contact, from: visitor.own.session, frame })
    const bytes = Buffer.from('some bytes')
    const asked = {
      contact,
      session: visitor.own.session,
      request: 'r1',
      name: '../a.txt',
      mimetype: 'text/plain',
      size: bytes.length,
    }
    const place = await visitor.line.call('attachment.open', asked)
    const headers = {
      'tus-resumable': '1.0.0',
      authorization: `Bearer ${String(place['token'])}`,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    }
    const sent = await fetch(`${test.url}${String(place['path'])}`, { method: 'PATCH', headers, body: bytes })
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '10'])
    const { body } = (await agent.line.entry('attachment')) as { body: Body }
    expect(body).toMatchObject({
      id: place['id'],
      slot: 'visitor',
      originalName: 'a.txt',
      size: 10,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(await (await fetch(`${test.url}${String(body['url'])}`)).text()).toBe('some bytes')
    expect(await visitor.line.call('attachment.open', asked)).toMatchObject({
      id: place['id'],
      state: 'stored',
    })
    const { contact: toId } = await agent.line.call('agent.transfer', { contact, toTags: ['y'] })
    expect(await visitor.line.entry('transferred')).toMatchObject({ body: { toId, toTags: ['y'] } })
    const there = writer(visitor.line, String(toId))
    expect(
      await visitor.line.call('contact.open', { contact: toId, session: there.session, cursor: 0 }),
    ).toMatchObject({
      head: 0,
      counter: 0,
      record: { transferredFrom: contact },
    })
    await there.write('present', PRESENT)
    expect(await visitor.line.wait('contact.queue', (queue) => queue['contact'] === toId)).toMatchObject({
      position: expect.any(Number),
    })
    await expect(agent.line.call('log.read', { contact, after: 0, limit: 10 })).rejects.toMatchObject({
      code: 'left',
    })
    for (const line of [visitor.line, agent.line]) line.end()
  })

  it('SRV-20 SRV-21 renews its token when it is told to, and signs out', async () => {
    const { line, signIn } = await queued()
    test.clock.advance(870_000)
    expect(await line.wait('link.expiring')).toEqual({ expiresInMs: 30_000 })
    const fresh = await post('/v1/visitors/refresh', { refresh: signIn['refresh'] })
    expect(fresh['visitor']).toBe(signIn['visitor'])
    expect(await line.call('link.renew', { token: fresh['token'] })).toEqual({ expiresInMs: 900_000 })
    await post('/v1/visitors/sign-out', { refresh: fresh['refresh'] })
    await expect(connect(fresh['token'])).rejects.toMatchObject({ code: 'unauthorized' })
    line.end()
  })
})
