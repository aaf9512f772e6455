import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService } from '../../service/src/start-service.ts'
import { EmbeddedCluster } from '../../service/src/store/embedded-cluster.ts'
import { joinBoth } from '../support/parties.ts'
import { ServiceProcess } from '../support/service-process.ts'
import { startTestService, temporaryData, testOptions } from '../support/service.ts'

const data = temporaryData()
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

it('SND-106 a second process on the same database refuses to start, and hurts nobody', async () => {
  const test = await startTestService({ databaseUrl })
  const { visitor, agent, id } = await joinBoth(test)
  await expect(startService(testOptions(data.folder, { databaseUrl }))).rejects.toThrow(/another service is running on it/)
  await visitor.session.text('still here')
  await agent.client.entry(id, 'text')
  expect((await test.service.database.db.selectFrom('sessions').select('connected').where('contact', '=', id).execute()).map(({ connected }) => connected)).toEqual([true, true])
  await test.close()
}, 30_000)

it('SND-106 after a SIGKILL the next start has the database at once', async () => {
  const first = await ServiceProcess.startIn(data.folder, '--database-url', databaseUrl)
  await first.service.kill()
  const next = await ServiceProcess.startIn(data.folder, '--database-url', databaseUrl)
  await next.service.stop()
}, 30_000)

it('SND-106 a process that has lost its connection to the database has it again', async () => {
  const test = await startTestService({ databaseUrl })
  const { pool } = test.service.database
  const owner = async (): Promise<number | undefined> =>
    (await pool.query<{ pid: number }>("select pid from pg_locks where locktype = 'advisory' and objid = 20260904 and granted")).rows[0]?.pid
  const before = await owner()
  await pool.query('select pg_terminate_backend($1)', [before])
  await expect.poll(owner, { timeout: 10_000 }).not.toSatisfy((pid) => pid === undefined || pid === before)
  await expect(startService(testOptions(data.folder, { databaseUrl }))).rejects.toThrow(/another service is running on it/)
  await test.close()
}, 30_000)
