/** A database is used by one process alone or by nodes, never by both: with real processes and a real NATS. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { awaitNodesGone } from '../../../service/src/store/alone-or-shared.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import { startStore } from '../../support/cluster.ts'
import { NatsServer } from '../../support/nats-server.ts'
import { ServiceProcess } from '../../support/service-process.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'

const data = temporaryData()
let store: Awaited<ReturnType<typeof startStore>>
let nats: NatsServer
let client: pg.Client
const running: ServiceProcess[] = []

beforeAll(async () => {
  store = await startStore()
  nats = await NatsServer.start()
  // The tables.
  await (await openDatabase({ data: data.folder, databaseUrl: store.url, isShared: true })).close()
  client = new pg.Client({ connectionString: store.url })
  await client.connect()
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})
afterAll(async () => {
  await client.end()
  await nats.stop()
  await store.stop()
  data.remove()
})

const bus = (): string[] => ['--bus', `nats://127.0.0.1:${nats.port}/alone`]
const flags = (name: string, more: readonly string[]): string[] => [
  ...['--port', '0', '--data', data.folder, '--node-name', name, '--database-url', store.url],
  ...more,
]
async function start(name: string, ...more: readonly string[]): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(flags(name, more))
  running.push(service)
  return service
}
/** How a process ends that must not start. */
async function refused(name: string, ...more: readonly string[]) {
  const { code, stderr } = await (await ServiceProcess.run(flags(name, more))).ended
  return { code, lines: stderr.trim().split('\n') }
}
const states = async (): Promise<Record<string, string>> => {
  const { rows } = await client.query<{ name: string; state: string }>(
    "select name, state from nodes where state <> 'dead' order by name",
  )
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]))
}

it('CLU-130 a process without --bus does not start while a node beats, and harms none', async () => {
  await start('shared', ...bus())
  const { code, lines } = await refused('alone')
  expect({ code, lines }).toEqual({
    code: 1,
    lines: [
      expect.stringContaining(
        'unable to use the database; it is shared by nodes that are running (shared): start this one with --bus, too, or stop them first',
      ),
    ],
  })
  expect(await states()).toEqual({ shared: 'up' })
})

it('CLU-131 a node does not start beside a process without --bus; that one is killed, and it starts at once', async () => {
  await client.query("update nodes set state = 'dead'")
  const alone = await start('alone')
  const { code, lines } = await refused('shared', ...bus())
  expect({ code, lines }).toEqual({
    code: 1,
    lines: [
      expect.stringContaining(
        'unable to join the nodes of the database; a service without --bus is running on it: stop that one first',
      ),
    ],
  })
  expect(await states()).toEqual({ alone: 'up' })
  await alone.kill()
  await start('alone-again')
  for (const service of running.splice(0)) await service.kill()
  await start('shared', ...bus())
})

/** A node that has crashed: its row stands, and does not beat. */
const crash = async (node: string): Promise<void> => {
  await client.query('delete from nodes')
  await client.query("insert into nodes (node, name, address, level) values ($1, $1, '', 1)", [node])
}

it('CLU-132 after a crash of all nodes a process without --bus waits for their lease, and has the database then', async () => {
  await crash('n-gone')
  const asked = performance.now()
  await awaitNodesGone({ connectionString: store.url }, 600)
  expect(performance.now() - asked).toBeGreaterThan(600)
  expect(await states()).toEqual({})
})

it.each([
  ['beats', "update nodes set beat = beat + 1 where node = 'n-slow'"],
  [
    'enters',
    "insert into nodes (node, name, address, level) values ('n-' || gen_random_uuid(), 'n-next', '', 1)",
  ],
])('CLU-132 no process without --bus starts while a node %s', async (_what, statement) => {
  await crash('n-slow')
  const over = new AbortController()
  const waiting = awaitNodesGone({ connectionString: store.url }, 60_000).finally(() => over.abort())
  const goOn = async (): Promise<void> => {
    while (!over.signal.aborted) await client.query(statement)
  }
  await Promise.all([expect(waiting).rejects.toThrow('it is shared by nodes that are running (n-'), goOn()])
  expect(Object.keys(await states())).toContain('n-slow')
})

it('CLU-133 a process without --bus that loses its lock, while a node enters, gives the database up', async () => {
  await client.query('delete from nodes')
  const test = await startTestService({ databaseUrl: store.url })
  await client.query("insert into nodes (node, name, address, level) values ('n-new', 'new', '', 1)")
  await client.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 20260904 and granted",
  )
  await test.service.lost
  expect((await fetch(`${test.url}/readyz`)).status).toBe(503)
  await test.close()
  expect(await states()).toMatchObject({ new: 'up' })
})
