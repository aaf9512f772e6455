import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkAcknowledged } from '../../../service/src/store/acknowledged.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()

const asked = { allowAsyncStore: false }

/** What the check of a database with these settings says. */
const check = (commits: string, standbys: string, options = asked): Promise<readonly string[]> =>
  store()
    .db.connection()
    .execute(async (db) => {
      await sql`begin`.execute(db)
      try {
        await sql`select set_config('synchronous_commit', ${commits}, true)`.execute(db)
        await sql`create schema other`.execute(db)
        await sql`create function other.current_setting(name text) returns text language sql as
          $$ select case name when 'synchronous_standby_names' then ${sql.lit(standbys)}
            else pg_catalog.current_setting(name) end $$`.execute(db)
        await sql`set local search_path = other, pg_catalog, public`.execute(db)
        const said: string[] = []
        await checkAcknowledged(db, options, { warn: (what) => said.push(what) })
        return said
      } finally {
        await sql`rollback`.execute(db)
      }
    })

it.each(['off', 'local'])(
  'CLU-139 nodes do not start where commits are answered early: %s',
  async (commits) => {
    await expect(check(commits, 'standby', { allowAsyncStore: true })).rejects.toThrow(
      `unable to start in production with --bus; the database has synchronous_commit = ${commits}`,
    )
  },
)

it.each(['on', 'remote_apply', 'remote_write'])(
  'CLU-139 with %s they start where a standby is named, which may be away, or where that is not asked for',
  async (commits) => {
    await expect(check(commits, '')).rejects.toThrow(
      'unable to start in production with --bus; the database has no synchronous_standby_names',
    )
    expect(await check(commits, 'standby')).toEqual([])
    expect(await check(commits, '', { allowAsyncStore: true })).toEqual([
      'the database has no synchronous standby: a fail-over may lose what was acknowledged',
    ])
  },
)
