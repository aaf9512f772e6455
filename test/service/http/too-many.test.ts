import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRODUCTION_RATES } from '../../../service/src/limits/rate-limits.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

interface Described {
  readonly components: {
    readonly responses: {
      readonly TooMany: { readonly content: { readonly 'application/json': { readonly schema: object } } }
    }
  }
  readonly paths: Record<string, { readonly post: { readonly responses: Record<string, unknown> } }>
}

let test: TestService
beforeAll(async () => {
  test = await startTestService({}, { rates: PRODUCTION_RATES })
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
