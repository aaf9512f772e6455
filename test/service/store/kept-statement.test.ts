import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionsOf } from '../../../service/src/contacts/session-rows.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
let store: Database

beforeAll(async () => {
  store = await openDatabase({ data: data.folder, databaseUrl: null })
  await store.pool.query(
    "insert into contacts (id, visitor, request, created, life, machine, details, state) values ('c', 'v', 'c', 0, 'joined', '{}', '{}', '{}')",
  )
  await store.pool.query(
    "insert into sessions (contact, session, slot, principal, connected) values ('c', 's', 'visitor', 'v', false)",
  )
})

afterAll(async () => {
  await store.close()
  data.remove()
})

it('CLU-156 a connection plans what openings ask once, and goes on when a newer node has added a column', async () => {
  const [before, after] = await store.db.transaction().execute(async (trx) => {
    const ask = () => sessionsOf({ trx, now: 0 }, ['none', 'c'])
    const found = [await ask(), await ask()] as const
    const { rows } = await sql<{ plans: number }>`
      select generic_plans + custom_plans as plans from pg_prepared_statements
      where name = 'sessions_of'`.execute(trx)
    expect(rows).toEqual([{ plans: 2 }])
    return found
  })
  expect(after).toEqual(before)
  expect(after.map((rows) => rows.map(({ session }) => session))).toEqual([[], ['s']])
  await store.pool.query(
    'alter table sessions add column later text; alter table contacts add column later text',
  )
  expect(await store.db.transaction().execute((trx) => sessionsOf({ trx, now: 0 }, ['c', 'none']))).toEqual(
    before.toReversed(),
  )
})
