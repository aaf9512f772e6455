/** Stores the results of many changes, with a few statements for all of them. */
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../store/tables.ts'
import type { ContactChange } from './contact-change.ts'
import { storeEntries } from './unstored-entries.ts'
import { keptAs } from '../store/kept-statement.ts'
import type { SharedTransaction } from '../store/transaction-batch.ts'

/** Offers before timers: the order in which everyone locks them. */
export async function saveChanges(
  shared: SharedTransaction,
  changes: readonly ContactChange[],
): Promise<void> {
  const { trx } = shared
  await storeEntries(shared, changes)
  await releaseSessions(trx, changes)
  await withdrawOffersOf(trx, changes)
  await storeTimers(trx, changes)
  await storeRows(trx, changes)
  await storeHanded(trx, changes)
  await storeRefusals(shared, changes)
  await dropUploads(trx, changes)
}

/** No node has a session of a contact that is over. */
async function releaseSessions(trx: Transaction<Tables>, changes: readonly ContactChange[]): Promise<void> {
  const over = changes.filter(({ clearsTimers }) => clearsTimers).map(({ row }) => row.id)
  if (over.length === 0) return
  await trx
    .updateTable('sessions')
    .set({ node: null })
    .where('contact', 'in', over)
    .where('node', 'is not', null)
    .execute()
}

async function withdrawOffersOf(trx: Transaction<Tables>, changes: readonly ContactChange[]): Promise<void> {
  const leaving = new Map(
    changes.filter(({ leavesQueue }) => leavesQueue).map((change) => [change.row.id, change]),
  )
  if (leaving.size === 0) return
  const rows = await trx
    .deleteFrom('offers')
    .where('contact', 'in', [...leaving.keys()])
    .returning(['contact', 'agent'])
    .execute()
  for (const { contact, agent } of rows) {
    const change = leaving.get(contact)
    change?.tell(agent, { name: 'agent.withdrawn', body: { id: contact, reason: 'cleared' } })
    change?.cancel('offer', agent)
  }
}

/** A file that is not whole ends with the part of its sender: nobody could finish it. */
async function dropUploads(trx: Transaction<Tables>, changes: readonly ContactChange[]): Promise<void> {
  const losing = new Map(
    changes.filter(({ losesParty }) => losesParty).map((change) => [change.row.id, change]),
  )
  if (losing.size === 0) return
  const { rows } = await sql<{ id: string; contact: string }>`
    delete from attachments a using contacts c
    where c.id = any(${[...losing.keys()]}) and a.contact = c.id and a.seq is null
      and (c.ended is not null or (a.slot = 'agent' and a.principal is distinct from c.agent))
    returning a.id, a.contact`.execute(trx)
  for (const { id, contact } of rows) losing.get(contact)?.droppedUploads.push(id)
}

async function storeTimers(trx: Transaction<Tables>, changes: readonly ContactChange[]): Promise<void> {
  const over = changes.filter(({ clearsTimers }) => clearsTimers).map(({ row }) => row.id)
  if (over.length > 0) await trx.deleteFrom('timers').where('subject', 'in', over).execute()
  const timers = changes.flatMap((change) => [...change.timers.values()])
  const column = <K extends keyof (typeof timers)[number]>(list: typeof timers, key: K) =>
    list.map((timer) => timer[key])
  const [cleared, set] = [timers.filter(({ due }) => due === null), timers.filter(({ due }) => due !== null)]
  const names = (list: typeof timers) =>
    sql`${column(list, 'subject')}::text[], ${column(list, 'kind')}::text[], ${column(list, 'key')}::text[]`
  if (cleared.length > 0)
    await sql`${keptAs('clear_timers')} delete from timers t using unnest(${names(cleared)}) as d(subject, kind, key)
      where t.subject = d.subject and t.kind = d.kind and t.key = d.key`.execute(trx)
  if (set.length > 0)
    await sql`${keptAs('set_timers')} insert into timers (subject, kind, key, due) select *
      from unnest(${names(set)}, ${column(set, 'due')}::bigint[])
      on conflict (subject, kind, key) do update set due = excluded.due, failures = 0,
        owner = null`.execute(trx)
}

async function storeRows(trx: Transaction<Tables>, all: readonly ContactChange[]): Promise<void> {
  const changes = all.filter(({ isStored }) => !isStored)
  if (changes.length === 0) return
  const rows = changes.map((change) => change.columns())
  const column = <K extends keyof (typeof rows)[number]>(key: K) => rows.map((row) => row[key])
  await sql`${keptAs('store_contacts')} update contacts c set life = n.life, waiting = n.waiting, visitor_away = n.visitor_away,
    queued_at = n.queued_at, agent = n.agent, machine = n.machine,
      state = n.state, state_seq = n.state_seq, ended = n.ended
    from unnest(${changes.map(({ row }) => row.id)}::text[], ${column('life')}::text[],
      ${column('waiting')}::boolean[], ${column('visitor_away')}::boolean[], ${column('queued_at')}::bigint[], ${column('agent')}::text[],
      ${column('machine')}::text[], ${column('state')}::text[], ${column('state_seq')}::bigint[], ${column('ended')}::bigint[])
      as n(id, life, waiting, visitor_away, queued_at, agent, machine, state, state_seq, ended)
    where c.id = n.id`.execute(trx)
}

async function storeHanded(trx: Transaction<Tables>, changes: readonly ContactChange[]): Promise<void> {
  const rows = changes.flatMap(({ row: { id }, routing: { changed } }) =>
    changed ? [{ id, ...changed }] : [],
  )
  if (rows.length === 0) return
  const column = <K extends keyof (typeof rows)[number]>(key: K) => rows.map((row) => row[key])
  await sql`update contacts c set only_agent = n.only_agent, handed_by = n.handed_by, handed_at = n.handed_at,
      tags = array(select json_array_elements_text(n.tags::json))
    from unnest(${column('id')}::text[], ${column('only_agent')}::text[], ${column('handed_by')}::text[],
      ${column('handed_at')}::bigint[],
      ${rows.map(({ tags }) => JSON.stringify(tags))}::text[]) as n(id, only_agent, handed_by, handed_at, tags)
    where c.id = n.id`.execute(trx)
}

async function storeRefusals(
  { trx, now }: SharedTransaction,
  changes: readonly ContactChange[],
): Promise<void> {
  const rows = changes.flatMap(({ row, refused, world }) =>
    [...new Set(refused)].map((agent) => ({
      contact: row.id,
      agent,
      until: now + world.limits.refusalMs,
    })),
  )
  if (rows.length === 0) return
  await trx
    .insertInto('refusals')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['contact', 'agent']).doUpdateSet((row) => ({ until: row.ref('excluded.until') })),
    )
    .execute()
}
