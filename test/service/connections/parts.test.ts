import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RelayFrame } from '../../../protocol/index.ts'
import { joinAgent, joinBoth, queueVisitor, timerSet } from '../../support/parties.ts'
import type { Party, WaitingVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { sendFile, urlOf } from '../../support/tus.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
let test: TestService

beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const admin = (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${test.url}/v1/admin/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const get = (url: string): Promise<Response> => fetch(url.startsWith('/') ? `${test.url}${url}` : url)

/**
 * A contact that an agent has accepted and opened, but not joined: with a second page of the agent's, and a
 * file of the visitor's.
 */
async function assigned() {
  const visitor = await queueVisitor(test)
  const file = await sendFile(test.url, visitor, Buffer.from('a secret'))
  const nick = `Ann ${randomUUID()}`
  const client = await test.agent(nick)
  await client.call('agent.presence', { state: 'ready', capacity: 100 })
  await client.push('agent.distribution', ({ id }) => id === visitor.id)
  await client.call('agent.accept', { contact: visitor.id })
  const agent: Party = { client, session: new WireSession(client, visitor.id) }
  await agent.session.open()
  return { visitor, agent, file, url: await urlOf(agent, file), again: await test.agent(nick), nick }
}

type Assigned = Awaited<ReturnType<typeof assigned>>

/** Ways to lose a contact that was accepted and opened. */
const WAYS: Record<string, (loss: Assigned) => Promise<unknown>> = {
  'declines it': ({ agent, visitor }) => agent.client.call('agent.decline', { contact: visitor.id }),
  'declines it on another connection': ({ again, visitor }) =>
    again.call('agent.decline', { contact: visitor.id }),
  'lets the time to join run out': async ({ visitor }) => {
    await timerSet(test, visitor.id, 'contact')
    test.clock.advance(60_000)
  },
  'leaves before joining': ({ agent }) => agent.session.leave(),
  'hands it on before joining': ({ agent, visitor }) =>
    agent.client.call('agent.transfer', { contact: visitor.id, toTags: [] }),
}

/** What has come of a contact so far; the connection is known to have brought all. */
async function heard(client: WireClient, contact: string): Promise<number> {
  await client.ask('link.renew', { token: client.token })
  return client.pushes.filter(({ body }) => 'contact' in body && body.contact === contact).length
}

const frame = (): RelayFrame => ({ n: 1, ack: 0, kind: 'iswriting' })

/** The codes with which all is refused that reads or writes. */
async function refusals(
  { client, session }: Party,
  contact: string,
  file: string,
): Promise<(string | null)[]> {
  const calls: readonly (readonly [string, object])[] = [
    ['log.read', { contact, after: 0, limit: 10 }],
    ['contact.read', { contact }],
    ['attachment.url', { contact, id: file }],
    [
      'log.append',
      {
        contact,
        session: session.id,
        drafts: [{ id: randomUUID(), session: session.id, counter: 1, type: 'text', body: { text: 'x' } }],
      },
    ],
    ['relay.send', { contact, session: session.id, to: 's-other', frame: frame() }],
    ['contact.open', { contact, session: session.id, cursor: 0 }],
    [
      'attachment.open',
      { contact, session: session.id, request: 'r', name: 'a.txt', mimetype: 'text/plain', size: 1 },
    ],
  ]
  const replies = await Promise.all(calls.map(([name, args]) => client.ask(name, args)))
  return replies.map((reply) => (reply.ok ? null : reply.error.code))
}

const LOST = ['left', 'not_assigned']
const NEVER_THERE = ['not_assigned', 'not_joined']

/** The visitor and the next agent speak: of both kinds of traffic. */
async function speak(visitor: WaitingVisitor, next: Party): Promise<void> {
  await visitor.session.text('only for the next')
  await next.session.text('only for the visitor')
  await visitor.client.call('relay.send', {
    contact: visitor.id,
    session: visitor.session.id,
    to: next.session.id,
    frame: frame(),
  })
  await next.client.push('relay.frame', ({ contact }) => contact === visitor.id)
  await next.client.entry(visitor.id, 'text', ({ body }) => body.text === 'only for the next')
}

describe('an agent who has lost a contact hears nothing of it', () => {
  it.each(Object.keys(WAYS))('SND-101 SND-305 who %s', async (way) => {
    const loss = await assigned()
    const { visitor, agent, again } = loss
    await WAYS[way]?.(loss)
    await visitor.client.entry(visitor.id, 'declined')
    await again.call('agent.presence', { state: 'paused' })
    const before = await heard(agent.client, visitor.id)
    const next = await joinAgent(test, visitor.id)
    await speak(visitor, next)
    expect([await heard(agent.client, visitor.id), await heard(again, visitor.id)]).toEqual([before, 0])
    for (const code of await refusals(agent, visitor.id, loss.file)) expect(LOST).toContain(code)
    expect((await get(loss.url)).status).toBe(403)
    expect(agent.client.entries(visitor.id).filter(({ type }) => type === 'text')).toEqual([])
    await next.client.call('agent.presence', { state: 'paused' })
    await next.session.leave()
  })

  it('SND-101 SND-305 a page of theirs that did not know: the time that all have gone for is over', async () => {
    const { visitor, agent, again, nick, url } = await assigned()
    const { record } = await again.call('contact.read', { contact: visitor.id })
    agent.client.close()
    again.close()
    await timerSet(test, record.agent?.user ?? '', 'agent')
    test.clock.advance(60_000)
    await visitor.client.entry(visitor.id, 'declined')
    const back: Party = { client: await test.agent(nick), session: agent.session }
    const next = await joinAgent(test, visitor.id)
    await speak(visitor, next)
    for (const code of await refusals(back, visitor.id, 'f-x')) expect(LOST).toContain(code)
    expect(await heard(back.client, visitor.id)).toBe(0)
    expect((await get(url)).status).toBe(403)
    await next.session.leave()
  })

  it('SND-305 who hands it on after joining, though the contact goes on under another id', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const { contact } = await agent.client.call('agent.transfer', { contact: id, toTags: [] })
    await agent.client.call('agent.presence', { state: 'paused' })
    await visitor.client.entry(id, 'transferred')
    const before = await heard(agent.client, id)
    const there = new WireSession(visitor.client, contact)
    await there.open()
    await there.present()
    const next = await joinAgent(test, contact)
    await speak({ client: visitor.client, session: there, id: contact }, next)
    expect([await heard(agent.client, id), await heard(agent.client, contact)]).toEqual([before, 0])
    for (const code of await refusals(agent, id, 'f-x')) expect(LOST).toContain(code)
    await next.session.leave()
  })

  it('SND-305 whose tokens were revoked, and whose visitor was erased', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const { record } = await agent.client.call('contact.read', { contact: id })
    const ended = new Promise((settle) => agent.client.socket.once('disconnect', settle))
    await admin('POST', 'revocations', { use: 'agent', id: record.agent?.user })
    await ended
    const before = agent.client.pushes.length
    await visitor.session.text('to nobody')
    expect(agent.client.pushes).toHaveLength(before)
    const other = await joinBoth(test)
    const { record: gone } = await other.agent.client.call('contact.read', { contact: other.id })
    await heard(other.agent.client, other.id)
    const told = other.agent.client.pushes.length
    await admin('DELETE', `visitors/${gone.visitor.id}`)
    await heard(other.agent.client, other.id)
    // Only that the visitor's connections have ended, and with them the contact.
    expect(
      other.agent.client.pushes.slice(told).flatMap(({ name, body }) => {
        if (name === 'contact.connected') return []
        return 'entries' in body ? body.entries.map(({ type }) => type) : [name]
      }),
    ).toEqual(['cleared'])
    for (const code of await refusals(other.agent, other.id, 'f-x'))
      expect(['not_found', 'not_joined']).toContain(code)
    await visitor.session.leave()
  })

  it('SND-305 who was only offered it has no part, and nothing of it', async () => {
    const client = await test.agent()
    await client.call('agent.presence', { state: 'ready', capacity: 100 })
    const visitor = await queueVisitor(test)
    await client.push('agent.distribution', ({ id }) => id === visitor.id)
    const offered: Party = { client, session: new WireSession(client, visitor.id) }
    for (const code of await refusals(offered, visitor.id, 'f-x')) expect(NEVER_THERE).toContain(code)
    test.clock.advance(30_000)
    await client.push('agent.withdrawn', ({ id }) => id === visitor.id)
    const next = await joinAgent(test, visitor.id)
    await speak(visitor, next)
    expect(await heard(client, visitor.id)).toBe(0)
    await client.call('agent.presence', { state: 'paused' })
    await next.session.leave()
  })
})

describe('who still has a part goes on hearing', () => {
  it('SND-305 another page of the visitor after the first has left, also where that was said on another connection', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const [other, third] = [await test.visitorAgain(visitor.client), await test.visitorAgain(visitor.client)]
    const stays = new WireSession(other, id)
    await stays.open()
    await stays.present(visitor.session.id)
    await third.call('contact.leave', { contact: id, session: visitor.session.id })
    await visitor.client.entry(id, 'left')
    const before = await heard(visitor.client, id)
    await agent.session.text('for who stays')
    await other.entry(id, 'text', ({ body }) => body.text === 'for who stays')
    expect(await heard(visitor.client, id)).toBe(before)
    await expect(visitor.session.text('late')).rejects.toMatchObject({ code: 'left' })
    await agent.session.leave()
  })

  it('SND-305 another page of the agent after the first has left', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const { record } = await agent.client.call('contact.read', { contact: id })
    const other = await test.agent(record.agent?.nick)
    const stays = new WireSession(other, id)
    await stays.open()
    await stays.present(agent.session.id)
    await agent.session.leave()
    const before = await heard(agent.client, id)
    await visitor.session.text('for who stays')
    await other.entry(id, 'text', ({ body }) => body.text === 'for who stays')
    expect(await heard(agent.client, id)).toBe(before)
    await stays.leave()
  })

  it('SND-305 an agent who has the contact again hears it again, as a whole', async () => {
    const { visitor, agent, again } = await assigned()
    await agent.client.call('agent.decline', { contact: visitor.id })
    await visitor.session.text('between')
    test.clock.advance(60_000)
    await again.push('agent.distribution', ({ id }) => id === visitor.id)
    await agent.client.call('agent.accept', { contact: visitor.id })
    await agent.session.open(agent.client.entries(visitor.id).at(-1)?.seq)
    await visitor.session.text('after')
    await agent.client.entry(visitor.id, 'text', ({ body }) => body.text === 'after')
    const seqs = agent.client.entries(visitor.id).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index))
    await agent.session.leave()
  })

  it('SND-305 both hear how a contact ends, and may read it afterwards', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await agent.session.leave()
    await visitor.client.entry(id, 'cleared')
    await agent.client.entry(id, 'cleared')
    const { head } = await visitor.client.call('log.read', { contact: id, after: 0, limit: 1 })
    expect(await visitor.session.open()).toMatchObject({ head, counter: 0 })
    await visitor.client.until(
      () => visitor.client.entries(id).filter(({ type }) => type === 'cleared').length === 2,
      'cleared again',
    )
    await expect(visitor.session.text('late')).rejects.toMatchObject({ code: 'left' })
    expect((await agent.client.call('log.read', { contact: id, after: 0, limit: 100 })).head).toBe(head)
  })
})
