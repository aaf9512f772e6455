/** What offers come to: an agent whom none has reached is neither paused nor waited for. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { offerSeen, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
const query = async (text: string, values: unknown[] = []) =>
  (await test.service.database.pool.query<Record<string, unknown>>(text, values)).rows

beforeAll(async () => {
  test = await startTestService({ strategy: 'round-robin' })
})
afterAll(() => test.close())
beforeEach(() => query("update agents set state = 'paused'"))

/** An agent who counts as connected, with a connection that nobody serves. */
const deafAgent = (id: string) =>
  query(
    `with made as (insert into agents (id, nick, state, connected) values ($1, 'Deaf', 'ready', true) returning id)
     insert into agent_connections (id, agent, node) select 'l-' || id, id, (select node from nodes where state = 'up') from made`,
    [id],
  )

const offersOf = (contact: string) =>
  query('select agent, told, seen from offers where contact = $1', [contact])

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((settle) => setImmediate(settle))
}

it('CLU-89 the service notes that an offer was pushed, and that a client has read it', async () => {
  const agent = await test.agent()
  await agent.call('agent.presence', { state: 'ready' })
  const { id, session } = await queueVisitor(test)
  await offerSeen(test, id)
  expect(await offersOf(id)).toMatchObject([{ told: true, seen: true }])
  await session.leave()
})

it('CLU-89 an offer that nobody was told of for 3 s is taken back without a refusal; its agent is passed over for 5 s, and somebody else is asked', async () => {
  await deafAgent('deaf-1')
  const { id, session, client } = await queueVisitor(test)
  await until(async () => (await offersOf(id)).length === 1)
  const agent = await test.agent()
  test.clock.advance(2_999)
  await agent.call('agent.presence', { state: 'ready' })
  expect(await offersOf(id)).toEqual([{ agent: 'deaf-1', told: false, seen: false }])
  test.clock.advance(1)
  await agent.call('agent.presence', { state: 'ready' })
  await agent.push('agent.distribution', (offer) => offer.id === id)
  const [deaf] = await query("select state, passed_until from agents where id = 'deaf-1'")
  expect(deaf).toEqual({ state: 'ready', passed_until: test.clock.now() + 5_000 })
  expect(await query('select agent from refusals where contact = $1', [id])).toEqual([])
  expect(client.entries(id).filter(({ type }) => type === 'declined')).toEqual([])
  await session.leave()
})

it('CLU-89 who lets an offer expire that no live connection has read is not paused', async () => {
  await deafAgent('deaf-2')
  const { id, session } = await queueVisitor(test)
  await until(async () => (await offersOf(id)).length === 1)
  await query('update offers set told = true where contact = $1', [id])
  await query("update agents set passed_until = $1 where id = 'deaf-2'", [test.clock.now() + 90_000])
  test.clock.advance(30_000)
  await until(async () => (await offersOf(id)).length === 0)
  expect(await query("select state from agents where id = 'deaf-2'")).toEqual([{ state: 'ready' }])
  await session.leave()
})
