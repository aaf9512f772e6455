/** What agents look up beside the contacts that they have: replies, past contacts, the overview, listening in. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
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

/** Takes and ends contacts of visitors, each with texts of theirs; all by one agent. */
async function pastOf(
  agent: WireClient,
  visitors: readonly { readonly nick: string; readonly texts: readonly string[]; readonly secure?: true }[],
): Promise<string[]> {
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  const ids: string[] = []
  for (const { nick, texts, ...request } of visitors) {
    test.clock.advance(1_000)
    const visitor = await queueVisitor(test, { nick, ...request })
    for (const text of texts) await visitor.session.text(text)
    await agent.push('agent.distribution', ({ id }) => id === visitor.id)
    await agent.call('agent.accept', { contact: visitor.id })
    const session = new WireSession(agent, visitor.id)
    await session.open()
    await session.present()
    await agent.call('contact.leave', { contact: visitor.id, session: session.id })
    ids.push(visitor.id)
  }
  await agent.call('agent.presence', { state: 'paused' })
  await expect
    .poll(async () =>
      (
        await test.service.database.db.selectFrom('contacts').select('life').where('id', 'in', ids).execute()
      ).every(({ life }) => life === 'cleared'),
    )
    .toBe(true)
  return ids
}

const idsIn = ({ contacts }: { contacts: readonly { id: string }[] }): string[] =>
  contacts.map(({ id }) => id)

describe('canned replies of the organisation', () => {
  it('PRD-173 are told to agents as the service was given them, and to no visitor', async () => {
    const agent = await test.agent()
    expect(await agent.call('agent.replies', {})).toEqual({ replies: REPLIES })
    const visitor = await test.visitor()
    expect(await visitor.ask('agent.replies', {})).toMatchObject({ error: { code: 'forbidden' } })
  })
})

describe('the search over past contacts', () => {
  it('PRD-176 finds the agent’s own ended contacts by text, name and time, the newest first', async () => {
    const agent = await test.agent()
    const before = test.clock.now()
    const [lamp, table, again] = await pastOf(agent, [
      { nick: 'Robin Oak', texts: ['Is the OAK lamp in stock?', 'The small one'] },
      { nick: 'Kim', texts: ['My table wobbles'] },
      { nick: 'Robin', texts: ['100% oak_table?'] },
    ])
    const search = async (query: object) => idsIn(await agent.call('agent.search', query))
    expect(await search({})).toEqual([again, table, lamp])
    expect(await search({ text: 'oak' })).toEqual([again, lamp])
    expect(await search({ text: '%' })).toEqual([again])
    expect(await search({ text: 'k_t' })).toEqual([again])
    expect(await search({ name: 'rob' })).toEqual([again, lamp])
    expect(await search({ name: 'robin', text: 'lamp' })).toEqual([lamp])
    expect(await search({ from: before + 1_500 })).toEqual([again, table])
    expect(await search({ to: before + 1_500 })).toEqual([lamp])
    expect(await search({ text: 'nothing like it' })).toEqual([])
    const { contacts } = await agent.call('agent.search', { text: 'small' })
    expect(contacts).toMatchObject([
      { nick: 'Robin Oak', messages: 2, secure: false, excerpt: 'The small one' },
    ])
  })

  it('PRD-176 finds nothing of another agent’s, of an open contact or of an encrypted one’s text', async () => {
    const [one, other] = [await test.agent(), await test.agent()]
    const [, secure] = await pastOf(one, [
      { nick: 'Ann', texts: ['canary word'] },
      { nick: 'Ben', texts: [], secure: true },
    ])
    expect(await other.call('agent.search', { text: 'canary' })).toEqual({ contacts: [] })
    expect(idsIn(await one.call('agent.search', { name: 'ben' }))).toEqual([secure])
    expect(idsIn(await one.call('agent.search', { text: 'c' }))).not.toContain(secure)
    const { id, agent } = await joinBoth(test)
    expect(idsIn(await agent.client.call('agent.search', {}))).not.toContain(id)
    const visitor = await test.visitor()
    expect(await visitor.ask('agent.search', {})).toMatchObject({ error: { code: 'forbidden' } })
  })

  it('PRD-176 gives a page at a time, and looks at so much and no more', async () => {
    const agent = await test.agent()
    const [first] = await pastOf(agent, [{ nick: 'Zoe', texts: ['one'] }])
    const { db } = test.service.database
    const row = await db
      .selectFrom('contacts')
      .selectAll()
      .where('id', '=', first ?? '')
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 25 }, (_, n) => ({
      ...row,
      id: `copy-${n}`,
      request: `copy-${n}`,
      created: row.created + 1 + n,
    }))
    await db.insertInto('contacts').values(copies).execute()
    const page = await agent.call('agent.search', {})
    expect(idsIn(page)).toEqual(
      copies
        .toReversed()
        .slice(0, 20)
        .map(({ id }) => id),
    )
    const rest = await agent.call('agent.search', { before: page.next ?? '' })
    expect(idsIn(rest)).toEqual([
      ...copies
        .slice(0, 5)
        .toReversed()
        .map(({ id }) => id),
      first,
    ])
    expect(rest.next).toBeUndefined()
    // One contact has as many entries as a page looks at: the older ones come with the next page.
    await db.updateTable('contacts').set({ head: 20_000 }).where('id', '=', 'copy-3').execute()
    const text = await agent.call('agent.search', { text: 'one' })
    expect([idsIn(text), text.next]).toEqual([[], `${row.created + 5}:copy-4`])
    const older = await agent.call('agent.search', { text: 'one', before: `${row.created + 4}:copy-3` })
    expect(idsIn(older)).toEqual([first])
    expect(await agent.ask('agent.search', { before: 'elsewhere' })).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    for (const wrong of [{ text: '' }, { text: 'x'.repeat(129) }, { from: -1 }])
      expect(await agent.ask('agent.search', wrong)).toMatchObject({ ok: false })
  })

  it('PRD-176 a past contact is read by the agent who had it, and by no other', async () => {
    const [agent, other] = [await test.agent(), await test.agent()]
    const [contact = ''] = await pastOf(agent, [{ nick: 'Ann', texts: ['first', 'second'] }])
    const { texts, isOver, isMore } = await agent.call('agent.read', { contact, after: 0 })
    expect(texts.map(({ role, text, nick }) => [role, nick, text])).toEqual([
      ['visitor', 'Ann', 'first'],
      ['visitor', 'Ann', 'second'],
    ])
    expect([isOver, isMore]).toEqual([true, false])
    expect(await other.ask('agent.read', { contact, after: 0 })).toMatchObject({
      error: { code: 'not_assigned' },
    })
    expect(await agent.ask('agent.read', { contact: 'c-none', after: 0 })).toMatchObject({
      error: { code: 'not_found' },
    })
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

  it('PRD-180 of an encrypted contact is refused, also to the agent who has it', async () => {
    const { agent, id } = await joinBoth(test, { secure: true })
    const listener = await withRights(['listen'])
    for (const client of [listener, agent.client])
      expect(await client.ask('agent.read', { contact: id, after: 0 })).toMatchObject({
        error: { code: 'forbidden' },
      })
  })
})
