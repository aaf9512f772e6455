import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomName } from '../../../sdk/values/random-id.ts'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { announce } from '../../support/tus.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

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
        fault: (thrown) => lines.push(String(thrown)),
      },
    },
  )
  key = (await loadSigningKeys(test.service.database.db, 0)).current
})
afterAll(() => test.close())

const connect = (token: unknown) => WireClient.connect(test.url, token).then((client) => client.close())

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

describe('tokens that are not for this', () => {
  it('SRV-3 the twin of those that follow is taken', async () => {
    await connect(await signed({}))
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'other' }],
    ['no subject', { sub: undefined }],
    ['a subject that is no id', { sub: '../x' }],
    ['another use', { use: 'upload' }],
    ['no use', { use: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is text', { exp: '9999999999' }],
    ['an endless expiry', { exp: 1e308 }],
    ['a negative expiry', { exp: -1 }],
    ['a time before which it is not valid', { nbf: 9_999_999_999 }],
    ['no time of issue', { iat: undefined }],
    ['a visitor without an origin', { use: 'visitor' }],
  ])('SRV-3 signed by the service, with %s', async (_name, claims) => {
    await expect(connect(await signed(claims).catch(() => 'x'))).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })

  it('SRV-3 keys that the token brings along or names are never looked at', async () => {
    const own = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
    const jwk = await exportJWK(own.publicKey)
    const headers = [
      { jwk },
      { x5u: `${test.url}/x5u` },
      { jku: `${test.url}/jku` },
      { kid: "' or 1=1 --" },
      { kid: '__proto__' },
    ]
    for (const header of headers)
      await expect(connect(await signed({}, header, own.privateKey))).rejects.toMatchObject({
        code: 'unauthorized',
      })
  })

  it('SRV-3 the public key is no shared secret', async () => {
    const rows = await test.service.database.db.selectFrom('signing_keys').select('private_jwk').execute()
    const { x } = JSON.parse(rows[0]?.private_jwk ?? '{}') as { x: string }
    for (const secret of [x, JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x })])
      await expect(connect(await signed({}, { alg: 'HS256' }, Buffer.from(secret)))).rejects.toMatchObject({
        code: 'unauthorized',
      })
    await expect(
      connect(await signed({}, { alg: 'HS256' }, Buffer.from(x, 'base64url'))),
    ).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-3 tokens of uploads and downloads open no connection, and a token in the address none either', async () => {
    const { visitor } = await joinBoth(test)
    const { token, id } = (await announce(visitor, { size: 1 })) as { token: string; id: string }
    await expect(connect(token)).rejects.toMatchObject({ code: 'unauthorized' })
    const good = (await signInVisitor(test.url)).token
    const socket = io(test.url, {
      path: '/v1/link',
      query: { token: good },
      auth: { protocol: '1.0' },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    })
    const error = await new Promise<Error & { data?: unknown }>((settle) =>
      socket.once('connect_error', settle),
    )
    socket.close()
    expect(error.data).toMatchObject({ code: 'unauthorized' })
    expect(
      (
        await fetch(`${test.url}/v1/uploads/${id}?token=${token}`, {
          method: 'HEAD',
          headers: { 'tus-resumable': '1.0.0' },
        })
      ).status,
    ).toBe(401)
    expect(lines.join()).not.toContain(good)
  })

  it('SRV-3 nothing of Socket.IO that brings a connection back passes by the token', async () => {
    const { visitor } = await joinBoth(test)
    const pid = visitor.client.socket.id
    for (const token of [undefined, 'bad', await signed({ exp: 1 })]) {
      const auth = { token, protocol: '1.0', pid, offset: 'x' }
      const socket = io(test.url, {
        path: '/v1/link',
        auth,
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
      })
      const error = await new Promise<Error & { data?: unknown }>((settle) =>
        socket.once('connect_error', settle),
      )
      socket.close()
      expect(error.data).toMatchObject({ code: 'unauthorized' })
    }
  })

  it('SRV-3 neither an older Engine.IO nor another namespace opens anything', async () => {
    const { token } = await signInVisitor(test.url)
    expect((await fetch(`${test.url}/v1/link/?EIO=3&transport=polling`)).status).toBe(400)
    const socket = io(`${test.url}/admin`, {
      path: '/v1/link',
      auth: { token, protocol: '1.0' },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    })
    const error = await new Promise<Error>((settle) => socket.once('connect_error', settle))
    socket.close()
    expect(error.message).toBe('Invalid namespace')
  })
})

describe('contacts of others', () => {
  it('SRV-4 whatever is tried with one of another visitor, the answer is that to one that is not there', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    const { session } = visitor
    const other = await queueVisitor(test)
    const seen = (): number => visitor.client.entries(id).length + agent.client.entries(id).length
    const before = seen()
    const calls = (contact: string): readonly (readonly [string, object])[] => [
      ['contact.open', { contact, session: session.id, cursor: 0 }],
      ['contact.leave', { contact, session: session.id }],
      [
        'log.append',
        {
          contact,
          session: session.id,
          drafts: [{ id: 'm', session: session.id, counter: 2, type: 'text', body: { text: 'x' } }],
        },
      ],
      ['log.read', { contact, after: 0, limit: 10 }],
      [
        'relay.send',
        {
          contact,
          session: session.id,
          to: agent.session.id,
          frame: { n: 1, ack: 0, kind: 'rpc', body: {} },
        },
      ],
      [
        'attachment.open',
        { contact, session: session.id, request: 'r', name: 'a.txt', mimetype: 'text/plain', size: 1 },
      ],
      ['attachment.url', { contact, id: 'f-x' }],
    ]
    const strange = 'c-AAAAAAAAAAAAAAAAAAAAAA'
    for (const [index, [name, args]] of calls(id).entries()) {
      const reply = JSON.stringify(await other.client.ask(name, args)).replaceAll(id, strange)
      expect(reply).toMatch(/"(not_found|not_joined)"/)
      expect(reply).toBe(JSON.stringify(await other.client.ask(name, calls(strange)[index]?.[1])))
    }
    expect(await visitor.client.call('contact.read', { contact: id })).toMatchObject({
      record: { state: 'joined', transcript: { messages: 0 } },
    })
    expect(seen()).toBe(before)
  })

  it('SRV-5 what belongs to agents is forbidden to the visitor of the very contact, and changes nothing', async () => {
    const { id, visitor } = await joinBoth(test)
    const calls: readonly (readonly [string, object])[] = [
      ['agent.transfer', { contact: id, toTags: ['x'] }],
      ['agent.edit', { contact: id, form: 'f', field: 'x', value: 'y' }],
      ['agent.decline', { contact: id }],
      ['agent.accept', { contact: id, force: true }],
    ]
    for (const [name, args] of calls)
      expect(await visitor.client.ask(name, args)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    expect((await visitor.client.call('contact.read', { contact: id })).record.state).toBe('joined')
  })

  it('SRV-4 a contact that is over cannot be entered again by a new session', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    await agent.session.leave()
    await visitor.client.entry(id, 'cleared')
    for (const { client } of [visitor, agent])
      expect(await client.ask('contact.open', { contact: id, session: 's-new', cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'left' },
      })
    expect(
      await visitor.client.ask('attachment.open', {
        contact: id,
        session: visitor.session.id,
        request: 'r',
        name: 'a',
        mimetype: 'a/b',
        size: 1,
      }),
    ).toMatchObject({
      ok: false,
      error: { code: 'left' },
    })
  })

  it('SEC-10 the SDK makes session ids of 128 bits, each of them by chance', () => {
    const ids = Array.from({ length: 200 }, () => BigInt(`0x${randomName()}`))
    const [all, none] = [ids.reduce((bits, id) => bits | id), ids.reduce((bits, id) => bits & id)]
    expect([all, none, new Set(ids).size]).toEqual([2n ** 128n - 1n, 0n, 200])
  })

  it('SEC-10 the id of a session opens nothing: neither for another visitor, nor for another agent', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    const [stranger, colleague] = [await test.visitor(), await test.agent()]
    for (const session of [visitor.session.id, agent.session.id]) {
      expect(await stranger.ask('contact.open', { contact: id, session, cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'not_found' },
      })
      expect(await colleague.ask('contact.open', { contact: id, session, cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'not_assigned' },
      })
      for (const client of [stranger, colleague])
        expect(
          await client.ask('relay.send', {
            contact: id,
            session,
            to: agent.session.id,
            frame: { n: 1, ack: 0, kind: 'rpc' },
          }),
        ).toMatchObject({ error: { code: 'not_joined' } })
    }
    expect(
      await visitor.client.ask('contact.open', { contact: id, session: agent.session.id, cursor: 0 }),
    ).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})

describe('the HTTP routes', () => {
  /** What a token of each kind gets from each route; a new route needs its line here. */
  const OPEN = 'open'
  const EXPECTED: Readonly<Record<string, typeof OPEN | number>> = {
    'post /v1/visitors': OPEN,
    'post /v1/visitors/refresh': 400,
    'post /v1/visitors/sign-out': 400,
    'post /v1/dev/agents': 400,
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
      for (const token of tokens) {
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
        const status = EXPECTED[route]
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
