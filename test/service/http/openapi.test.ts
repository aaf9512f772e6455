import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpServer } from '../../../service/src/http/server.ts'
import type { HttpParts } from '../../../service/src/http/server.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
let test: TestService
let described: {
  readonly paths: Record<string, Record<string, unknown>>
  readonly components: Record<string, Record<string, unknown>>
}

beforeAll(async () => {
  test = await startTestService()
  described = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as typeof described
})
afterAll(() => test.close())

/** `METHOD /path/{}` of everything that a server without pages answers. What `GET` answers, `HEAD` does. */
async function routes(): Promise<string[]> {
  const folders = { sdk: '/none', visitor: '/none', agent: '/none', inspector: '/none' }
  const app = await httpServer({
    local: true,
    adminToken: 'a token',
    folders,
    attachments: { files: {} },
    origins: { allows: () => true, allowsRequest: () => true },
  } as unknown as HttpParts)
  const trail: string[] = []
  const found = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path = '', methods = ''] = /^([\s│├└─]*)(\S+) \(([^)]*)\)$/.exec(line) ?? []
      const depth = Math.max(0, indent.length / 4 - 1)
      trail.length = depth
      trail.push(path)
      const whole = trail.join('').replaceAll('//', '/').replaceAll(/:\w+/g, '{}')
      return methods === '' || path === '*'
        ? []
        : methods.split(', ').map((method) => `${method.toLowerCase()} ${whole}`)
    })
  await app.close()
  return found
    .filter((route) => !route.startsWith('head ') || !found.includes(route.replace('head ', 'get ')))
    .toSorted()
}

describe('the description of the HTTP routes', () => {
  it('OPS-9 names every route that there is, and no other', async () => {
    const named = Object.entries(described.paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) =>
        METHODS.includes(method) ? [`${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`] : [],
      ),
    )
    expect(named.filter((route) => !/^get \/(sdk|visitor|agent|inspector)\//.test(route)).toSorted()).toEqual(
      await routes(),
    )
  })

  it('OPS-9 refers only to what it describes, and each operation says what it answers', () => {
    const refs = [...JSON.stringify(described).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(refs.length).toBeGreaterThan(0)
    for (const [, kind = '', name = ''] of refs) expect(described.components[kind]).toHaveProperty(name)
    for (const operations of Object.values(described.paths))
      for (const method of METHODS)
        if (method in operations)
          expect(operations[method]).toMatchObject({
            summary: expect.any(String),
            responses: expect.anything(),
          })
  })

  it('OPS-9 what it says of errors holds', async () => {
    const answer = await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    for (const refused of [answer, await fetch(`${test.url}/v1/%`)])
      expect([refused.status, await refused.json()]).toEqual([
        400,
        { error: { code: 'invalid_argument', message: expect.any(String) } },
      ])
  })

  it('OPS-9 every operation about an id says what it answers where the id is malformed', async () => {
    const about = Object.entries(described.paths).filter(([path]) => /^\/v1\/.*\{/.test(path))
    const asked = about.flatMap(([path, operations]) =>
      METHODS.filter((method) => method in operations).map(async (method) => {
        const { status } = await fetch(test.url + path.replace(/\{\w+\}/, '%'), {
          method: method.toUpperCase(),
        })
        const { responses } = operations[method] as { readonly responses: object }
        return status === 400 && '400' in responses ? [] : [`${status} ${method} ${path}`]
      }),
    )
    expect(asked.length).toBeGreaterThan(5)
    expect((await Promise.all(asked)).flat()).toEqual([])
  })

  it.each(['HEAD', 'PATCH', 'DELETE'])(
    'OPS-9 %s of an upload says which version of tus it wants',
    async (method) => {
      const [missing, other] = await Promise.all(
        [{}, { 'tus-resumable': '0.2.2' }].map((headers) =>
          fetch(`${test.url}/v1/uploads/f-1`, { method, headers }),
        ),
      )
      expect([missing?.status, other?.status]).toEqual([412, 400])
      for (const status of ['400', '412'])
        expect(described.paths).toHaveProperty([
          '/v1/uploads/{id}',
          method.toLowerCase(),
          'responses',
          status,
        ])
    },
  )
})
