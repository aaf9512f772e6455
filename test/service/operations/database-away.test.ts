import { expect, it } from 'vitest'
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
