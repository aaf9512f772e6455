import { expect, it } from 'vitest'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'

it('SND-307 a database that is away is a fault like any other: counted, reported, and no warning of the process', async () => {
  const warned: unknown[] = []
  const hear = (warning: Error): void => void warned.push(warning.message)
  process.on('warning', hear)
  let told = (_thrown: unknown): void => {}
  const away = new Promise((settle) => (told = settle))
  const fault = (thrown: unknown): void => {
    if (String(thrown).includes('take the database again')) told(thrown)
  }
  const test = await startTestService({}, { report: { info: () => {}, fault } })
  process.kill(test.service.database.postgresPid(), 'SIGKILL')
  await away
  const metrics = await (await fetch(`${test.url}/metrics`)).text()
  expect(Number(/^duolog_faults_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0)
  await test.close()
  process.off('warning', hear)
  expect(warned).toEqual([])
}, 60_000)

it('CLU-50 a store that has become read-only is `offline`, and its connections are made anew', async () => {
  const test = await startTestService()
  const { pool } = test.service.database
  const visitor = await queueVisitor(test)
  const create = () =>
    visitor.client
      .call('contact.create', { request: 'again', contact: {} })
      .catch((error: { code?: string }) => error.code)
  const admin = await pool.connect()
  await admin.query('alter database duolog set default_transaction_read_only = on')
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'duolog' and pid <> pg_backend_pid() and application_name = ''",
  )
  await expect
    .poll(() => visitor.session.text('x').catch((error: { code?: string }) => error.code))
    .toBe('offline')
  expect(await create()).toBe('offline')
  await admin.query('alter database duolog reset default_transaction_read_only')
  admin.release(true)
  await expect.poll(create).toMatchObject({ contact: expect.any(String) as string })
  await test.close()
}, 60_000)
