import { SignJWT } from 'jose'
import type { CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const adminToken = 'an administration token'
const lines: string[] = []
let test: TestService
let key: { readonly kid: string; readonly key: CryptoKey }

beforeAll(async () => {
  test = await startTestService(
    { adminToken },
    {
      report: {
        info: (...line) => lines.push(JSON.stringify(line)),
        warn: (...line) => lines.push(JSON.stringify(line)),
        debug: (...line) => lines.push(JSON.stringify(line)),
        fault: (thrown) => lines.push(String(thrown)),
      },
    },
  )
  key = (await loadSigningKeys(test.service.database.db, 0)).current
})
afterAll(() => test.close())

/** A token with the service's own signature, whatever it says. */
function signed(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  by: CryptoKey | Uint8Array = key.key,
): Promise<string> {
  const now = Math.floor(test.clock.now() / 1_000)
  const whole = {
    use: 'agent',
    sub: 'a-x',
    nick: 'Eve',
    tags: [],
    avatar: null,
    iss: 'duolog-service',
    aud: 'duolog',
    iat: now,
    exp: now + 600,
    ...claims,
  }
  return new SignJWT(whole)
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'duolog+jwt', ...header })
    .sign(by)
}

describe('the HTTP routes', () => {
  /** What a token of each kind gets from each route; a new route needs its line here. */
  const OPEN = 'open'
  /** With no token, a visitor's, an agent's, an expired one, and one that is none. */
  const AGENTS = (good: number) => [401, 403, good, 401, 401]
  const EXPECTED: Readonly<Record<string, typeof OPEN | number | readonly number[]>> = {
    'post /v1/visitors': OPEN,
    'post /v1/visitors/refresh': 400,
    'post /v1/visitors/sign-out': 400,
    'post /v1/visitors/identify': 400,
    'post /v1/dev/agents': 400,
    'get /v1/agents/me': AGENTS(200),
    'get /v1/agents/sign-in': OPEN,
    'post /v1/agents/logout': 404,
    'post /v1/agents/sign-out': AGENTS(204),
    'get /v1/contacts': AGENTS(403),
    'get /v1/contacts/x': AGENTS(403),
    'get /v1/contacts/x/transcript': AGENTS(403),
    'post /v1/contacts/x/messages': AGENTS(403),
    'get /v1/avatars/x': 404,
    'head /v1/uploads/x': 401,
    'patch /v1/uploads/x': 401,
    'delete /v1/uploads/x': 401,
    'options /v1/uploads/x': OPEN,
    'get /v1/attachments/x': 404,
    'get /v1/admin/visitors/x': 401,
    'delete /v1/admin/visitors/x': 401,
    'post /v1/admin/revocations': 401,
    'put /v1/admin/contacts/x/hold': 401,
    'delete /v1/admin/contacts/x/hold': 401,
    'get /v1/openapi.json': OPEN,
    'get /healthz': OPEN,
    'get /readyz': OPEN,
    'post /v1/admin/signing-keys': 401,
    'get /metrics': 401,
    'get /': OPEN,
    'get /widget.js': OPEN,
  }

  it('SRV-5 OPS-9 no route takes the token of a visitor, an agent or an expired one for its own', async () => {
    const { paths } = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) =>
        method === 'parameters' || /\{path\}/.test(path)
          ? []
          : [`${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`],
      ),
    )
    expect(routes.toSorted()).toEqual(Object.keys(EXPECTED).toSorted())
    const tokens = [
      null,
      (await signInVisitor(test.url)).token,
      (await signInAgent(test.url, 'Ada')).token,
      await signed({ exp: 1 }),
      'x'.repeat(5_000),
    ]
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ')
      for (const [index, token] of tokens.entries()) {
        const type = { post: 'application/json', patch: 'application/offset+octet-stream' }[method]
        const headers = {
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          ...(type && { 'content-type': type }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
        }
        const answer = await fetch(`${test.url}${path}`, {
          method: method.toUpperCase(),
          headers,
          body: type ? '{}' : null,
        })
        const expected = EXPECTED[route]
        const status = typeof expected === 'object' ? expected[index] : expected
        expect(status === OPEN ? answer.ok : answer.status, `${route} with ${token?.slice(0, 8)}`).toBe(
          status === OPEN ? true : status,
        )
      }
    }
  })

  it('SRV-9 a strange page gets neither a preflight nor an answer that it may read, and methods cannot be overridden', async () => {
    const origin = 'https://evil.example'
    for (const path of [
      '/v1/visitors',
      '/v1/visitors/refresh',
      '/v1/dev/agents',
      '/v1/link/?EIO=4&transport=polling',
      '/v1/uploads/x',
      '/v1/admin/revocations',
      '/metrics',
    ]) {
      const preflight = await fetch(`${test.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      })
      expect(preflight.headers.get('access-control-allow-origin'), path).toBeNull()
    }
    const override = await fetch(`${test.url}/v1/admin/visitors/x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'x-http-method-override': 'DELETE' },
    })
    expect(override.status).toBe(404)
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'TRACE']) {
      const answer = await fetch(`${test.url}/metrics`, { method }).catch(() => null)
      expect((await answer?.text()) ?? '', method).not.toContain('duolog_')
    }
  })
})
