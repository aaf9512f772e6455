import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const adminToken = 'an administration token'
const OLD = 2_500
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const post = (path: string, refresh: string) =>
  fetch(`${test.url}/v1/visitors/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh }),
  })

/** A visitor who has refreshed often before. */
async function oftenRefreshed() {
  const signedIn = await signInVisitor(test.url)
  await test.service.database.pool.query(
    `insert into refresh_tokens (hash, family, visitor, origin, expires, used, revoked)
      select $1 || '-' || n, 'f', $1, '', $2, 1, false from generate_series(1, $3::int) n`,
    [signedIn.visitor, test.clock.now() + 86_400_000, OLD],
  )
  return signedIn
}

/** Runs it, and gives the most rows that one of its statements about refresh tokens has touched. */
async function mostRows(run: () => Promise<void>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await run()
  const asked = query.mock.calls.map(([text]) => JSON.stringify(text ?? ''))
  const results = query.mock.results.flatMap(({ value }, index) =>
    asked[index]?.includes('refresh_tokens') ? [value as Promise<pg.QueryResult>] : [],
  )
  query.mockRestore()
  return Math.max(...(await Promise.all(results)).map((result) => result.rowCount ?? 0))
}

it('SND-306 who has refreshed often is signed out by few rows: what could be used is void, also what was used just now', async () => {
  const { refresh } = await oftenRefreshed()
  const next = (await (await post('refresh', refresh)).json()) as { readonly refresh: string }
  const rows = await mostRows(async () => {
    expect((await post('sign-out', next.refresh)).status).toBe(204)
  })
  expect(rows).toBeLessThanOrEqual(2)
  expect([(await post('refresh', next.refresh)).status, (await post('refresh', refresh)).status]).toEqual([
    401, 401,
  ])
})

it('SND-306 and is erased in pieces', async () => {
  const { visitor } = await oftenRefreshed()
  const rows = await mostRows(async () => {
    const answer = await fetch(`${test.url}/v1/admin/visitors/${visitor}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(answer.status).toBe(200)
  })
  expect(rows).toBeLessThanOrEqual(1_000)
  const { rowCount } = await test.service.database.pool.query(
    'select 1 from refresh_tokens where visitor = $1',
    [visitor],
  )
  expect(rowCount).toBe(0)
})
