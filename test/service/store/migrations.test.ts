import { afterEach, describe, expect, it } from 'vitest'
import { declareDead, enterNode } from '../../../service/src/cluster/node-table.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { INDEXES } from '../../../service/src/store/indexes.ts'
import { MIGRATIONS } from '../../../service/src/store/migrations.ts'
import type { Migration } from '../../../service/src/store/migrations.ts'
import { temporaryData } from '../../support/temporary-data.ts'

const data = temporaryData()
let open: Database | null = null

afterEach(async () => {
  await open?.close()
  open = null
})

/** Opens the one store of this file, as a version that also has these migrations. */
async function opened(...more: readonly Omit<Migration, 'id'>[]): Promise<Database> {
  await open?.close()
  open = null
  const later = more.map((migration, index) => ({ id: 1_000 + index, ...migration }))
  open = await openDatabase({ data: data.folder, databaseUrl: null }, [...MIGRATIONS, ...later])
  return open
}

const forget = ({ pool }: Database) => pool.query('delete from migrations where id >= 1000')

const limited = (setting: string) =>
  `do $$ begin if current_setting('${setting}') <> '0' then raise exception 'limited to %', current_setting('${setting}'); end if; end $$`

describe('migrations', () => {
  it('SND-120 may take as long as they take: the timeouts of the service are not theirs', async () => {
    const { pool } = await opened(
      { sql: limited('statement_timeout') },
      { sql: limited('idle_in_transaction_session_timeout') },
    )
    await expect(pool.query(limited('statement_timeout'))).rejects.toThrow('limited to 10s')
    await forget(await opened({ sql: '' }, { sql: '' }))
  })

  it('SND-120 an older version works on a store that a newer one has only added to, and the newer one again', async () => {
    await opened({ sql: 'alter table contacts add column later text' })
    const { pool } = await opened()
    await pool.query("insert into visitors (id, origin, created) values ('v', '', 1)")
    const newer = await opened({ sql: 'alter table contacts add column later text' })
    await newer.pool.query('alter table contacts drop column later')
    await forget(newer)
  })

  it('SND-120 where a newer one has taken away what it rests on, it does not start and says why', async () => {
    await opened({ sql: 'create table later (id text)' }, { sql: 'drop table later', breaks: true })
    await expect(opened()).rejects.toThrow(
      /newer version of the service \(migration 1001\).*start that version, or restore/,
    )
    await forget(await opened({ sql: '' }, { sql: '', breaks: true }))
  })

  it('CLU-52 what takes away what older nodes need waits until none of them is alive, and none enters after it', async () => {
    const node = (name: string, level: number) => ({ node: name, name, address: '', level })
    const applied = async ({ pool }: Database): Promise<number> =>
      (await pool.query('select 1 from migrations where id = 1000')).rowCount ?? 0
    const contract = { sql: 'create table contracted (id text)', level: 3 }
    const { db } = await opened()
    for (const [name, level] of [
      ['old', 2],
      ['new', 3],
    ] as const)
      await enterNode(db, node(name, level))
    const expanded = await opened(contract)
    expect(await applied(expanded)).toBe(0)
    await declareDead(expanded.db, { node: 'old', beat: null }, 1)
    const contracted = await opened(contract)
    expect(await applied(contracted)).toBe(1)
    await expect(enterNode(contracted.db, node('late', 2))).rejects.toThrow('nodes_level')
    await enterNode(contracted.db, node('next', 3))
    await expect(opened()).rejects.toThrow(/newer version of the service \(migration 1000\)/)
    const again = await opened(contract)
    await again.pool.query(
      'drop table contracted; alter table nodes drop constraint nodes_level; delete from nodes',
    )
    await forget(again)
  })

  it('SND-110 a revocation of a process of before holds as long as an identity of the site lives', async () => {
    const { pool } = await opened()
    const day = 86_400_000
    const stored = [
      { subject: 'agent', at: 5, expires: Number.MAX_SAFE_INTEGER },
      { subject: 'customer', at: 7, expires: 7 + 17 * 60_000 },
    ]
    for (const { subject, at, expires } of stored)
      await pool.query('insert into revocations (subject, at, expires) values ($1, $2, $3)', [
        subject,
        at,
        expires,
      ])
    await pool.query('delete from migrations where id = 19')
    const upgraded = await opened()
    const { rows } = await upgraded.pool.query(
      'select subject, at::int as at, expires::text as expires from revocations order by subject',
    )
    expect(rows).toEqual([
      { subject: 'agent', at: 5, expires: String(Number.MAX_SAFE_INTEGER) },
      { subject: 'customer', at: 7, expires: String(7 + 31 * day) },
    ])
    await upgraded.pool.query('delete from revocations')
  })

  it('SND-120 one that fails leaves nothing behind', async () => {
    await expect(opened({ sql: 'create table half (id text)' }, { sql: 'select nonsense' })).rejects.toThrow(
      'nonsense',
    )
    const { rowCount } = await (await opened()).pool.query("select 1 from pg_class where relname = 'half'")
    expect(rowCount).toBe(0)
  })

  it('SND-120 an index that is missing or half made is made at the start, without keeping anybody from writing', async () => {
    const { pool } = await opened()
    await pool.query(
      "drop index timers_by_kind; update pg_index set indisvalid = false where indexrelid = 'contacts_ended'::regclass",
    )
    const again = await opened()
    const { rows } = await again.pool.query<{ name: string }>(
      'select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indisvalid and c.relname = any($1)',
      [Object.keys(INDEXES)],
    )
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(INDEXES).toSorted())
  })
})
