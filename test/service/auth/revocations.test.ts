import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REVOCATION_PAGE, Revocations } from '../../../service/src/auth/revocations.ts'
import type { Principal } from '../../../service/src/auth/principal.ts'
import { ExpiringMap } from '../../../service/src/auth/expiring-map.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const visitor = (id: string): Principal => ({
  use: 'visitor',
  id,
  origin: '',
  issued: test.clock.now() - 1,
  jti: null,
  kid: null,
  expires: test.clock.now() + 900_000,
})
const agent = (id: string): Principal => ({
  use: 'agent',
  id,
  nick: '',
  tags: [],
  avatar: null,
  rights: [],
  issued: test.clock.now() - 1,
  jti: null,
  kid: null,
  expires: 0,
})
const node = () => new Revocations({ db: test.service.database.db, clock: test.clock })
/** Another node, and the rows of each page that it has read: the service reads its own beside. */
const watchedNode = () => {
  const pages: number[] = []
  const asked = new WeakSet<object>()
  const db = test.service.database.db.withPlugin({
    transformQuery: ({ node: query, queryId }) => {
      if (JSON.stringify(query).includes('from revocations')) asked.add(queryId)
      return query
    },
    transformResult: async ({ result, queryId }) => {
      if (asked.has(queryId)) pages.push(result.rows.length)
      return result
    },
  })
  return { other: new Revocations({ db, clock: test.clock }), pages }
}

describe('revocations', () => {
  it('SND-110 are read in pages, and each but once', async () => {
    await test.service.database.pool.query(
      'insert into revocations (subject, at) select n::text, $1 from generate_series(1, 3500) n',
      [test.clock.now()],
    )
    const { other, pages } = watchedNode()
    await other.load()
    expect(pages).toEqual([REVOCATION_PAGE, REVOCATION_PAGE, REVOCATION_PAGE, 500])
    pages.length = 0
    await other.load()
    expect(pages).toEqual([0])
    expect(other.size).toBeGreaterThanOrEqual(3_500)
  })

  it('SND-110 one that is written while others are read is read, whichever is committed first', async () => {
    const other = node()
    const slow = await test.service.database.pool.connect()
    await slow.query('begin')
    const [early, late] = [node(), node()]
    await slow.query('select pg_current_xact_id()')
    await early.revoke({ use: 'visitor', id: 'quick' })
    await other.load()
    expect([other.covers(visitor('quick')), other.covers(visitor('slow'))]).toEqual([true, false])
    const subject = (await late.revoke({ use: 'visitor', id: 'slow' }),
    await test.service.database.pool.query<{ subject: string }>(
      'select subject from revocations order by changed desc limit 1',
    )).rows[0]?.subject
    await test.service.database.pool.query('delete from revocations where subject = $1', [subject])
    await slow.query('insert into revocations (subject, at) values ($1, $2)', [subject, test.clock.now()])
    await other.load()
    await slow.query('commit')
    slow.release()
    await other.load()
    expect(other.covers(visitor('slow'))).toBe(true)
  })

  it('SND-110 revoking again is read again', async () => {
    const [here, other] = [node(), node()]
    await here.revoke({ use: 'agent', id: 'again' })
    await other.load()
    test.clock.advance(1_000)
    expect(other.covers(agent('again'))).toBe(false)
    await here.revoke({ use: 'agent', id: 'again' })
    await other.load()
    expect(other.covers(agent('again'))).toBe(true)
  })

  it('SND-110 signing out is remembered as long as a token of the visitor lives, here and in the store', async () => {
    const { refresh } = await signInVisitor(test.url)
    const { pool } = test.service.database
    await pool.query('delete from revocations')
    const answer = await fetch(`${test.url}/v1/visitors/sign-out`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh }),
    })
    expect([answer.status, (await pool.query('select 1 from revocations')).rowCount]).toEqual([204, 1])
    const other = node()
    await other.load()
    expect(other.size).toBe(1)
    test.clock.advance(18 * 60_000)
    await other.load()
    expect(other.size).toBe(0)
    test.clock.advance(3_600_000)
    while ((await pool.query('select 1 from revocations')).rowCount === 1)
      await new Promise((settle) => setImmediate(settle))
  })

  it('SND-110 what an older version writes is kept for 30 days', async () => {
    const { rows } = await test.service.database.pool.query<{ days: number }>(
      "insert into revocations (subject, at) values ('older', 1000) returning (expires - at) / 86400000 as days",
    )
    expect(rows).toEqual([{ days: 30 }])
  })
})

describe('a map whose entries end', () => {
  it('SND-110 forgets what has ended, and what was put off only later', () => {
    const map = new ExpiringMap<string, number>()
    for (let key = 0; key < 10; key++) map.set(`${key}`, key, key * 60_000)
    map.set('1', 11, 30 * 60_000)
    map.prune(5 * 60_000)
    expect([map.size, map.get('1'), map.has('5'), map.has('6')]).toEqual([5, 11, false, true])
    map.prune(60 * 60_000)
    expect(map.size).toBe(0)
  })
})
