import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Report } from '../report.ts'
import { StartError } from '../start-error.ts'
import type { Tables } from './tables.ts'

/** Commits are answered before they are on the disk of the primary, or of a standby that is waited for. */
const EARLY: ReadonlySet<string> = new Set(['off', 'local'])

/**
 * What is acknowledged must survive a fail-over: with several nodes in production PostgreSQL answers when a
 * synchronous standby has the commit. That none is named is only said: a database may be copied below
 * PostgreSQL, and a node must start while the standby is away.
 *
 * @throws {@link StartError} `synchronous_commit` is `off` or `local`
 */
export async function checkAcknowledged(db: Kysely<Tables>, report: Pick<Report, 'info'>): Promise<void> {
  const { rows } = await sql<{ commits: string; standbys: string }>`
    select current_setting('synchronous_commit') as commits,
      current_setting('synchronous_standby_names') as standbys`.execute(db)
  const { commits = '', standbys = '' } = rows[0] ?? {}
  if (EARLY.has(commits))
    throw new StartError(
      `unable to start in production with --bus; the database has synchronous_commit = ${commits}, so what is acknowledged may be lost: set it to on`,
    )
  if (standbys === '')
    report.info('the database has no synchronous standby: a fail-over may lose what was acknowledged')
}
