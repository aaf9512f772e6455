import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Report } from '../report.ts'
import { StartError } from '../start-error.ts'
import type { Tables } from './tables.ts'

/** Commits are answered before they are on the disk of the primary, or of a standby that is waited for. */
const EARLY: ReadonlySet<string> = new Set(['off', 'local'])

/**
 * What is acknowledged must survive a fail-over: with several nodes in production PostgreSQL answers when a
 * synchronous standby has the commit. One that is named may be away at the start of a node.
 *
 * @throws {@link StartError} that may pass, since a fail-over changes it: `synchronous_commit` is `off` or `local`, or no standby is named
 */
export async function checkAcknowledged(
  db: Kysely<Tables>,
  { allowAsyncStore }: { readonly allowAsyncStore: boolean },
  report: Pick<Report, 'warn'>,
): Promise<void> {
  const { rows } = await sql<{ commits: string; standbys: string }>`
    select current_setting('synchronous_commit') as commits,
      current_setting('synchronous_standby_names') as standbys`.execute(db)
  const { commits = '', standbys = '' } = rows[0] ?? {}
  if (EARLY.has(commits))
    throw new StartError(
      `unable to start in production with --bus; the database has synchronous_commit = ${commits}, so what is acknowledged may be lost: set it to on`,
      { isPassing: true },
    )
  if (standbys.trim() !== '') return
  if (!allowAsyncStore)
    throw new StartError(
      'unable to start in production with --bus; the database has no synchronous_standby_names, so a fail-over may lose what is acknowledged: name a standby, or give --allow-async-store where the disk is copied otherwise',
      { isPassing: true },
    )
  report.warn('the database has no synchronous standby: a fail-over may lose what was acknowledged')
}
