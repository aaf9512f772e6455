import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LocalBus } from '../../../service/src/bus/local-bus.ts'
import { AgentPresenceService } from '../../../service/src/queue/agent-presence.ts'
import { QUEUE_LIMITS } from '../../../service/src/queue/queue-limits.ts'
import { queueVisitor, timerSet } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ strategy: 'skills' })
})
afterAll(() => test.close())

async function readyAgent(tag: string): Promise<WireClient> {
  const agent = await test.agent()
  await agent.call('agent.presence', { state: 'ready', capacity: 100, tags: [tag] })
  return agent
}

const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const agentOf = async (tag: string): Promise<string> => {
  const { rows } = await test.service.database.pool.query<{ id: string }>(
    'select id from agents where $1 = any(tags)',
    [tag],
  )
  return rows[0]?.id ?? ''
}

/** Holds what a statement locks while the work is done. */
async function holding(
  statement: string,
  id: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const client = await test.service.database.pool.connect()
  try {
    await client.query('begin')
    await client.query(statement, [id])
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** The service's own, for what no client can time. */
function presenceService(): AgentPresenceService {
  const { service, clock } = test
  return new AgentPresenceService({
    ...service.database,
    store: undefined as never,
    bus: new LocalBus(() => {}),
    clock,
    limits: QUEUE_LIMITS,
    node: { id: '', takesWork: true, isSettled: () => true },
  })
}

/** Resolves when the service waits for a lock. */
async function waits(client: PoolClient): Promise<void> {
  while ((await client.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rowCount === 0)
    await new Promise((settle) => setImmediate(settle))
}

it('SRV-12 an offer that expires locks its agent first, as an acceptance does: the two never wait for each other', async () => {
  const agent = await readyAgent('sales')
  const { id, session } = await queueVisitor(test, { tags: ['sales'] })
  await offered(agent, id)
  await holding('select 1 from agents where id = $1 for update', await agentOf('sales'), async (client) => {
    test.clock.advance(30_000)
    await waits(client)
    const free = await client.query('select 1 from offers where contact = $1 for update nowait', [id])
    expect(free.rowCount).toBe(1)
  })
  expect(await agent.push('agent.withdrawn', (body) => body.id === id)).toEqual({ id, reason: 'expired' })
  await session.leave()
})

it('SRV-11 an agent who comes back when the grace ends: the two never wait for each other', async () => {
  const agent = await readyAgent('law')
  const name = await agentOf('law')
  agent.close()
  await timerSet(test, name, 'agent')
  await holding('select 1 from agents where id = $1 for update', name, async (client) => {
    test.clock.advance(60_000)
    await waits(client)
    const free = await client.query('select 1 from timers where subject = $1 for update nowait', [name])
    expect(free.rowCount).toBe(1)
  })
})

it('SRV-11 an agent whose connection ends and who comes back at once counts as connected, whichever statement arrives first', async () => {
  const agent = await readyAgent('care')
  const name = await agentOf('care')
  const { rows: sockets } = await test.service.database.pool.query<{ id: string }>(
    'select id from agent_connections where agent = $1',
    [name],
  )
  await holding('select 1 from agents where id = $1 for update', name, async (client) => {
    const noted = presenceService().disconnected({ id: sockets[0]?.id ?? '', agent: name })
    await waits(client)
    await client.query("insert into agent_connections (id, agent, node) values ('l-next', $1, '')", [name])
    await client.query('commit')
    await noted
  })
  const { rows } = await test.service.database.pool.query<{ connected: boolean }>(
    'select connected from agents where id = $1',
    [name],
  )
  expect(rows).toEqual([{ connected: true }])
  agent.close()
})

it('SRV-11 an offer that somebody is answering keeps nobody else from being offered what waits', async () => {
  const [busy, other] = [await readyAgent('tax'), await readyAgent('press')]
  const answered = await queueVisitor(test, { tags: ['tax'] })
  await offered(busy, answered.id)
  await holding('select 1 from offers where contact = $1 for update', answered.id, async () => {
    await busy.call('agent.presence', { state: 'paused' })
    const next = await queueVisitor(test, { tags: ['press'] })
    await offered(other, next.id)
    await next.session.leave()
  })
  await busy.push('agent.withdrawn', (body) => body.id === answered.id)
  await answered.session.leave()
})
