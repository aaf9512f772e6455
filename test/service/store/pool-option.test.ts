import { expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import { startStore } from '../../support/cluster.ts'
import { startTestService } from '../../support/service.ts'

const poolSize = (...args: readonly string[]): number | undefined => readOptions(args, {})?.poolSize

it('CLU-56 a node has 16 connections to the store, or as many as it is told to', async () => {
  expect([poolSize(), poolSize('--pool', '4'), poolSize('--pool', '60')]).toEqual([16, 4, 60])
  expect(poolSize('--database-url', 'postgres://db', '--pool', '200')).toBe(200)
  const test = await startTestService({ poolSize: 5 })
  expect(test.service.database.pool.options.max).toBe(5)
  await test.close()
})

it('CLU-137 a statement waits for a row for 2 s alone and 5 s among nodes, and no transaction stands still for more than 5 s', async () => {
  const store = await startStore()
  for (const isShared of [false, true]) {
    const open = await openDatabase({ data: '', databaseUrl: store.url, isShared })
    const { rows } = await open.pool.query(
      "select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle",
    )
    expect(rows).toEqual([{ lock: isShared ? '5s' : '2s', idle: '5s' }])
    await open.close()
  }
  await store.stop()
})

it.each([['3'], ['61'], ['many']])('CLU-56 %s connections to the embedded database are refused', (text) => {
  expect(() => poolSize('--pool', text)).toThrow('--pool must be a whole number from 4 to 60')
})
