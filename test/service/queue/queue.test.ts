import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, queueVisitor, timerSet } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** An agent who is ready for more than they can be offered. */
async function readyAgent(nick?: string): Promise<WireClient> {
  const agent = await test.agent(nick)
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  return agent
}

const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const withdrawn = (agent: WireClient, contact: string) =>
  agent.push('agent.withdrawn', ({ id }) => id === contact)
const pause = (...agents: WireClient[]) =>
  Promise.all(agents.map((agent) => agent.call('agent.presence', { state: 'paused' })))

describe('the queue', () => {
  it('LIFE-24 tells visitors their position when it changes', async () => {
    const agents = await readyAgent()
    await pause(agents)
    const first = await queueVisitor(test)
    test.clock.advance(1)
    const second = await queueVisitor(test)
    const position = (visitor: typeof first, wanted: number) =>
      visitor.client.push('contact.queue', (body) => body.contact === visitor.id && body.position === wanted)
    const { position: start } = await second.client.push('contact.queue')
    await position(first, start - 1)
    await first.session.leave()
    await position(second, start - 1)
    await second.session.leave()
  })

  it('LIFE-24 tells a page that opens a waiting contact again', async () => {
    const { client, session, id } = await queueVisitor(test)
    const { position } = await client.push('contact.queue')
    const page = await test.visitorAgain(client)
    await page.call('contact.open', { contact: id, session: 'page-2', cursor: 0 })
    expect(await page.push('contact.queue')).toMatchObject({ contact: id, position })
    page.close()
    await session.leave()
  })

  it('LIFE-10 a visitor who vanishes from the queue is not offered any more, and cleared later', async () => {
    const visitor = await queueVisitor(test)
    visitor.client.close()
    await timerSet(test, visitor.id, 'absence')
    test.clock.advance(60_000)
    await timerSet(test, visitor.id, 'contact')
    const again = await test.visitorAgain(visitor.client)
    const life = async () =>
      (
        await test.service.database.pool.query<{ waiting: boolean; life: string }>(
          'select waiting, life from contacts where id = $1',
          [visitor.id],
        )
      ).rows[0]
    while ((await life())?.waiting) await new Promise((settle) => setImmediate(settle))
    test.clock.advance(600_000)
    while ((await life())?.life !== 'cleared') await new Promise((settle) => setImmediate(settle))
    const { entries } = await again.call('log.read', { contact: visitor.id, after: 0, limit: 10 })
    expect(entries.slice(1).map(({ type, body }) => [type, 'reason' in body && body.reason])).toEqual([
      ['left', 'timeout'],
      ['cleared', 'disconnect'],
    ])
  })
})

describe('distribution', () => {
  it('SRV-10 shows what the agent needs to decide, with a time limit', async () => {
    const agent = await readyAgent()
    const initialOffer = { Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' } } as const
    const { id } = await queueVisitor(test, { nick: 'Vera', lang: 'de', tags: ['sales'], initialOffer })
    expect(await offered(agent, id)).toEqual({
      id,
      nick: 'Vera',
      lang: 'de',
      tags: ['sales'],
      initialOffer,
      secure: false,
      waitedMs: expect.any(Number),
      expiresInMs: 30_000,
    })
    await pause(agent)
  })

  it('SRV-10 an agent who becomes ready is offered what waits', async () => {
    const { id } = await queueVisitor(test)
    const agent = await readyAgent()
    await offered(agent, id)
    await pause(agent)
    expect(await withdrawn(agent, id)).toEqual({ id, reason: 'cleared' })
  })

  it('SRV-10 an agent who has switched off a medium is not offered contacts that need it', async () => {
    const [without, having] = [await test.agent(), await readyAgent()]
    await without.call('agent.presence', { state: 'ready', capacity: 100, media: { Voice: false } })
    const { id } = await queueVisitor(test, {
      initialOffer: { Voice: { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } },
    })
    await offered(having, id)
    expect(
      without.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === id),
    ).toEqual([])
    await pause(without, having)
  })

  it('SRV-11 of all agents who accept at once exactly one gets the contact', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => readyAgent()))
    const { id, client } = await queueVisitor(test)
    await Promise.all(agents.map((agent) => offered(agent, id)))
    const replies = await Promise.all(agents.map((agent) => agent.ask('agent.accept', { contact: id })))
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1)
    expect(replies.flatMap((reply) => (reply.ok ? [] : [reply.error.code]))).toEqual(
      Array.from({ length: 7 }, () => 'not_assigned'),
    )
    const losers = agents.filter((_, index) => !replies[index]?.ok)
    for (const loser of losers) expect(await withdrawn(loser, id)).toEqual({ id, reason: 'taken' })
    await client.entry(id, 'assigned')
    expect(client.entries(id).filter(({ type }) => type === 'assigned')).toHaveLength(1)
    await pause(...agents)
  })

  it('SRV-11 accepting again gives the same contact', async () => {
    const agent = await readyAgent()
    const { id } = await queueVisitor(test)
    await offered(agent, id)
    const first = await agent.call('agent.accept', { contact: id })
    expect(first.record).toMatchObject({ id, state: 'assigned' })
    expect(await agent.call('agent.accept', { contact: id })).toEqual(first)
    expect((await agent.call('agent.contacts', {})).records.map((record) => record.id)).toEqual([id])
    await pause(agent)
  })

  it('SRV-12 LIFE-18 an offer that is declined goes on to the next agent, and the contact keeps its id', async () => {
    const first = await readyAgent()
    const { id, client } = await queueVisitor(test)
    await offered(first, id)
    const second = await readyAgent()
    await offered(second, id)
    await first.call('agent.decline', { contact: id })
    expect((await client.entry(id, 'declined')).body.nick).toMatch(/^Agent /)
    await expect(first.call('agent.accept', { contact: id })).rejects.toMatchObject({ code: 'not_assigned' })
    expect(await second.call('agent.accept', { contact: id })).toMatchObject({ record: { id } })
    await pause(first, second)
  })

  it('LIFE-18 an agent who accepts and does not join in time loses the contact', async () => {
    const agent = await readyAgent()
    const { id, client } = await queueVisitor(test)
    await offered(agent, id)
    await agent.call('agent.accept', { contact: id })
    test.clock.advance(60_000)
    await client.entry(id, 'declined')
    expect((await client.call('contact.read', { contact: id })).record).toMatchObject({ id, state: 'queued' })
    await pause(agent)
  })

  it('SRV-12 an offer that nobody answers expires', async () => {
    const agent = await readyAgent()
    const { id } = await queueVisitor(test)
    await offered(agent, id)
    test.clock.advance(30_000)
    expect(await withdrawn(agent, id)).toEqual({ id, reason: 'expired' })
    const offers = () =>
      agent.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === id)
    await agent.until(() => offers().length === 2, 'the offer again')
    await pause(agent)
  })

  it('SRV-11 the offer is taken back when the visitor leaves', async () => {
    const agent = await readyAgent()
    const { id, session } = await queueVisitor(test)
    await offered(agent, id)
    await session.leave()
    expect(await withdrawn(agent, id)).toEqual({ id, reason: 'cleared' })
    await pause(agent)
  })

  it('LIFE-10 an agent who vanishes before joining gives the contact back', async () => {
    const agent = await readyAgent('Vanishing')
    const { id, client } = await queueVisitor(test)
    await offered(agent, id)
    const { record } = await agent.call('agent.accept', { contact: id })
    agent.close()
    await timerSet(test, record.agent?.user ?? '', 'agent')
    test.clock.advance(59_999)
    test.clock.advance(1)
    await client.entry(id, 'declined')
    const other = await readyAgent()
    await offered(other, id)
    await pause(other)
  })

  it('LIFE-10 LIFE-15 LIFE-16 an agent who vanishes from a joined contact leaves it to a new one', async () => {
    const visitor = await queueVisitor(test)
    const { client: agent } = await joinAgent(test, visitor.id)
    agent.close()
    await timerSet(test, visitor.id, 'absence')
    test.clock.advance(60_000)
    const { body } = await visitor.client.entry(visitor.id, 'transferred')
    expect(visitor.client.entries(visitor.id).at(-2)).toMatchObject({
      type: 'left',
      body: { slot: 'agent', reason: 'timeout' },
    })
    const next = new WireSession(visitor.client, body.toId)
    expect((await next.open()).record).toMatchObject({
      id: body.toId,
      state: 'queued',
      transferredFrom: visitor.id,
      visitor: { nick: 'Vera' },
    })
    await next.present()
    const other = await readyAgent()
    await offered(other, body.toId)
    await expect(visitor.session.text('too late')).rejects.toMatchObject({ code: 'left' })
    await pause(other)
  })
})
