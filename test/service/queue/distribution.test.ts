import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { offerSeen, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ strategy: 'skills' })
})
afterAll(() => test.close())

async function readyAgent(...tags: string[]): Promise<WireClient> {
  const agent = await test.agent()
  await agent.call('agent.presence', { state: 'ready', capacity: 100, tags })
  return agent
}

const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const offersOf = (agent: WireClient, contact: string) =>
  agent.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === contact)
const pause = (agent: WireClient) => agent.call('agent.presence', { state: 'paused' })

describe('where one agent is asked at a time', () => {
  it('SRV-12 who lets an offer expire is paused, and the next one is asked', async () => {
    const [first, second] = [await readyAgent('sales'), await readyAgent('sales')]
    const { id, session } = await queueVisitor(test, { tags: ['sales'] })
    await Promise.race([offered(first, id), offered(second, id)])
    const [asked, other] = offersOf(first, id).length > 0 ? [first, second] : [second, first]
    expect(offersOf(other, id)).toEqual([])
    await offerSeen(test, id)
    test.clock.advance(30_000)
    expect(await asked.push('agent.withdrawn', (body) => body.id === id)).toEqual({ id, reason: 'expired' })
    expect(await asked.push('agent.paused')).toEqual({ reason: 'expired' })
    await offered(other, id)
    const later = await queueVisitor(test, { tags: ['sales'] })
    await offered(other, later.id)
    expect(offersOf(asked, later.id)).toEqual([])
    await asked.call('agent.presence', { state: 'ready', capacity: 100, tags: ['sales'] })
    await pause(other)
    await offered(asked, later.id)
    await pause(asked)
    await session.leave()
    await later.session.leave()
  })

  it('SRV-12 who declines is not asked again for a while, and nobody is paused', async () => {
    const [first, second] = [await readyAgent('tax'), await readyAgent('tax')]
    const { id, session } = await queueVisitor(test, { tags: ['tax'] })
    await Promise.race([offered(first, id), offered(second, id)])
    const [asked, other] = offersOf(first, id).length > 0 ? [first, second] : [second, first]
    await asked.call('agent.decline', { contact: id })
    await offered(other, id)
    await other.call('agent.decline', { contact: id })
    expect([offersOf(asked, id).length, offersOf(other, id).length]).toEqual([1, 1])
    test.clock.advance(60_000)
    await asked.until(() => offersOf(asked, id).length + offersOf(other, id).length === 3, 'an offer again')
    await Promise.all([first, second].map(pause))
    await session.leave()
  })

  it('SRV-11 contacts that nobody fits, however many, do not keep those behind them waiting', async () => {
    const { pool } = test.service.database
    const unfit = await queueVisitor(test, { tags: ['nobody'] })
    await pool.query(
      `insert into contacts select (r).* from (
         select jsonb_populate_record(c, jsonb_build_object('id', c.id || '-' || n, 'request', n::text)) as r from contacts c, generate_series(1, 1200) n where c.id = $1) copies`,
      [unfit.id],
    )
    test.clock.advance(1)
    const { id, session } = await queueVisitor(test, { tags: ['law'] })
    const agent = await readyAgent('law')
    await offered(agent, id)
    await pause(agent)
    await session.leave()
    await pool.query('delete from contacts where id like $1', [`${unfit.id}%`])
  })

  it('SRV-10 who accepts several contacts at once gets as many as their capacity', async () => {
    const agent = await readyAgent('trade')
    const visitors = await Promise.all(
      Array.from({ length: 5 }, () => queueVisitor(test, { tags: ['trade'] })),
    )
    for (const { id } of visitors) await offered(agent, id)
    await agent.call('agent.presence', { state: 'ready', capacity: 2, tags: ['trade'] })
    const taken = await Promise.allSettled(
      visitors.map(({ id }) => agent.call('agent.accept', { contact: id })),
    )
    expect(
      taken
        .map((each) => (each.status === 'fulfilled' ? 'taken' : (each.reason as { code: string }).code))
        .toSorted(),
    ).toEqual([...Array.from({ length: 3 }, () => 'invalid_state'), 'taken', 'taken'])
    await pause(agent)
    for (const { session } of visitors) await session.leave()
  })
})
