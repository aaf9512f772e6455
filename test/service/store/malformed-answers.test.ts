import { Transform } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeOf } from '../../../service/src/start-error.ts'
import { CLUSTER_PORT } from '../../../service/src/store/cluster.ts'
import { openDatabase, queriesOver, storeError } from '../../../service/src/store/database.ts'
import { OwnedPool } from '../../../service/src/store/owned-pool.ts'
import { breakableProxy } from '../../support/breakable-proxy.ts'
import type { BreakableProxy } from '../../support/breakable-proxy.ts'
import { startStore } from '../../support/cluster.ts'

let store: Awaited<ReturnType<typeof startStore>>
let way: BreakableProxy
let databaseUrl = ''
/** Comes before what the store answers next. */
let noise: Buffer | null = null

beforeAll(async () => {
  store = await startStore()
  const folder = new URL(store.url).searchParams.get('host') ?? ''
  way = await breakableProxy(`${folder}/.s.PGSQL.${CLUSTER_PORT}`, spoiled)
  const url = new URL(store.url)
  url.search = ''
  url.host = new URL(way.url).host
  databaseUrl = url.href
})
afterAll(async () => {
  await way.close()
  await store.stop()
})

const spoiled = (): Transform =>
  new Transform({
    transform(bytes: Buffer, _encoding, done) {
      if (noise) this.push(noise)
      noise = null
      done(null, bytes)
    },
  })

/** Of the protocol of PostgreSQL: its kind, its length, and what it says. */
const message = (kind: string, ...content: number[]): Buffer =>
  Buffer.from([kind.charCodeAt(0), 0, 0, 0, 4 + content.length, ...content])

const BACKEND = sql<{ pid: number }>`select pg_backend_pid() as pid`

const codeFor = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (thrown: unknown) => storeError(thrown).code,
  )

it.each([
  ['a row that ends before its fields', message('D', 1, 44)],
  ['a message of a kind that is not there', message('\u0001')],
])(
  'CLU-158 %s: its connection ends, its statement fails as if the store were out, and the process goes on',
  async (_what, bytes) => {
    const faults: unknown[] = []
    const place = { data: '', databaseUrl, isShared: true, poolSize: 1 }
    const open = await openDatabase({ ...place, onFault: (thrown) => void faults.push(thrown) })
    const before = await BACKEND.execute(open.db)
    noise = bytes
    expect(await codeFor(BACKEND.execute(open.db))).toBe('offline')
    expect((await BACKEND.execute(open.db)).rows).not.toEqual(before.rows)
    expect(faults.map(codeOf)).toEqual(['EPROTO'])
    await open.close()
  },
)

it('CLU-158 an answer to the first words of a connection is malformed: the process goes on, and the next one is made', async () => {
  const pool = new OwnedPool({ connectionString: databaseUrl, max: 1 }, null)
  noise = message('R', 0, 0)
  expect(await codeFor(pool.query('select 1'))).toBe('offline')
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

it('CLU-159 a connection that owes an answer is not used for another statement', async () => {
  const pool = new OwnedPool({ connectionString: databaseUrl, max: 1, query_timeout: 250 }, null)
  const db = queriesOver(pool)
  const before = await BACKEND.execute(db)
  way.stall()
  expect(await codeFor(BACKEND.execute(db))).toBe('offline')
  const after = await db.transaction().execute((trx) => BACKEND.execute(trx))
  expect(after.rows).not.toEqual(before.rows)
  await db.destroy()
})
