/** A process of a version before nodes, beside nodes: what it writes late undoes nothing of theirs. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { enterNode } from '../../../service/src/cluster/node-table.ts'
import { loseAt } from '../../../service/src/cluster/session-openings.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
let store: Database

beforeAll(async () => {
  store = await openDatabase({ data: data.folder, databaseUrl: null })
  await enterNode(store.db, { node: 'new', name: 'new', address: '', level: 1 })
})
afterAll(async () => {
  await store.close()
  data.remove()
})
/** A contact whose sessions are at the old process and at a node. */
beforeEach(async () => {
  await store.pool.query(`
    delete from agent_connections; delete from agents; delete from entries; delete from contacts;
    insert into contacts (id, visitor, request, created, life, machine, details, state)
      values ('c', 'v', 'r', 0, 'joined', '{}', '{}', '{}');
    insert into sessions (contact, session, slot, principal, node, epoch)
      values ('c', 'here', 'visitor', 'v', null, 0), ('c', 'there', 'visitor', 'v', 'new', 2)`)
})

const connected = async (session: string): Promise<unknown> =>
  (
    await store.pool.query<{ connected: boolean }>('select connected from sessions where session = $1', [
      session,
    ])
  ).rows[0]?.connected

/** What the old process writes: it knows neither nodes nor epochs. */
const append = (name: string, ...sessions: readonly string[]) =>
  store.pool.query<{ fault: string | null; seq: number }>(
    `select fault, seq from ${name}(1, $1::text[], $2::text[], array_fill('text'::text, array[$4::int]),
      array_fill('visitor'::text, array[$4::int]), $3::text[], array_fill(1::bigint, array[$4::int]),
      array_fill('v'::text, array[$4::int]), array_fill(null::text, array[$4::int]), array_fill('{}'::text, array[$4::int]),
      array_fill(null::text, array[$4::int]), array_fill(false, array[$4::int]))`,
    [sessions.map(() => 'c'), sessions.map((session) => `id of ${session}`), sessions, sessions.length],
  )
const lose = (session: string) =>
  store.pool.query('update sessions set connected = false where session = $1', [session])

it.each(['append_entries', 'append_free'])(
  'CLU-51 %s stores what its own sessions write, and nothing of sessions at nodes',
  async (name) => {
    expect((await append(name, 'here')).rows).toEqual([{ fault: null, seq: 1 }])
    await expect(append(name, 'there')).rejects.toMatchObject({ code: '57P03' })
    expect((await store.pool.query('select id from entries')).rows).toEqual([{ id: 'id of here' }])
  },
)

it('CLU-51 a session at a node stays connected though the process of before has lost its connection', async () => {
  await lose('here')
  await lose('there')
  expect([await connected('here'), await connected('there')]).toEqual([false, true])
  expect(await loseAt(store.db, { contact: 'c', session: 'there', epoch: 2 })).toBe('visitor')
  expect(await connected('there')).toBe(false)
})

it('CLU-51 a session at a node ends all the same', async () => {
  await store.pool.query("update sessions set ended = true, connected = false where session = 'there'")
  expect(await connected('there')).toBe(false)
})

it('CLU-51 an agent with a connection at a node stays connected', async () => {
  await store.pool.query(`
    insert into agents (id, nick, connected) values ('ada', 'Ada', true), ('bob', 'Bob', true);
    insert into agent_connections (id, agent, node) values ('l', 'ada', 'new');
    update agents set connected = false`)
  const of = async () =>
    (await store.pool.query('select id from agents where connected order by id')).rows.map(
      ({ id }: { id: string }) => id,
    )
  expect(await of()).toEqual(['ada'])
  await store.pool.query(
    "delete from agent_connections; update agents set connected = false where id = 'ada'",
  )
  expect(await of()).toEqual([])
})
