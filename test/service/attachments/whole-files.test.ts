/** What all whole files take, as the store counts it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storedSizes } from '../../../service/src/attachments/attachment-rows.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
let database: Database

beforeAll(async () => {
  database = await openDatabase({ data: data.folder, databaseUrl: null })
})
afterAll(async () => {
  await database?.close()
  data.remove()
})

const run = async (text: string, ...values: readonly unknown[]): Promise<number> =>
  (await database.pool.query(text, [...values])).rowCount ?? 0
const announce = (id: string, size: number): Promise<number> =>
  run(
    `insert into attachments (id, contact, slot, principal, request, name, mimetype, size, created, touched)
     values ($1, 'c', 'visitor', 'v', $1, 'n', 'text/plain', $2, 0, 0)`,
    id,
    size,
  )
const sizes = async (): Promise<unknown> => {
  const { whole, open } = await storedSizes(database.db)
  return [whole, Object.fromEntries(open)]
}

it('SND-124 CLU-110 the sum follows each change, and its rows become one', async () => {
  await run('alter table attachments drop constraint attachments_contact_fkey')
  for (let n = 0; n < 150; n += 1) await announce(`f${n}`, 10)
  await announce('open', 7)
  expect(await sizes()).toMatchObject([0, { open: 7, f0: 10 }])
  await run(`update attachments set seq = 1, touched = 1 where id <> 'open'`)
  await run('update attachments set touched = 2')
  expect(await sizes()).toEqual([1500, { open: 7 }])
  expect(await run('select from whole_files')).toBe(1)
  await run(`delete from attachments where id like 'f1%'`)
  await run(`delete from attachments where id = 'open'`)
  expect(await sizes()).toEqual([890, {}])
})
