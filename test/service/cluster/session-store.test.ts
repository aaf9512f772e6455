/** What the store decides about sessions of several nodes is what the pure rules say, in every case. */
import type { Kysely, Transaction } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { enterNode } from '../../../service/src/cluster/node-table.ts'
import { loseAt, openSessions, sweepSessions } from '../../../service/src/cluster/session-openings.ts'
import type { Opening } from '../../../service/src/cluster/session-openings.ts'
import { isLoss, isSwept, mayAppend, placeAfterOpening } from '../../../service/src/cluster/session-rules.ts'
import type { NodeState, SessionPlace } from '../../../service/src/cluster/session-rules.ts'
import { insertEntries } from '../../../service/src/log/append.ts'
import type { AppendedRow } from '../../../service/src/log/append.ts'
import type { EntryInsert } from '../../../service/src/log/entry-insert.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import type { Tables } from '../../../service/src/store/tables.ts'
import { preparedData } from '../../support/prepared-store.ts'

const data = preparedData()
const NODES: Readonly<Record<string, NodeState>> = { up: 'up', draining: 'draining', dead: 'dead' }
const states = new Map(Object.entries(NODES))
/** Places before, and who opens how. `gone`: a node without a row. */
const PLACES: readonly (SessionPlace | null)[] = [
  null,
  { node: null, epoch: 0 },
  ...['up', 'draining', 'dead'].flatMap((node) => [1, 2].map((epoch) => ({ node, epoch }))),
  { node: null, epoch: 2 },
]
const OPENERS = ['up', 'draining', 'dead', 'gone'].flatMap((node) =>
  [null, 0, 1, 2, 3].map((opening) => ({ node, opening })),
)
let store: Database

beforeAll(async () => {
  store = await openDatabase({ data: data.folder, databaseUrl: null })
  for (const [node, state] of Object.entries(NODES)) {
    await enterNode(store.db, { node, name: node, address: '', level: 1 })
    await store.pool.query('update nodes set state = $2 where node = $1', [node, state])
  }
})

afterAll(async () => {
  await store.close()
  data.remove()
})

beforeEach(async () => {
  await store.pool.query('delete from timers; delete from entries; delete from contacts')
  await makeContact('c')
})

const makeContact = (id: string, life = 'joined') =>
  store.pool.query(
    "insert into contacts (id, visitor, request, created, life, machine, details, state) values ($1, 'v', $1, 0, $2, '{}', '{}', '{}')",
    [id, life],
  )

/** Puts the session where it was. */
async function place(before: SessionPlace | null, contact = 'c', isEnded = false): Promise<void> {
  await store.pool.query('delete from sessions where contact = $1', [contact])
  if (!before) return
  await store.pool.query(
    "insert into sessions (contact, session, slot, principal, connected, node, epoch, ended) values ($1, 's', 'visitor', 'v', $2, $3, $4, $5)",
    [contact, before.node !== null, before.node, before.epoch, isEnded],
  )
}

async function placeOf(contact = 'c') {
  const { rows } = await store.pool.query<SessionPlace & { connected: boolean }>(
    'select node, epoch, connected from sessions where contact = $1',
    [contact],
  )
  return rows[0] ?? null
}

const timers = async () =>
  (await store.pool.query('select subject, kind, key, due from timers order by subject')).rows

const open = (node: string, opening: number | null, contact = 'c') =>
  openIn(store.db, { contact, session: 's', slot: 'visitor', principal: 'v', node, opening })

const openIn = async (db: Kysely<Tables>, opening: Opening) =>
  (await openSessions({ trx: db as Transaction<Tables>, now: 0 }, [opening]))[0]

const text = (id: string, counter: number, contact = 'c'): EntryInsert => ({
  ...{ contact, id, counter, type: 'text', slot: 'visitor', session: 's', principal: 'v', nick: null },
  ...{ body: '{}', content: {}, ref: null, refused: false, epoch: null },
})

const append = (inserts: readonly EntryInsert[], epochs: readonly (number | null)[], waits = true) =>
  insertEntries((query) => store.pool.query<AppendedRow>(query), fenced(inserts, epochs), { time: 1, waits })

const fenced = (inserts: readonly EntryInsert[], epochs: readonly (number | null)[]) =>
  inserts.map((insert, index) => ({ ...insert, epoch: epochs[index] ?? null }))

describe('openings', () => {
  it('CLU-11 the store gives a session to whom the rule gives it, in each of 180 cases', async () => {
    for (const before of PLACES)
      for (const { node, opening } of OPENERS) {
        await place(before)
        const after = placeAfterOpening(before, { node, opening }, states)
        const given = await open(node, opening)
        const found = await placeOf()
        const kept = before && { ...before, connected: before.node !== null }
        expect({ before, node, opening, found }).toEqual({
          ...{ before, node, opening },
          found: after ? { ...after, connected: true } : kept,
        })
        expect(given).toEqual(after ? { counter: 0, epoch: after.epoch, former: before?.node ?? null } : null)
      }
  })
})

describe('the fence of appends', () => {
  it.each([true, false])(
    'CLU-12 the store takes what the rule takes, in each case (waits: %s)',
    async (waits) => {
      for (const before of PLACES.filter((each) => each !== null))
        for (const epoch of [0, 1, 2, 3, null]) {
          await place(before)
          await store.pool.query("delete from entries; update contacts set head = 0 where id = 'c'")
          const [outcome] = await append([text('m', 1)], [epoch], waits)
          const isTaken = epoch === null || mayAppend(before, epoch)
          expect({ before, epoch, fault: outcome?.fault, seq: outcome?.seq }).toEqual({
            ...{ before, epoch },
            ...(isTaken ? { fault: null, seq: 1 } : { fault: 'replaced', seq: null }),
          })
        }
    },
  )

  it('CLU-12 what is stored already has its number, also for an opening of before; nothing new is taken', async () => {
    await open('up', 1)
    await append([text('m1', 1), text('m2', 2)], [1, 1])
    await open('draining', 2)
    const outcomes = await append([text('m2', 2), text('m3', 3)], [1, 1])
    expect(outcomes.map(({ seq, fault, isNew }) => [seq, fault, isNew])).toEqual([
      [2, null, false],
      [null, 'replaced', false],
    ])
    expect((await append([text('m3', 3)], [2]))[0]).toMatchObject({ seq: 3, fault: null })
  })

  it('CLU-12 a party that has left, and a session of another, hear that first', async () => {
    await place({ node: 'up', epoch: 2 }, 'c', true)
    expect((await append([text('m', 1)], [1]))[0]?.fault).toBe('left')
    await place({ node: 'up', epoch: 2 })
    expect((await append([{ ...text('m', 1), principal: 'w' }], [1]))[0]?.fault).toBe('unknown')
    expect((await append([text('m', 1, 'none')], [1]))[0]?.fault).toBe('not_found')
  })

  it('CLU-12 says where each contact is open, once, with its first draft', async () => {
    await makeContact('d')
    await open('up', 1)
    await open('draining', 1, 'd')
    await store.pool.query(
      "insert into sessions (contact, session, slot, principal, node, epoch) values ('c', 'a', 'agent', 'x', 'draining', 1), ('c', 'b', 'agent', 'x', 'draining', 1), ('c', 'z', 'agent', 'x', null, 1)",
    )
    const outcomes = await append([text('1', 1), text('2', 1, 'd'), text('3', 2)], [1, 1, 1])
    expect(outcomes.map(({ nodes }) => nodes)).toEqual([['draining', 'up'], ['draining'], undefined])
  })

  it('CLU-12 an opening waits for an append that holds the contact, and the next append is fenced', async () => {
    await open('up', 1)
    const writer = await store.pool.connect()
    await writer.query('begin')
    await insertEntries((query) => writer.query<AppendedRow>(query), fenced([text('m1', 1)], [1]), {
      ...{ time: 1, waits: true },
    })
    const opened = store.db.transaction().execute(async (trx) => {
      await trx.selectFrom('contacts').select('id').where('id', '=', 'c').forUpdate().execute()
      return openIn(trx, {
        ...{ contact: 'c', session: 's', slot: 'visitor', principal: 'v' },
        ...{ node: 'draining', opening: 2 },
      })
    })
    await writer.query('commit')
    writer.release()
    expect(await opened).toEqual({ counter: 1, epoch: 2, former: 'up' })
    expect((await append([text('m2', 2)], [1]))[0]?.fault).toBe('replaced')
  })
})

describe('losses', () => {
  it('CLU-13 the end of a connection is a loss where the rule says so, and never of a session that ended', async () => {
    for (const before of PLACES.filter((each) => each !== null))
      for (const epoch of [0, 1, 2])
        for (const isEnded of [true, false]) {
          await place(before, 'c', isEnded)
          const isLost = !isEnded && before.node !== null && isLoss(before, epoch)
          expect(await loseAt(store.db, { contact: 'c', session: 's', epoch })).toBe(
            isLost ? 'visitor' : null,
          )
          expect((await placeOf())?.node).toBe(isLost ? null : before.node)
        }
  })

  it('CLU-14 a sweep takes the sessions of dead nodes, and sets the timers of their absence', async () => {
    const places = PLACES.filter((each) => each !== null)
    for (const [index, before] of places.entries()) {
      await makeContact(`c${index}`)
      await place(before, `c${index}`)
    }
    await store.pool.query(
      "insert into timers (subject, kind, key, due) values ('c' || $1, 'absence', 's', 5)",
      [places.findIndex((each) => isSwept(each, states))],
    )
    expect(await sweepSessions(store.db, 60)).toBe(places.filter((each) => isSwept(each, states)).length)
    for (const [index, before] of places.entries()) {
      const isTaken = isSwept(before, states)
      expect(await placeOf(`c${index}`)).toMatchObject(isTaken ? { node: null, epoch: before.epoch } : before)
    }
    expect((await timers()).map(({ due }: { due: number }) => due)).toEqual([5, 60])
    expect(await sweepSessions(store.db, 60)).toBe(0)
  })

  it('CLU-14 a sweep sets no timer where the contact or the session is over', async () => {
    await makeContact('over', 'cleared')
    await place({ node: 'dead', epoch: 1 }, 'over')
    await place({ node: 'dead', epoch: 1 }, 'c', true)
    expect(await sweepSessions(store.db, 60)).toBe(2)
    expect(await timers()).toEqual([])
  })

  it('CLU-14 a sweep waits for nobody, and leaves a session that is opened anew meanwhile', async () => {
    await place({ node: 'dead', epoch: 1 })
    const opener = await store.pool.connect()
    await opener.query("begin; update sessions set node = 'up', epoch = 2 where contact = 'c'")
    expect(await sweepSessions(store.db, 60)).toBe(0)
    await opener.query('commit')
    opener.release()
    expect(await sweepSessions(store.db, 60)).toBe(0)
    expect(await placeOf()).toMatchObject({ node: 'up', epoch: 2 })
  })

  it('CLU-14 a sweep takes at most 200 sessions in a statement', async () => {
    await store.pool.query(
      "insert into sessions (contact, session, slot, principal, node, epoch) select 'c', 's' || n, 'visitor', 'v', 'dead', 1 from generate_series(1, 450) n",
    )
    const counts = []
    do counts.push(await sweepSessions(store.db, 60))
    while (counts.at(-1) === 200 && counts.length < 9)
    expect(counts).toEqual([200, 200, 50])
  })
})
