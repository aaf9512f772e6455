import { SignJWT, UnsecuredJWT, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ origins: ['https://shop.example'] })
})
afterAll(() => test.close())

const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const connect = (token: unknown) => WireClient.connect(test.url, token).then((client) => client.close())
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${test.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** A good token, cut into its parts. */
async function parts() {
  const { token } = await signInVisitor(test.url)
  const [header = '', payload = '', signature = ''] = token.split('.')
  return { token, header: decode(header), payload: decode(payload), signature }
}

/** Forged tokens by name. */
const forgeries: Record<string, () => Promise<unknown>> = {
  missing: async () => undefined,
  empty: async () => '',
  garbage: async () => 'garbage',
  'an object': async () => ({ token: 'x' }),
  '10 KB': async () => 'a.'.repeat(5_120),
  'alg none': async () => {
    const { payload } = await parts()
    return new UnsecuredJWT(payload).encode()
  },
  'HS256 signed with the public key': async () => {
    const { payload, header } = await parts()
    return new SignJWT(payload).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from('public'))
  },
  'own key under a known kid': async () => resign({}),
  'an unknown kid': async () => resign({ kid: 'unknown' }),
  'a kid that is a path': async () => resign({ kid: '../../etc/passwd' }),
  'a jku header': async () => resign({ jku: 'http://127.0.0.1:1/keys' }),
  'another typ': async () => resign({ typ: 'JWT' }),
  'a changed payload': async () => {
    const { header, payload, signature } = await parts()
    return [
      encode(header),
      encode({ ...payload, use: 'agent', nick: 'Eve', tags: [], avatar: null }),
      signature,
    ].join('.')
  },
  'trailing bytes in the signature': async () => `${(await parts()).token}AA`,
  'another spelling of the signature': async () => {
    const { token } = await parts()
    const last = token.at(-1) ?? ''
    return token.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1)
  },
}

async function resign(header: Record<string, unknown>): Promise<string> {
  const good = await parts()
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  return new SignJWT(good.payload)
    .setProtectedHeader({ ...good.header, alg: 'EdDSA', ...header })
    .sign(privateKey)
}

describe('who may connect', () => {
  it.each(Object.keys(forgeries))('SRV-3 a token that is %s is refused', async (name) => {
    await expect(connect(await forgeries[name]?.())).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-3 a good token is taken, also by polling', async () => {
    const { token } = await signInVisitor(test.url)
    await connect(token)
    const polling = await WireClient.connect(test.url, token, { transports: ['polling'] })
    expect(await polling.call('ice.servers', {})).toEqual({ iceServers: [], expiresInMs: 600_000 })
    polling.close()
  })

  it('SRV-3 a token works for 15 min and the skew of 30 s', async () => {
    const { token, expiresInMs } = await signInVisitor(test.url)
    expect(expiresInMs).toBe(900_000)
    test.clock.advance(929_000)
    await connect(token)
    test.clock.advance(2_000)
    await expect(connect(token)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it.each(['2.0', '0.9', '', 'x'])(
    'SRV-16 a party that speaks %j is told what the service speaks',
    async (protocol) => {
      const { token } = await signInVisitor(test.url)
      await expect(WireClient.connect(test.url, token, { protocol })).rejects.toMatchObject({
        code: 'protocol',
        message: expect.stringContaining('1.1'),
      })
    },
  )

  it('SRV-16 a later minor version is taken', async () => {
    const { token } = await signInVisitor(test.url)
    const client = await WireClient.connect(test.url, token, { protocol: '1.7' })
    client.close()
  })

  it.each([
    'https://evil.example',
    'null',
    'https://shop.example.evil.com',
    'https://shopXexample',
    'https://SHOP.example',
    'http://shop.example',
    'https://shop.example:444',
    'http://localhost.evil.com',
  ])('SRV-9 the origin %s is refused everywhere', async (origin) => {
    expect((await post('/v1/visitors', {}, { origin })).status).toBe(403)
    expect((await post('/v1/dev/agents', { nick: 'Eve' }, { origin })).status).toBe(403)
    const { token } = await signInVisitor(test.url)
    for (const transport of ['websocket', 'polling'] as const) {
      await expect(
        WireClient.connect(test.url, token, { transports: [transport], headers: { origin } }),
      ).rejects.toMatchObject({ code: 'refused' })
    }
  })

  it('SRV-9 a page that the service itself serves is no page of somebody else', async () => {
    const { token } = await signInAgent(test.url, 'Ada')
    const connect = (origin: string) =>
      WireClient.connect(test.url, token, { headers: { origin, host: 'contact.example.org' } })
    const console = await connect('https://contact.example.org')
    console.close()
    for (const other of ['https://contact.example.org:444', 'https://example.org'])
      await expect(connect(other)).rejects.toMatchObject({ code: 'refused' })
  })

  it('SRV-9 a token works only on the origin that it was given to', async () => {
    const { token } = await signInVisitor(test.url, { origin: 'https://shop.example' })
    const client = await WireClient.connect(test.url, token, { headers: { origin: 'https://shop.example' } })
    client.close()
    await expect(
      WireClient.connect(test.url, token, { headers: { origin: 'http://localhost:3000' } }),
    ).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-9 allowed origins get CORS headers, others none', async () => {
    const answer = async (origin: string) =>
      (await post('/v1/visitors', {}, { origin })).headers.get('access-control-allow-origin')
    expect(await answer('http://localhost:5173')).toBe('http://localhost:5173')
    expect(await answer('https://shop.example')).toBe('https://shop.example')
    expect(await answer('https://evil.example')).toBeNull()
  })
})

describe('refreshing a sign-in', () => {
  const refresh = async (token: string) => {
    const response = await post('/v1/visitors/refresh', { refresh: token })
    return {
      status: response.status,
      body: (await response.json()) as { visitor: string; refresh: string; error?: { code: string } },
    }
  }

  it('SRV-3 RES-10 keeps the visitor, and gives the same successor again for 60 s', async () => {
    const first = await signInVisitor(test.url)
    const second = await refresh(first.refresh)
    expect(second.body).toMatchObject({ visitor: first.visitor })
    test.clock.advance(59_000)
    expect((await refresh(first.refresh)).body.refresh).toBe(second.body.refresh)
    expect((await refresh(second.body.refresh)).status).toBe(200)
  })

  it('SRV-3 a token that is used again later voids the whole family', async () => {
    const first = await signInVisitor(test.url)
    const second = await refresh(first.refresh)
    test.clock.advance(60_001)
    expect(await refresh(first.refresh)).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    })
    expect((await refresh(second.body.refresh)).status).toBe(401)
  })

  it('SRV-3 belongs to its origin', async () => {
    const first = await signInVisitor(test.url, { origin: 'https://shop.example' })
    expect((await refresh(first.refresh)).status).toBe(401)
  })
})
