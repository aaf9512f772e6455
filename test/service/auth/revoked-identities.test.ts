import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Revocations } from '../../../service/src/auth/revocations.ts'
import { removeRevocations } from '../../../service/src/store/removal.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const SECRET = 'a secret of the shop and the service'
const ADMIN = 'the token of the administrator, long enough'
const DAY_S = 86_400
let test: TestService

beforeAll(async () => {
  test = await startTestService({
    identities: { keys: { secret: SECRET }, issuer: null, audience: null },
    adminToken: ADMIN,
  })
})
afterAll(() => test.close())

/** What the site says of its customer, for so many seconds. */
function identity(sub: string, lifeS: number): Promise<string> {
  const now = Math.floor(test.clock.now() / 1_000)
  return new SignJWT({ sub, iat: now, exp: now + lifeS })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET))
}
const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${test.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN}` },
    body: JSON.stringify(body),
  })
const identify = async (token: string): Promise<number> =>
  (await post('/v1/visitors/identify', { identity: token })).status

/** The id of a customer, by the command of docs/guides/identity.md. */
function documented(sub: string): string {
  const guide = readFileSync(new URL('../../../docs/guides/identity.md', import.meta.url), 'utf8')
  const command = /^printf .*\|carla@example\.org.*$/m.exec(guide)?.[0] ?? 'exit 1'
  return `i-h-${execSync(command.replace('carla@example.org', sub), { encoding: 'utf8' }).trim()}`
}

it('SND-110 the revocation of a customer holds as long as an identity lives, here, in the store and after a restart', async () => {
  const token = await identity('cust-9', 30 * DAY_S)
  expect(await identify(token)).toBe(200)
  expect((await post('/v1/admin/revocations', { use: 'visitor', id: 'i-cust-9' })).status).toBe(204)
  const { db } = test.service.database
  for (const minutes of [0, 18, 24 * 60, 28 * 24 * 60]) {
    test.clock.advance(minutes * 60_000)
    await removeRevocations(db, test.clock.now())
    const restarted = new Revocations({ db, clock: test.clock })
    await restarted.load()
    expect([await identify(token), restarted.size], `after ${minutes} min more`).toEqual([401, 1])
  }
  expect(await identify(await identity('cust-9', 600))).toBe(200)
})

it.each([
  ['c-17', 'i-c-17'],
  ['x'.repeat(126), `i-${'x'.repeat(126)}`],
  ['carla@example.org', documented('carla@example.org')],
  ['Zoë', documented('Zoë')],
  ['x'.repeat(127), documented('x'.repeat(127))],
])('PRD-61 the id of the customer %s is made as the guide says, and revocations take it', async (sub, id) => {
  const token = await identity(sub, 600)
  const answer = await post('/v1/visitors/identify', { identity: token })
  expect(((await answer.json()) as { readonly visitor: string }).visitor).toBe(id)
  expect((await post('/v1/admin/revocations', { use: 'visitor', id })).status).toBe(204)
  expect(await identify(token)).toBe(401)
})

it('SND-110 an identity that outlives its revocation is refused in words', async () => {
  expect(await identify(await identity('cust-10', 30 * DAY_S))).toBe(200)
  const answer = await post('/v1/visitors/identify', { identity: await identity('cust-10', 30 * DAY_S + 1) })
  expect([answer.status, await answer.json()]).toEqual([
    401,
    {
      error: {
        code: 'unauthorized',
        message: expect.stringContaining('longer than 30 days') as string,
      },
    },
  ])
})

it.each([
  ['visitor', ['carla@example.org', 'cust-9', 'i-', 'i-a b', 'i-h-short', 'v-', '']],
  ['agent', ['auth0|17', 'h-short', 'a b', '']],
  ['token', ['']],
])('SND-110 the revocation of an id that no %s can have is refused', async (use, ids) => {
  for (const id of ids) expect((await post('/v1/admin/revocations', { use, id })).status, id).toBe(400)
  for (const id of { visitor: ['v-unknown', documented('x|y')], agent: ['nobody'], token: ['a b|c'] }[use] ??
    [])
    expect((await post('/v1/admin/revocations', { use, id })).status, id).toBe(204)
})

it('SND-110 a visitor who cannot be is not erased, and that is said', async () => {
  const erase = async (id: string): Promise<number> =>
    (
      await fetch(`${test.url}/v1/admin/visitors/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ADMIN}` },
      })
    ).status
  for (const id of ['a%20b', 'carla%40example.org', 'cust-9', '']) expect(await erase(id), id).toBe(400)
  expect(await erase('i-nobody')).toBe(200)
})
