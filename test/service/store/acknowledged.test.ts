import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkAcknowledged } from '../../../service/src/store/acknowledged.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()

/** What the check says of a database with this setting. */
const said = (commits: string): Promise<readonly string[]> =>
  store()
    .db.connection()
    .execute(async (db) => {
      const told: string[] = []
      await sql`select set_config('synchronous_commit', ${commits}, false)`.execute(db)
      await checkAcknowledged(db, { info: (what) => told.push(what) })
      return told
    })

it.each(['off', 'local'])(
  'CLU-139 nodes do not start where commits are answered early: %s',
  async (commits) => {
    await expect(said(commits)).rejects.toThrow(
      `unable to start in production with --bus; the database has synchronous_commit = ${commits}`,
    )
  },
)

it.each(['on', 'remote_apply', 'remote_write'])(
  'CLU-139 with %s they start, and say that no standby is synchronous',
  async (commits) => {
    expect(await said(commits)).toEqual([
      'the database has no synchronous standby: a fail-over may lose what was acknowledged',
    ])
  },
)
