import { afterEach, beforeEach, expect, it } from 'vitest'
import { joinAgent, queueVisitor, timerSet } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
let test: TestService

beforeEach(async () => {
  test = await startTestService({ maxWaitMs: 30 * MINUTE })
})
afterEach(() => test.close())

const rowOf = (id: string) =>
  test.service.database.db
    .selectFrom('contacts')
    .select(['life', 'waiting', 'visitor_away'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const reasonOf = async (id: string): Promise<unknown> =>
  (
    await test.service.database.db
      .selectFrom('entries')
      .select('body')
      .where('contact', '=', id)
      .where('type', '=', 'cleared')
      .executeTakeFirst()
  )?.body

const awayOf = async (id: string): Promise<boolean> => (await rowOf(id)).visitor_away

/** The connection is lost, and its grace is over. */
async function lose({ client, id }: WaitingVisitor): Promise<void> {
  client.close()
  await timerSet(test, id, 'absence')
  test.clock.advance(MINUTE)
  await expect.poll(() => awayOf(id)).toBe(true)
}

it('PRD-30 what is written after the connection was lost for a while is a message for later, too', async () => {
  const { token } = await signInVisitor(test.url)
  const connect = () => WireClient.connect(test.url, token)
  const visitor = await queueVisitor({ ...test, visitor: connect }, { later: true })
  await lose(visitor)
  expect((await rowOf(visitor.id)).waiting).toBe(false)
  const client = await connect()
  const session = new WireSession(client, visitor.id)
  await session.open()
  await session.present()
  await session.text('call me tomorrow')
  await lose({ ...visitor, client, session })
  expect(await rowOf(visitor.id)).toEqual({ life: 'queued', waiting: true, visitor_away: true })
  test.clock.advance(3 * DAY)
  expect((await rowOf(visitor.id)).life).toBe('queued')
})

it('PRD-30 SND-307 one whose visitor is away is in no number of those who wait, last in the overview, and before nobody', async () => {
  const left = await queueVisitor(test, { later: true })
  await left.session.text('call me tomorrow')
  test.clock.advance(MINUTE)
  const here = await queueVisitor(test)
  await here.client.push('contact.queue', ({ position }) => position === 2)
  await lose(left)
  await here.client.push('contact.queue', ({ position }) => position === 1)
  const metrics = await (await fetch(`${test.url}/metrics`)).text()
  expect(metrics.match(/^duolog_queue_\w+ .*$/gm)).toEqual([
    'duolog_queue_length 1',
    'duolog_queue_longest_seconds 60',
  ])
  const response = await fetch(`${test.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick: 'Sue', rights: ['supervise'] }),
  })
  const supervisor = await WireClient.connect(
    test.url,
    ((await response.json()) as { readonly token: string }).token,
  )
  const { totals, longestWaitMs, queue } = await supervisor.call('agent.overview', {})
  expect([totals.waiting, longestWaitMs, queue.map(({ id }) => id)]).toEqual([1, MINUTE, [here.id, left.id]])
  supervisor.close()
})

it('PRD-30 under the id of a transfer the conversation of before is something to answer', async () => {
  const { token } = await signInVisitor(test.url)
  const connect = () => WireClient.connect(test.url, token)
  const visitor = await queueVisitor({ ...test, visitor: connect }, { later: true })
  const agent = await joinAgent(test, visitor.id)
  await agent.client.call('agent.transfer', { contact: visitor.id, toTags: ['none has it'] })
  const id = (await agent.client.entry(visitor.id, 'transferred')).body.toId
  const session = new WireSession(visitor.client, id)
  await session.open()
  await session.present()
  await lose({ client: visitor.client, session, id })
  expect(await rowOf(id)).toEqual({ life: 'queued', waiting: true, visitor_away: true })
})

it('PRD-30 with nothing to answer it waits as long as any other contact', async () => {
  const empty = await queueVisitor(test, { later: true })
  const left = await queueVisitor(test, { later: true })
  await left.session.text('call me tomorrow')
  test.clock.advance(31 * MINUTE)
  await expect.poll(() => reasonOf(empty.id)).toBe('{"reason":"dissuasion"}')
  expect((await rowOf(left.id)).life).toBe('queued')
  test.clock.advance(7 * DAY - 32 * MINUTE)
  expect((await rowOf(left.id)).life).toBe('queued')
  test.clock.advance(2 * MINUTE)
  await expect.poll(() => reasonOf(left.id)).toBe('{"reason":"dissuasion"}')
})
