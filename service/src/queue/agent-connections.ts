/**
 * Who is connected where: a row for each socket of an agent. All of them are written under the lock of the
 * agent's row, which `agents.connected` tells the same.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** A socket of an agent. */
export interface AgentConnection {
  /** Random, of this socket alone. */
  readonly id: string
  readonly agent: string
}

/** Notes a connection. False where its node is not alive. */
export async function addConnection(
  trx: Kysely<Tables>,
  { id, agent, node }: AgentConnection & { readonly node: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`insert into agent_connections (id, agent, node)
    select ${id}, ${agent}, n.node from nodes n where n.node = ${node} and n.state <> 'dead'`.execute(trx)
  return numAffectedRows === 1n
}

/** Notes the end of a connection. True where it was the agent's last one, and nobody has noted that. */
export async function removeConnection(
  trx: Kysely<Tables>,
  { id, agent }: AgentConnection,
): Promise<boolean> {
  const gone = await trx.deleteFrom('agent_connections').where('id', '=', id).executeTakeFirst()
  if (gone.numDeletedRows === 0n) return false
  return !(await hasConnection(trx, agent))
}

const hasConnection = async (trx: Kysely<Tables>, agent: string): Promise<boolean> =>
  (await trx
    .selectFrom('agent_connections')
    .select('id')
    .where('agent', '=', agent)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether a connection stands: a node that was declared dead may still have its socket. */
export const stands = async (trx: Kysely<Tables>, id: string): Promise<boolean> =>
  (await trx.selectFrom('agent_connections').select('id').where('id', '=', id).executeTakeFirst()) !==
  undefined

/** Agents of one statement. It waits for no lock. */
const SWEPT_AT_ONCE = 200

/**
 * Notes the end of connections whose node is dead. Who has no other gets the timer of their absence. Any node
 * may do it at any time. Gives how many agents it looked at: with 200, there may be more.
 */
export const sweepConnections = (db: Kysely<Tables>, due: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string }>`
      select id from agents where id = any(array(
        select c.agent from agent_connections c join nodes n on n.node = c.node and n.state = 'dead'
        limit ${SWEPT_AT_ONCE})) order by id for update skip locked`.execute(trx)
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await sql`delete from agent_connections c using nodes n
      where c.agent = any(${ids}) and n.node = c.node and n.state = 'dead'`.execute(trx)
    await loseAgents(trx, sql`a.id = any(${ids})`, due)
    return rows.length
  })

/** Agents whom a process that noted no connections has left as connected. */
export const loseUnnoted = (db: Kysely<Tables>, due: number): Promise<void> => loseAgents(db, sql`true`, due)

const loseAgents = async (trx: Kysely<Tables>, which: ReturnType<typeof sql>, due: number): Promise<void> => {
  await sql`with lost as (
      update agents a set connected = false where ${which} and a.connected
        and not exists (select from agent_connections c where c.agent = a.id)
      returning a.id
    ) insert into timers (subject, kind, key, due) select id, 'agent', '', ${due}::bigint from lost
      on conflict (subject, kind, key) do nothing`.execute(trx)
}
