/** What it means that an agent does not take a contact, however that came. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, joinBoth, queueVisitor, timerSet } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

/** An offer stands for longer than a visitor whose line is down is waited for. */
const OFFER_MS = 120_000
let test: TestService

beforeAll(async () => {
  test = await startTestService({ offerMs: OFFER_MS })
})
afterAll(() => test.close())
afterEach(async () => {
  const { pool } = test.service.database
  await pool.query("update agents set state = 'paused'")
  for (const table of ['offers', 'refusals', 'timers', 'entries', 'contacts'])
    await pool.query(`delete from ${table}`)
})

const rowsOf = async (text: string, ...values: unknown[]): Promise<number> =>
  (await test.service.database.pool.query(text, values)).rowCount ?? 0
const idOf = async (nick: string): Promise<string> => (await signInAgent(test.url, nick)).agent.id
const offersOf = (agent: WireClient, contact: string): number =>
  agent.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === contact).length
const typesOf = (client: WireClient, contact: string): string[] =>
  client.entries(contact).map(({ type }) => type)

async function ready(nick: string): Promise<WireClient> {
  const agent = await test.agent(nick)
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  return agent
}

async function take(agent: WireClient, contact: string): Promise<void> {
  await agent.push('agent.distribution', ({ id }) => id === contact)
  await agent.call('agent.accept', { contact })
}

/** Resolves when a round of matching that begins now is over. Somebody must be ready. */
async function roundOver(): Promise<void> {
  const { id, session } = await queueVisitor(test, { nick: 'Probe' })
  while ((await rowsOf('select 1 from offers where contact = $1', id)) === 0)
    await new Promise((settle) => setImmediate(settle))
  await session.leave()
}

async function follow(client: WireClient, contact: string, after?: string): Promise<WireSession> {
  const next = new WireSession(client, contact)
  await next.open()
  await next.present(after)
  return next
}

/** A joined contact that is handed to an agent, who need not be there. */
async function handTo(toAgent: string): Promise<{
  visitor: WaitingVisitor
  first: WireClient
  contact: string
}> {
  const visitor = await queueVisitor(test)
  const { client: first } = await joinAgent(test, visitor.id)
  await first.call('agent.presence', { state: 'paused' })
  const { contact } = await first.call('agent.transfer', { contact: visitor.id, toAgent })
  return { visitor, first, contact }
}

/** Gives the contact back without a word, before joining. */
const GIVING_BACK: readonly [string, (agent: WireClient, contact: string) => Promise<unknown>][] = [
  [
    'leaves',
    async (agent, contact) => {
      const session = new WireSession(agent, contact)
      await session.open()
      await session.leave()
    },
  ],
  ['does not join in time', async () => test.clock.advance(60_001)],
]

describe('an agent who accepts and', () => {
  it.each(GIVING_BACK)('SND-115 LIFE-18 %s is not asked again for 60 s', async (how, giveBack) => {
    const agent = await ready(`Once ${how}`)
    const visitor = await queueVisitor(test)
    await take(agent, visitor.id)
    await giveBack(agent, visitor.id)
    await visitor.client.entry(visitor.id, 'declined')
    await roundOver()
    expect(offersOf(agent, visitor.id)).toBe(1)
    test.clock.advance(60_000)
    await agent.until(() => offersOf(agent, visitor.id) === 2, 'a second offer')
  })

  it.each(GIVING_BACK)(
    'SND-115 %s, though the contact was handed to them: others are asked, and who handed it on is told once',
    async (how, giveBack) => {
      const [named, other] = [await ready(`Named ${how}`), await ready(`Other ${how}`)]
      const user = await idOf(`Named ${how}`)
      const visitor = await queueVisitor(test)
      const first = await ready(`First ${how}`)
      for (const agent of [named, other]) await agent.call('agent.presence', { state: 'paused' })
      await take(first, visitor.id)
      await follow(first, visitor.id)
      await visitor.client.entry(visitor.id, 'joined')
      await named.call('agent.presence', { state: 'ready', capacity: 100 })
      await other.call('agent.presence', { state: 'ready', capacity: 100 })
      await first.call('agent.presence', { state: 'paused' })
      const { contact } = await first.call('agent.transfer', { contact: visitor.id, toAgent: user })
      await follow(visitor.client, contact)
      await take(named, contact)
      await giveBack(named, contact)
      await other.push('agent.distribution', ({ id }) => id === contact)
      await roundOver()
      expect(offersOf(named, contact)).toBe(1)
      expect(await first.push('agent.declined')).toMatchObject({ id: contact, user })
      expect(typesOf(visitor.client, contact).filter((type) => type === 'declined')).toHaveLength(1)
    },
  )
})

describe('a contact that is handed to an agent', () => {
  it('SND-115 is offered to them, not given up, when its visitor was away for longer than an offer stands', async () => {
    const named = await ready('Named away')
    await named.call('agent.presence', { state: 'paused' })
    const user = await idOf('Named away')
    const { visitor, contact } = await handTo(user)
    await named.call('agent.presence', { state: 'ready', capacity: 100 })
    const next = await follow(visitor.client, contact)
    await named.push('agent.distribution', ({ id }) => id === contact)
    const again = await test.visitorAgain(visitor.client)
    visitor.client.close()
    await timerSet(test, contact, 'absence')
    test.clock.advance(60_001)
    await named.push('agent.withdrawn', ({ id }) => id === contact)
    test.clock.advance(90_000)
    await follow(again, contact, next.id)
    await named.until(() => offersOf(named, contact) === 2, 'a second offer')
    await roundOver()
    expect(typesOf(again, contact)).not.toContain('declined')
  })

  it('SND-115 LIFE-15 who is gone goes to anyone, and nobody is told that they declined', async () => {
    const gone = await test.agent('Gone')
    const user = await idOf('Gone')
    gone.close()
    await timerSet(test, user, 'agent')
    const { visitor, first, contact } = await handTo(user)
    await follow(visitor.client, contact)
    test.clock.advance(OFFER_MS)
    while ((await rowsOf('select 1 from contacts where id = $1 and only_agent is null', contact)) === 0)
      await new Promise((settle) => setImmediate(settle))
    expect(await rowsOf("select 1 from entries where contact = $1 and type = 'declined'", contact)).toBe(0)
    await first.call('agent.contacts', {})
    expect(first.pushes.map(({ name }) => name)).not.toContain('agent.declined')
  })
})

it('LIFE-18 tags of a transfer before joining stay when the contact goes on once more', async () => {
  const first = await ready('Tags')
  const visitor = await queueVisitor(test, { tags: ['sales'] })
  await take(first, visitor.id)
  await first.call('agent.transfer', { contact: visitor.id, toTags: ['support', '{"a", \'b}'] })
  await first.call('agent.presence', { state: 'paused' })
  const second = await joinAgent(test, visitor.id)
  const tagsOf = async (contact: string) =>
    (await visitor.client.call('contact.read', { contact })).record.tags
  expect(await tagsOf(visitor.id)).toEqual(['support', '{"a", \'b}'])
  const { contact } = await second.client.call('agent.transfer', {
    contact: visitor.id,
    toAgent: await idOf('Tags'),
  })
  expect(await tagsOf(contact)).toEqual(['support', '{"a", \'b}'])
})

it('SRV-5 an accept by force that is refused takes no offer back that stands', async () => {
  const { token } = (await (
    await fetch(`${test.url}/v1/dev/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nick: 'Forcer', rights: ['join:force'] }),
    })
  ).json()) as { token: string }
  const agent = await WireClient.connect(test.url, token)
  await agent.call('agent.presence', { state: 'ready', capacity: 2 })
  // One after the other: the clock stands still, so that of those who wait together any two could be offered.
  const offered = async () => {
    const visitor = await queueVisitor(test)
    await agent.push('agent.distribution', ({ id }) => id === visitor.id)
    return visitor
  }
  const [one, two, three] = [await offered(), await offered(), await queueVisitor(test)]
  await take(agent, one.id)
  await agent.call('agent.accept', { contact: three.id, force: true })
  const refused = agent.call('agent.accept', { contact: two.id, force: true })
  await expect(refused).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await rowsOf('select 1 from offers where contact = $1', two.id)).toBe(1)
  expect(await rowsOf("select 1 from timers where subject = $1 and kind = 'offer'", two.id)).toBe(1)
  agent.close()
})

it('LIFE-10 an agent who is gone gives back what can be given back, and the rest later', async () => {
  const agent = await ready('Vanished')
  const visitors = [await queueVisitor(test), await queueVisitor(test)]
  for (const { id } of visitors) await take(agent, id)
  const [locked, free] = visitors.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const user = await idOf('Vanished')
  // They do not wait for the time to join.
  await test.service.database.pool.query("delete from timers where kind = 'contact' and key = 'join'")
  const locker = await test.service.database.pool.connect()
  await locker.query('begin')
  await locker.query('select 1 from contacts where id = $1 for update', [locked?.id])
  agent.close()
  await timerSet(test, user, 'agent')
  test.clock.advance(60_001)
  await free?.client.entry(free.id, 'declined')
  while ((await rowsOf('select 1 from timers where subject = $1 and failures > 0', user)) === 0)
    await new Promise((settle) => setTimeout(settle, 20))
  await locker.query('commit')
  locker.release()
  test.clock.advance(5_000)
  await locked?.client.entry(locked.id, 'declined')
  while ((await rowsOf('select 1 from timers where subject = $1', user)) > 0)
    await new Promise((settle) => setTimeout(settle, 20))
})

describe('a contact that its visitor has left', () => {
  it('LIFE-7 LIFE-10 is over when its agent is gone, too: it does not go on for nobody', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    agent.client.close()
    await timerSet(test, id, 'absence')
    test.clock.advance(45_000)
    await visitor.session.leave()
    test.clock.advance(16_000)
    while ((await rowsOf('select 1 from contacts where id = $1 and ended is not null', id)) === 0)
      await new Promise((settle) => setImmediate(settle))
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect([record.state, record.reason]).toEqual(['cleared', 'user'])
    expect(await rowsOf('select 1 from contacts where transferred_from = $1', id)).toBe(0)
  })

  it('LIFE-7 cannot be handed on', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.leave()
    await expect(agent.client.call('agent.transfer', { contact: id, toTags: ['x'] })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await agent.session.leave()
    expect((await agent.client.entry(id, 'cleared')).body).toEqual({ reason: 'user' })
  })
})
