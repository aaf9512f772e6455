/** What agents look up beside the contacts that they have: replies, the overview, listening in. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor, takeOffered } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const REPLIES = [{ shortcut: 'hello', text: 'Hello {visitor}, this is {agent}.' }]
const audited: Record<string, unknown>[] = []
let test: TestService
const opened: WireClient[] = []

beforeAll(async () => {
  test = await startTestService({ replies: REPLIES }, { audit: (facts) => void audited.push({ ...facts }) })
})
afterAll(async () => {
  for (const client of opened) client.close()
  await test.close()
})

/** An agent with rights of the token. */
async function withRights(rights: readonly string[], nick = `Agent ${randomUUID()}`): Promise<WireClient> {
  const response = await fetch(`${test.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick, rights }),
  })
  const { token } = (await response.json()) as { token: string }
  const client = await WireClient.connect(test.url, token)
  opened.push(client)
  return client
}

describe('canned replies of the organisation', () => {
  it('PRD-173 are told to agents as the service was given them, and to no visitor', async () => {
    const agent = await test.agent()
    expect(await agent.call('agent.replies', {})).toEqual({ replies: REPLIES })
    const visitor = await test.visitor()
    expect(await visitor.ask('agent.replies', {})).toMatchObject({ error: { code: 'forbidden' } })
  })
})

describe('the overview', () => {
  it('PRD-179 is for the right to supervise, and shows queue, agents, contacts and times', async () => {
    const plain = await withRights(['listen'])
    expect(await plain.ask('agent.overview', {})).toMatchObject({ error: { code: 'forbidden' } })
    const supervisor = await withRights(['supervise'])
    const busy = await test.agent('Busy Bee')
    const before = await supervisor.call('agent.overview', {})
    const waiting = await queueVisitor(test, { nick: 'Waiting Will', tags: ['bills'] })
    test.clock.advance(5_000)
    await busy.call('agent.presence', { state: 'ready', capacity: 1, tags: ['bills'] })
    await busy.push('agent.distribution', ({ id }) => id === waiting.id)
    const queued = await supervisor.call('agent.overview', {})
    expect(queued.totals).toMatchObject({
      waiting: before.totals.waiting + 1,
      ready: before.totals.ready + 1,
      open: before.totals.open,
    })
    expect(queued.queue).toContainEqual({
      ...{ id: waiting.id, nick: 'Waiting Will', tags: ['bills'], waitedMs: 5_000 },
    })
    expect(queued.longestWaitMs).toBeGreaterThanOrEqual(5_000)
    await busy.call('agent.accept', { contact: waiting.id })
    const session = new WireSession(busy, waiting.id)
    await session.open()
    await session.present()
    await session.text('Hello Will')
    test.clock.advance(60_000)
    const talking = await supervisor.call('agent.overview', {})
    expect(talking.contacts.find(({ id }) => id === waiting.id)).toMatchObject({
      ...{ nick: 'Waiting Will', agent: 'Busy Bee', state: 'joined', lastsMs: 60_000, messages: 1 },
      secure: false,
    })
    expect(talking.agents.find(({ nick }) => nick === 'Busy Bee')).toMatchObject({
      ...{ state: 'busy', contacts: 1, capacity: 1, tags: ['bills'] },
    })
    await busy.call('contact.leave', { contact: waiting.id, session: session.id })
    await expect
      .poll(async () => (await supervisor.call('agent.overview', {})).lastHour.ended)
      .toBe(before.lastHour.ended + 1)
    const { lastHour } = await supervisor.call('agent.overview', {})
    expect(lastHour.handlingMs).toBeGreaterThan(0)
    expect(lastHour.waitMs).toBeGreaterThan(0)
  })
})

describe('listening in', () => {
  /** All that a party has been told. */
  const told = ({ client }: Party): string => JSON.stringify(client.pushes)

  it('PRD-180 needs a right of its own, and neither party is told anything', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('Do you hear me?')
    await agent.session.text('Yes')
    for (const rights of [[], ['supervise']]) {
      const stranger = await withRights(rights)
      expect(await stranger.ask('agent.read', { contact: id, after: 0 })).toMatchObject({
        error: { code: 'not_assigned' },
      })
    }
    const listener = await withRights(['listen'])
    const record = await visitor.client.call('contact.read', { contact: id })
    const [heardVisitor, heardAgent] = [told(visitor), told(agent)]
    const page = await listener.call('agent.read', { contact: id, after: 0 })
    expect(page.texts.map(({ role, text }) => [role, text])).toEqual([
      ['visitor', 'Do you hear me?'],
      ['agent', 'Yes'],
    ])
    await visitor.session.text('And now?')
    const next = await listener.call('agent.read', { contact: id, after: page.last })
    expect(next).toMatchObject({ texts: [{ text: 'And now?' }], isMore: false, isOver: false })
    const now = await visitor.client.call('contact.read', { contact: id })
    expect(now.record.channels).toEqual(record.record.channels)
    const log = await visitor.client.call('log.read', { contact: id, after: 0, limit: 100 })
    expect(log.entries.filter(({ type }) => type === 'ack' || type === 'joined')).toHaveLength(1)
    expect(told(visitor).startsWith(heardVisitor.slice(0, -1))).toBe(true)
    expect(told(agent).startsWith(heardAgent.slice(0, -1))).toBe(true)
    expect(audited).toContainEqual(
      expect.objectContaining({ action: 'agent.read', contact: id, result: 'ok' }),
    )
  })

  it('PRD-180 LIFE-17 of a contact that was handed on is refused with left until it comes back, unless for the right', async () => {
    const visitor = await queueVisitor(test, { tags: ['to the first'] })
    const [first, second] = [await test.agent(), await test.agent()]
    const read = async (client: WireClient, contact = visitor.id): Promise<unknown> => {
      const answer = await client.ask('agent.read', { contact, after: 0 })
      return answer.ok ? 'ok' : answer.error.code
    }
    const take = async (client: WireClient, contact: string): Promise<void> => {
      await client.call('agent.presence', {
        state: 'ready',
        tags: [`to the ${client === first ? 'first' : 'second'}`],
      })
      await takeOffered(client, contact)
    }
    const hand = async (client: WireClient, contact: string, tag: string): Promise<string> => {
      const { contact: id } = await client.call('agent.transfer', { contact, toTags: [tag] })
      const session = new WireSession(visitor.client, id)
      await session.open()
      await session.present()
      return id
    }
    await take(first, visitor.id)
    const next = await hand(first, visitor.id, 'to the second')
    expect([await read(first), await read(second)]).toEqual(['left', 'not_assigned'])
    expect(await read(await withRights(['listen']))).toBe('ok')
    await take(second, next)
    expect([await read(first), await read(second)]).toEqual(['left', 'ok'])
    await take(first, await hand(second, next, 'to the first'))
    expect([await read(first), await read(first, next), await read(second, next)]).toEqual([
      'ok',
      'ok',
      'left',
    ])
  })

  it('PRD-180 of an encrypted contact is refused, also to the agent who has it', async () => {
    const { agent, id } = await joinBoth(test, { secure: true })
    const listener = await withRights(['listen'])
    for (const client of [listener, agent.client])
      expect(await client.ask('agent.read', { contact: id, after: 0 })).toMatchObject({
        error: { code: 'forbidden' },
      })
  })
})
