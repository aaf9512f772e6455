import { Ajv } from 'ajv'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRODUCTION_RATES } from '../../../service/src/limits/rate-limits.ts'
import { identify, signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

interface Described {
  readonly components: {
    readonly responses: {
      readonly TooMany: { readonly content: { readonly 'application/json': { readonly schema: object } } }
    }
  }
  readonly paths: Record<string, { readonly post: { readonly responses: Record<string, unknown> } }>
}

const SECRET = 'a secret of the shop and the service'
let test: TestService
beforeAll(async () => {
  test = await startTestService(
    { identities: { keys: { secret: SECRET }, issuer: null, audience: null } },
    { rates: PRODUCTION_RATES },
  )
})
afterAll(() => test.close())

const refresh = (): Promise<Response> =>
  fetch(`${test.url}/v1/visitors/refresh`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh: 'x'.repeat(43) }),
  })

it('OPS-9 who asks too often is told when to come back, in the body and in a header, as it is described', async () => {
  for (let count = 0; count < 10; count += 1) expect((await refresh()).status).toBe(401)
  const answer = await refresh()
  const said = (await answer.json()) as { readonly error: { readonly retryAfterMs: number } }
  expect([answer.status, said]).toEqual([
    429,
    { error: { code: 'rate_limited', message: expect.any(String), retryAfterMs: expect.any(Number) } },
  ])
  const { retryAfterMs } = said.error
  expect(answer.headers.get('retry-after')).toBe(String(Math.ceil(retryAfterMs / 1_000)))
  const { components, paths } = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as Described
  expect(paths['/v1/visitors/refresh']?.post.responses['429']).toEqual({
    $ref: '#/components/responses/TooMany',
  })
  const { schema } = components.responses.TooMany.content['application/json']
  expect(new Ajv({ strict: false }).validate(schema, said)).toBe(true)
  test.clock.advance(retryAfterMs)
  expect((await refresh()).status).toBe(401)
})

it('OPS-9 failed sign-ins of an address refuse nothing that is valid: agents, back ends and identities', async () => {
  const { token } = await signInAgent(test.url, 'Ada')
  const now = Math.floor(test.clock.now() / 1_000)
  const identity = await new SignJWT({ sub: 'cust-9', iat: now, exp: now + 600 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET))
  const asAgent = (path: string, bearer: string, method = 'GET'): Promise<number> =>
    fetch(`${test.url}${path}`, { method, headers: { authorization: `Bearer ${bearer}` } }).then(
      ({ status }) => status,
    )
  const failures: number[] = []
  for (let count = 0; count < 12; count += 1) failures.push(await asAgent('/v1/agents/me', 'wrong'))
  expect([failures.at(-1), await identify(test.url, 'wrong')]).toEqual([429, 429])
  expect(await asAgent('/v1/agents/me', token)).toBe(200)
  expect(await asAgent('/v1/contacts', token)).toBe(403)
  expect(await identify(test.url, identity)).toBe(200)
  expect(await asAgent('/v1/agents/sign-out', token, 'POST')).toBe(204)
  expect(await asAgent('/v1/agents/me', token), 'it is void').not.toBe(200)
})
