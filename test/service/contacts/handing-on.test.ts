import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { Party, WaitingVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

const OFFER_MS = 30_000
let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())
/** Nobody of one test waits or works in the next. */
afterEach(async () => {
  const { pool } = test.service.database
  await pool.query("update agents set state = 'paused'")
  for (const table of ['offers', 'refusals', 'timers', 'entries', 'contacts'])
    await pool.query(`delete from ${table}`)
})

async function readyAgent({
  nick,
  capacity = 100,
  tags = [],
}: { nick?: string; capacity?: number; tags?: string[] } = {}): Promise<WireClient> {
  const agent = await test.agent(nick)
  await agent.call('agent.presence', { state: 'ready', capacity, tags })
  return agent
}

const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const offersOf = (agent: WireClient, contact: string) =>
  agent.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === contact)
const pause = (...agents: WireClient[]) =>
  Promise.all(agents.map((agent) => agent.call('agent.presence', { state: 'paused' })))
const idOf = async (nick: string): Promise<string> => (await signInAgent(test.url, nick)).agent.id

/** Resolves when a round of matching that begins now is over: a contact that comes now has been looked at. */
async function roundOver(): Promise<void> {
  const { id, session } = await queueVisitor(test, { nick: 'Probe' })
  const isOffered = async (): Promise<boolean> =>
    (await test.service.database.pool.query('select 1 from offers where contact = $1', [id])).rowCount !== 0
  while (!(await isOffered())) await new Promise((settle) => setImmediate(settle))
  await session.leave()
}

/** The visitor follows the contact. */
async function follow({ client }: WaitingVisitor, contact: string): Promise<void> {
  const next = new WireSession(client, contact)
  await next.open()
  await next.present()
}

/** A joined contact that its agent hands on. */
async function handOn(
  to: { toAgent: string } | { toTags: string[] },
): Promise<{ visitor: WaitingVisitor; first: Party; contact: string }> {
  const visitor = await queueVisitor(test)
  const first = await joinAgent(test, visitor.id)
  const { contact } = await first.client.call('agent.transfer', { contact: visitor.id, ...to })
  await follow(visitor, contact)
  return { visitor, first, contact }
}

describe('a contact that is handed to an agent who is connected', () => {
  it.each([
    ['paused', async (nick: string) => await test.agent(nick)],
    [
      'full',
      async (nick: string) => {
        const agent = await readyAgent({ nick, capacity: 1 })
        const { id } = await queueVisitor(test)
        await offered(agent, id)
        await agent.call('agent.accept', { contact: id })
        return agent
      },
    ],
  ])(
    'SND-115 LIFE-15 but %s goes to anyone after the time of an offer, and both are told',
    async (state, arrive) => {
      const nick = `Named ${state}`
      const named = await arrive(nick)
      const user = await idOf(nick)
      const { visitor, first, contact } = await handOn({ toAgent: user })
      await pause(first.client)
      const other = await readyAgent()
      await roundOver()
      test.clock.advance(OFFER_MS - 1)
      await roundOver()
      expect([offersOf(other, contact), offersOf(named, contact)]).toEqual([[], []])
      test.clock.advance(1)
      await offered(other, contact)
      expect((await visitor.client.entry(contact, 'declined')).body).toEqual({ user, nick })
      expect(await first.client.push('agent.declined')).toEqual({ id: contact, user, nick })
      expect(offersOf(named, contact)).toEqual([])
      await pause(other, named)
    },
  )

  it('SND-115 who becomes ready in time is offered it alone', async () => {
    const named = await test.agent('Named ready')
    const { first, contact } = await handOn({ toAgent: await idOf('Named ready') })
    await pause(first.client)
    const other = await readyAgent()
    test.clock.advance(OFFER_MS - 1_000)
    await named.call('agent.presence', { state: 'ready', capacity: 100 })
    await offered(named, contact)
    test.clock.advance(OFFER_MS - 1_000)
    await roundOver()
    expect(offersOf(other, contact)).toEqual([])
    await named.call('agent.accept', { contact })
    await pause(named, other)
  })

  it('SND-115 who declines it, or says nothing: who handed it on is told as well', async () => {
    const named = await readyAgent({ nick: 'Named unwilling' })
    const user = await idOf('Named unwilling')
    const declined = await handOn({ toAgent: user })
    await offered(named, declined.contact)
    await named.call('agent.decline', { contact: declined.contact })
    expect(await declined.first.client.push('agent.declined')).toMatchObject({ id: declined.contact, user })
    const silent = await handOn({ toAgent: user })
    await offered(named, silent.contact)
    test.clock.advance(OFFER_MS)
    expect(await silent.first.client.push('agent.declined')).toMatchObject({ id: silent.contact, user })
    expect((await silent.visitor.client.entry(silent.contact, 'declined')).body).toMatchObject({ user })
    await pause(named, declined.first.client, silent.first.client)
  })

  it('SND-115 LIFE-18 one that was not joined keeps its id, and waits as long', async () => {
    const visitor = await queueVisitor(test)
    test.clock.advance(2 * OFFER_MS)
    const first = await readyAgent()
    await offered(first, visitor.id)
    await first.call('agent.accept', { contact: visitor.id })
    await test.agent('Named later')
    const user = await idOf('Named later')
    const other = await readyAgent()
    await first.call('agent.transfer', { contact: visitor.id, toAgent: user })
    await pause(first)
    await roundOver()
    test.clock.advance(OFFER_MS - 1)
    await roundOver()
    expect(offersOf(other, visitor.id)).toEqual([])
    test.clock.advance(1)
    await offered(other, visitor.id)
    expect(await first.push('agent.declined')).toMatchObject({ id: visitor.id, user })
    await pause(other)
  })
})

describe('a contact that is handed on by tags', () => {
  it('SND-308 is not offered to the agent who did so while another one fits', async () => {
    const other = await readyAgent()
    const { first, contact } = await handOn({ toTags: ['tax'] })
    await offered(other, contact)
    await roundOver()
    expect(offersOf(first.client, contact)).toEqual([])
    await other.call('agent.decline', { contact })
    await offered(first.client, contact)
    await pause(other, first.client)
  })

  it('SND-308 is offered to them where nobody else is ready', async () => {
    const { first, contact } = await handOn({ toTags: ['tax'] })
    await offered(first.client, contact)
    await pause(first.client)
  })

  it('SND-308 waits for another who is full no longer than for the answer to an offer', async () => {
    const busy = await readyAgent({ capacity: 1 })
    const { id } = await queueVisitor(test)
    await offered(busy, id)
    await busy.call('agent.accept', { contact: id })
    const { first, contact } = await handOn({ toTags: ['tax'] })
    await roundOver()
    test.clock.advance(OFFER_MS - 1)
    await roundOver()
    expect(offersOf(first.client, contact)).toEqual([])
    test.clock.advance(1)
    await offered(first.client, contact)
    await pause(busy, first.client)
  })

  it('SND-308 LIFE-18 the same before it was joined', async () => {
    const { id } = await queueVisitor(test)
    const first = await readyAgent()
    await offered(first, id)
    await first.call('agent.accept', { contact: id })
    const other = await readyAgent()
    await first.call('agent.transfer', { contact: id, toTags: ['tax'] })
    await offered(other, id)
    test.clock.advance(61_000)
    await roundOver()
    expect(offersOf(first, id)).toHaveLength(1)
    await pause(first, other)
  })
})
