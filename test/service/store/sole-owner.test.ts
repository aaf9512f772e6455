import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { startService } from '../../../service/src/start-service.ts'
import { EmbeddedCluster } from '../../../service/src/store/embedded-cluster.ts'
import { joinBoth } from '../../support/parties.ts'
import { ServiceProcess, isAlive } from '../../support/service-process.ts'
import { signInVisitor, startTestService, testOptions } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { WireClient } from '../../support/wire-client.ts'

const data = preparedData()
let cluster: EmbeddedCluster
let databaseUrl: string

beforeAll(async () => {
  cluster = await EmbeddedCluster.start(data.folder)
  const { host, user } = cluster.connection('postgres')
  databaseUrl = `postgres://${user}@localhost/postgres?host=${host}`
})
afterAll(async () => {
  await cluster.stop()
  data.remove()
})

/** A service on the database. It has gone when the test is over, however that ends. */
async function startOnDatabase(): Promise<TestService> {
  const test = await startTestService({ databaseUrl })
  onTestFinished(() => test.close())
  return test
}

/** A connection that no service knows. */
async function connectAside(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('SND-106 a second process on the same database refuses to start, and hurts nobody', async () => {
  const test = await startOnDatabase()
  const { visitor, agent, id } = await joinBoth(test)
  await expect(startService(testOptions(data.folder, { databaseUrl }))).rejects.toThrow(
    /another service is running on it/,
  )
  await visitor.session.text('still here')
  await agent.client.entry(id, 'text')
  expect(
    (
      await test.service.database.db
        .selectFrom('sessions')
        .select('connected')
        .where('contact', '=', id)
        .execute()
    ).map(({ connected }) => connected),
  ).toEqual([true, true])
})

it('SND-106 after a SIGKILL the next start has the database at once', async () => {
  const first = await ServiceProcess.startIn(data.folder, '--database-url', databaseUrl)
  await first.service.kill()
  const next = await ServiceProcess.startIn(data.folder, '--database-url', databaseUrl)
  await next.service.stop()
})

it('SND-106 a process that has lost its connection to the database has it again', async () => {
  await startOnDatabase()
  // The service ends the connections of its own pool as soon as it has lost the one with the lock.
  const looking = await connectAside({ connectionString: databaseUrl })
  const owner = async (): Promise<number | undefined> =>
    (
      await looking.query<{ pid: number }>(
        "select pid from pg_locks where locktype = 'advisory' and objid = 20260904 and granted",
      )
    ).rows[0]?.pid
  const before = await owner()
  await looking.query('select pg_terminate_backend($1)', [before])
  await expect.poll(owner, { timeout: 10_000 }).not.toSatisfy((pid) => pid === undefined || pid === before)
  await expect(startService(testOptions(data.folder, { databaseUrl }))).rejects.toThrow(
    /another service is running on it/,
  )
})

const [DATABASE_LOCK, FOLDER_LOCK] = [20_260_904, 20_260_901]
const statusOf = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status

/**
 * Another process takes a lock while its owner has lost its connection: it waits in line, so it has the lock
 * at once.
 */
async function robber(
  config: pg.ClientConfig,
  lock: number,
): Promise<{
  readonly owned: () => Promise<number | undefined>
  readonly rob: () => Promise<void>
  readonly end: () => Promise<void>
}> {
  const [waiting, looking] = [await connectAside(config), await connectAside(config)]
  const one = async (text: string): Promise<number | undefined> =>
    (await looking.query<{ pid: number }>(text)).rows[0]?.pid
  const owned = () =>
    one(
      `select pid from pg_locks where locktype = 'advisory' and objid = ${lock} and granted and pid not in (select pg_backend_pid())`,
    )
  const rob = async (): Promise<void> => {
    const taken = waiting.query('select pg_advisory_lock($1)', [lock])
    await expect
      .poll(() =>
        one(`select pid from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`),
      )
      .toBeDefined()
    await looking.query('select pg_terminate_backend($1)', [await owned()])
    await taken
  }
  const end = async (): Promise<void> => {
    await Promise.all([waiting.end(), looking.end()])
  }
  return { owned, rob, end }
}

it('SND-106 a service whose database another process has taken is not ready any more', async () => {
  const test = await startOnDatabase()
  const other = await robber({ connectionString: databaseUrl }, DATABASE_LOCK)
  expect(await statusOf(test.url)).toBe(200)
  await other.rob()
  await test.service.lost
  expect(await statusOf(test.url)).toBe(503)
  await other.end()
})

it('SND-106 no call is answered, and nothing is stored, once another process has the database', async () => {
  const test = await startOnDatabase()
  const { visitor, agent, id } = await joinBoth(test)
  const other = await robber({ connectionString: databaseUrl }, DATABASE_LOCK)
  const [locking, looking] = [
    await connectAside({ connectionString: databaseUrl }),
    await connectAside({ connectionString: databaseUrl }),
  ]
  const texts = async () =>
    (await looking.query("select body from entries where contact = $1 and type = 'text'", [id])).rowCount
  await locking.query('begin')
  await locking.query('select 1 from contacts where id = $1 for update', [id])
  const waiting = visitor.session.text('waits for the lock').catch((thrown: unknown) => thrown)
  const blocked = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%append%'"
  await expect.poll(async () => (await looking.query(blocked)).rowCount).toBe(1)
  await other.rob()
  await test.service.lost
  await expect(visitor.session.text('after it')).rejects.toMatchObject({ code: 'offline' })
  await expect(agent.client.call('ice.servers', {})).rejects.toMatchObject({ code: 'offline' })
  expect(await waiting).toMatchObject({ code: 'offline' })
  await expect.poll(async () => (await looking.query(blocked)).rowCount).toBe(0)
  await locking.query('commit')
  expect(await texts()).toBe(0)
  await other.end()
})

it('SND-106 a connection of its own that the database has not missed yet is no other process', async () => {
  const test = await startOnDatabase()
  const looking = await connectAside({ connectionString: databaseUrl })
  const nameOf = async (): Promise<{ pid: number; name: string } | undefined> =>
    (
      await looking.query<{ pid: number; name: string }>(
        `select pid, application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = ${DATABASE_LOCK} and granted`,
      )
    ).rows[0]
  const before = await nameOf()
  const other = await robber(
    { connectionString: `${databaseUrl}&application_name=${before?.name}` },
    DATABASE_LOCK,
  )
  const givenUp = vi.spyOn(pg.Client.prototype, 'end')
  await other.rob()
  await expect.poll(() => givenUp.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(1)
  givenUp.mockRestore()
  const robbing = await nameOf()
  expect(robbing?.pid).not.toBe(before?.pid)
  await other.end()
  // The robber bears the same name, and its backend may end a little later than its connection.
  await expect
    .poll(nameOf, { timeout: 10_000 })
    .toSatisfy((now: typeof before) => now?.name === before?.name && now?.pid !== robbing?.pid)
  expect(await Promise.race([test.service.lost.then(() => 'lost'), Promise.resolve('owned')])).toBe('owned')
  await expect.poll(() => statusOf(test.url)).toBe(200)
})

it('SND-106 two services on one database: the one that has lost it sends its connections away and ends with 1, the other one serves', async () => {
  const first = await ServiceProcess.startIn(
    data.folder,
    '--database-url',
    databaseUrl,
    '--drain-wait',
    '600',
  )
  const visitor = await WireClient.connect(first.url, (await signInVisitor(first.url)).token)
  const sentAway = new Promise<string>((settle) => visitor.socket.once('disconnect', settle))
  const other = await robber({ connectionString: databaseUrl }, DATABASE_LOCK)
  await other.rob()
  expect(await sentAway).toBe('io server disconnect')
  expect(await first.service.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another service has taken the database') as string,
  })
  visitor.close()
  await other.end()
  const second = await startOnDatabase()
  await joinBoth(second)
  expect(await statusOf(second.url)).toBe(200)
})

it('SND-106 a service whose data folder another one has taken leaves the database running for it', async () => {
  const first = await startTestService()
  const { data: folder } = first.options
  const [server, config] = [
    first.service.database.postgresPid(),
    { host: join(folder, 'pg', 's'), user: 'duolog', database: 'postgres' },
  ]
  const other = await robber(config, FOLDER_LOCK)
  await other.rob()
  await first.service.lost
  expect(await statusOf(first.url)).toBe(503)
  await first.service.stop()
  expect(isAlive(server)).toBe(true)
  await other.end()
  const second = await startService(testOptions(folder))
  expect([second.database.postgresPid(), await statusOf(second.url)]).toEqual([server, 200])
  await second.stop()
  await first.close()
})

it('SND-106 the server of a data folder is claimed again when it has come back', async () => {
  const test = await startTestService()
  const { data: folder } = test.options
  const server = test.service.database.postgresPid()
  process.kill(server, 'SIGKILL')
  await expect.poll(() => test.service.database.postgresPid(), { timeout: 20_000 }).not.toBe(server)
  await expect.poll(() => statusOf(test.url), { timeout: 20_000 }).toBe(200)
  const other = await robber(
    { host: join(folder, 'pg', 's'), user: 'duolog', database: 'postgres' },
    FOLDER_LOCK,
  )
  await expect.poll(other.owned, { timeout: 20_000 }).toBeDefined()
  await other.rob()
  await test.service.lost
  await other.end()
  await startService(testOptions(folder)).then((next) => next.stop())
  await test.close()
})
