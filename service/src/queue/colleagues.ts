import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Colleague } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'

/** So many are listed: those who are ready first. */
export const COLLEAGUES_LIMIT = 200

/** Agents who are connected, one apart, by what they can take. */
export async function colleaguesOf(db: Kysely<Tables>, agent: string): Promise<Colleague[]> {
  const { rows } = await sql<Colleague>`
    select a.id as user, a.nick, a.tags, case when a.state <> 'ready' then 'paused'
        when (select count(*) from contacts c where c.agent = a.id and c.life in ('assigned', 'joined'))
          >= a.capacity then 'busy' else 'ready' end as state
    from agents a where a.connected and a.id <> ${agent}
      order by a.state = 'ready' desc, lower(a.nick), a.id limit ${COLLEAGUES_LIMIT}`.execute(db)
  return rows.map(({ user, nick, state, tags }) => ({ user, nick, state, tags }))
}
