import { join } from 'node:path'
import pg from 'pg'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LocalBus } from '../../../service/src/bus/local-bus.ts'
import { systemRandom } from '../../../service/src/clock/random.ts'
import type { ChangeJob } from '../../../service/src/contacts/change-group.ts'
import { CONTACT_LIMITS, ContactStore } from '../../../service/src/contacts/index.ts'
import { flusher } from '../../../service/src/log/flush.ts'
import { WriteQueues } from '../../../service/src/log/write-queues.ts'
import type { EntryInsert } from '../../../service/src/log/entry-insert.ts'
import { queriesOver } from '../../../service/src/store/database.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** Somebody else, such as an administrator, has a contact's row. */
async function locking(contacts: string | readonly string[], work: () => Promise<void>): Promise<void> {
  const client: PoolClient = await test.service.database.pool.connect()
  await client.query('begin')
  await client.query('set local idle_in_transaction_session_timeout = 0')
  await client.query('select 1 from contacts where id = any($1) for update', [[contacts].flat()])
  try {
    await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Somebody waits for a lock. */
const isAwaited = async (): Promise<void> =>
  await expect
    .poll(
      async () =>
        (
          await test.service.database.pool.query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock'",
          )
        ).rowCount,
    )
    .toBeGreaterThan(0)

/** So many wait for a lock. */
const waiting = async (count: number): Promise<void> =>
  await expect
    .poll(
      async () =>
        (
          await test.service.database.pool.query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock'",
          )
        ).rowCount,
      { timeout: 10_000 },
    )
    .toBe(count)

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (thrown: { code?: string }) => thrown.code,
  )

it('SND-108 one locked row keeps no other contact waiting: not what opens, and not what writes', async () => {
  const [locked, others] = [
    await queueVisitor(test),
    await Promise.all(Array.from({ length: 20 }, () => queueVisitor(test))),
  ]
  await locking(locked.id, async () => {
    const stuck = [new WireSession(locked.client, locked.id).open(), locked.session.text('stuck')].map(
      outcome,
    )
    const opened = others.map(({ client, id }) => outcome(new WireSession(client, id).open()))
    const written = others.map(({ session }) => outcome(session.text('goes on')))
    expect(new Set(await Promise.all([...opened, ...written]))).toEqual(new Set(['done']))
    expect(await Promise.all(stuck)).toEqual(['offline', 'offline'])
    const again = outcome(locked.session.text('stuck again'))
    expect(await Promise.all(others.map(({ session }) => outcome(session.text('and on'))))).toEqual(
      others.map(() => 'done'),
    )
    expect(await again).toBe('offline')
  })
  locked.session.counter = 1
  expect(await outcome(locked.session.text('free'))).toBe('done')
})

it('SND-108 a contact that nobody else has locked may be contended by its own parties as they like', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  const all = Array.from({ length: 30 }, (_, index) => [
    visitor.session.text(`v${index}`),
    agent.session.text(`a${index}`),
    new WireSession(visitor.client, id).open(),
  ]).flat()
  expect(new Set(await Promise.all(all.map(outcome)))).toEqual(new Set(['done']))
  await agent.session.leave()
})

it('SND-104 a locked contact that was handed to one agent keeps no other from being offered', async () => {
  const [handed, free] = [await queueVisitor(test), await test.agent('Free')]
  await (await test.agent('Named')).call('agent.presence', { state: 'paused' })
  const { db } = test.service.database
  const { id } = await db
    .selectFrom('agents')
    .select('id')
    .where('nick', '=', 'Named')
    .executeTakeFirstOrThrow()
  // As `agent.transfer { toAgent }` leaves it: for one agent alone, who is there and paused.
  await db
    .updateTable('contacts')
    .set({ only_agent: id, handed_at: test.clock.now() })
    .where('id', '=', handed.id)
    .execute()
  await locking(handed.id, async () => {
    test.clock.advance(40_000)
    const other = await queueVisitor(test)
    await free.call('agent.presence', { state: 'ready', capacity: 100 })
    await free.push('agent.distribution', ({ id: offered }) => offered === other.id)
  })
  test.clock.advance(10_000)
  await free.push('agent.distribution', ({ id: offered }) => offered === handed.id)
})

it('SND-310 a page that goes away shows at once, whatever else it was opening', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  const { contact: second } = await visitor.client.call('contact.create', { request: 'r-2', contact: {} })
  await locking(second, async () => {
    for (let count = 0; count < 4; count += 1) void outcome(new WireSession(visitor.client, second).open())
    await isAwaited()
    visitor.client.close()
    await agent.client.push(
      'contact.connected',
      ({ contact, connected }) => contact === id && connected.visitor.length === 0,
    )
    await isAwaited()
  })
})

/** The service's queues over a pool without any limit: whoever waits for a lock waits until it is free. */
function patientQueues() {
  const types = new pg.TypeOverrides()
  types.setTypeParser(20, Number)
  const pool = new pg.Pool({
    host: join(test.options.data, 'pg', 's'),
    user: 'duolog',
    database: 'duolog',
    types,
    max: 10,
  })
  // The database may end before they have.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = queriesOver(pool)
  const [bus, { clock }] = [new LocalBus(() => {}), test]
  const queues = new WriteQueues<ChangeJob>({
    flush: flusher({ pool, bus, clock, metrics: { add: () => {} }, onLag: () => {} }),
    isBlocked: () => false,
    carryOut: (jobs, waits) => store.carryOut(jobs, waits),
    lockKey: () => null,
  })
  const store: ContactStore = new ContactStore({
    metrics: { add: () => {} },
    db,
    queues,
    bus,
    world: { clock, random: systemRandom, limits: CONTACT_LIMITS },
  })
  const note: Omit<EntryInsert, 'contact' | 'id'> = {
    ...{ type: 'telephone', slot: 'service', body: '{"state":"answered"}', content: {}, refused: false },
    ...{ session: null, counter: null, principal: null, nick: null, ref: null, epoch: null },
  }
  return {
    append: (contact: string, id: string) => queues.append(contact, [{ ...note, contact, id }]),
    change: (contact: string) => store.change(contact, () => Promise.resolve()),
    end: () => db.destroy(),
  }
}

it.each(['append', 'change'] as const)(
  'SND-108 however long as many contacts are locked as statements run side by side, all others go on meanwhile: %s',
  async (kind) => {
    const queues = patientQueues()
    const [locked, other] = [
      await Promise.all([queueVisitor(test), queueVisitor(test)]),
      await queueVisitor(test),
    ]
    const stuck: Promise<unknown>[] = []
    await locking(
      locked.map(({ id }) => id),
      async () => {
        for (const [index, { id }] of locked.entries()) {
          stuck.push(queues[kind](id, 'stuck'))
          await waiting(index + 1)
        }
        await queues[kind](other.id, 'goes-on')
      },
    )
    await Promise.all(stuck)
    await queues.end()
  },
  30_000,
)

it('SND-108 a contact that there is not is told at once, whatever is locked', async () => {
  const { change, end } = patientQueues()
  const { id } = await queueVisitor(test)
  await locking(id, async () => {
    const stuck = change(id)
    await waiting(1)
    await expect(change('none')).rejects.toMatchObject({ code: 'not_found' })
    void stuck.catch(() => {})
  })
  await end()
})
