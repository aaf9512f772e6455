import { expect, it } from 'vitest'
import { SILENT_REPORT, sortedReport } from '../../../service/src/report.ts'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'

it('SND-307 a database that is away is a warning in the log, no failure of the service and no warning of the process', async () => {
  const warned: unknown[] = []
  const hear = (warning: Error): void => void warned.push(warning.message)
  process.on('warning', hear)
  let told = (_thrown: unknown): void => {}
  const away = new Promise((settle) => (told = settle))
  const faults: unknown[] = []
  const fault = (thrown: unknown): void => void faults.push(thrown)
  const warn = (what: string): void => {
    if (what === 'the service is out of touch with the store') told(what)
  }
  const test = await startTestService({}, { report: { info: () => {}, warn, fault } })
  process.kill(test.service.database.postgresPid(), 'SIGKILL')
  await away
  const metrics = await (await fetch(`${test.url}/metrics`)).text()
  expect(metrics).toMatch(/^duolog_faults_total 0$/m)
  await test.close()
  expect(faults).toEqual([])
  process.off('warning', hear)
  expect(warned).toEqual([])
})

it('SND-307 what else fails by the same code is a failure of the service, and counted', () => {
  const [faults, warned]: [unknown[], string[]] = [[], []]
  const report = sortedReport(
    { ...SILENT_REPORT, fault: (thrown) => faults.push(thrown), warn: (what) => warned.push(what) },
    () => (count += 1),
  )
  let count = 0
  const failed = (facts: object): Error => Object.assign(new Error('failed'), facts)
  for (const facts of [
    { code: 'ENOENT', syscall: 'open' },
    { code: 'ECONNREFUSED', $metadata: {} },
    { code: '23505' },
    {},
  ])
    report.fault(failed(facts))
  expect([count, faults.length, warned]).toEqual([4, 4, []])
  for (const facts of [
    { code: 'ENOENT', syscall: 'connect' },
    { code: '25006' },
    { code: '57P01' },
    { cause: failed({ code: 'ECONNREFUSED' }) },
  ])
    report.fault(failed(facts))
  expect([count, faults.length, warned.length]).toEqual([4, 4, 4])
})

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
})
