import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { Tokens } from '../../../service/src/auth/tokens.ts'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const origin = 'https://shop.example'
let test: TestService
let provider: Server
let keys: { privateKey: CryptoKey; publicKey: CryptoKey }
let jwks = ''

beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
  provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })))
  await new Promise<void>((settle) => provider.listen(0, '127.0.0.1', settle))
  jwks = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`
  test = await startTestService(
    {
      mode: 'production',
      origins: [origin],
      provider: { jwks, issuer: 'https://id.example', audience: 'duolog' },
    },
    { rates: {} },
  )
})
afterAll(async () => {
  await test.close()
  provider.close()
})

const agentToken = (
  claims: Record<string, unknown> = {},
  key: CryptoKey = keys.privateKey,
): Promise<string> => {
  const now = Math.floor(test.clock.now() / 1_000)
  return new SignJWT({
    sub: 'ada',
    name: 'Ada',
    iss: 'https://id.example',
    aud: 'duolog',
    exp: now + 600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(key)
}
const connect = (token: string, headers: Record<string, string> = {}) =>
  WireClient.connect(test.url, token, { headers })

describe('production', () => {
  it('SRV-17 OPS-5 has no sign-in by nick', async () => {
    const response = await fetch(`${test.url}/v1/dev/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{"nick":"Eve"}',
    })
    expect(response.status).toBe(404)
  })

  it("SRV-17 takes the organisation's tokens for agents", async () => {
    const agent = await connect(await agentToken())
    await agent.call('agent.presence', { state: 'ready' })
    agent.close()
  })

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'other' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is text', { exp: '9999999999' }],
    ['an endless expiry', { exp: 1e308 }],
    ['a time before which it is not valid', { nbf: 9_999_999_999 }],
    ['a time of issue that is to come', { iat: 9_999_999_999 }],
    ['a tag with a NUL', { tags: ['a\u0000'] }],
  ])('SRV-3 SRV-17 refuses an agent with %s', async (_name, claims) => {
    await expect(connect(await agentToken(claims).catch(() => 'x'))).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })

  it('SRV-17 an agent has a name that the protocol allows, whatever the provider calls it', async () => {
    const [visitor, agent] = [
      await signInVisitor(test.url, { origin }),
      await connect(await agentToken({ nick: `A\r\n\u0000\u202e${'😀'.repeat(40)}` })),
    ]
    const client = await connect(visitor.token, { origin })
    const { contact } = await client.call('contact.create', { request: randomUUID(), contact: {} })
    const session = new WireSession(client, contact)
    await session.open()
    await session.present()
    await agent.call('agent.presence', { state: 'ready' })
    await agent.push('agent.distribution', ({ id }) => id === contact)
    await agent.call('agent.accept', { contact })
    expect((await client.entry(contact, 'assigned')).body).toEqual({
      user: 'ada',
      nick: `A${'😀'.repeat(29)}`,
    })
    agent.close()
    client.close()
  })

  it('SRV-3 A18 takes a token in one spelling only', async () => {
    const token = await agentToken()
    for (const other of [
      `${token}==`,
      `${token}.`,
      token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1),
    ])
      await expect(connect(other)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-17 refuses another key under the same kid, and the development tokens of the service itself', async () => {
    const other = await generateKeyPair('ES256')
    await expect(connect(await agentToken({}, other.privateKey))).rejects.toMatchObject({
      code: 'unauthorized',
    })
    const own = new Tokens(await loadSigningKeys(test.service.database.db, test.clock.now()), test.clock)
    await expect(
      connect(await own.issueAgent({ id: 'eve', nick: 'Eve', tags: [], avatar: null })),
    ).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-9 a visitor needs an origin, and a loopback page is a stranger here', async () => {
    for (const headers of [{}, { origin: 'http://localhost:3000' }])
      await expect(signInVisitor(test.url, headers)).rejects.toThrow('403')
    const { token } = await signInVisitor(test.url, { origin })
    const visitor = await connect(token, { origin })
    expect(await visitor.call('contact.create', { request: randomUUID(), contact: {} })).toEqual({
      contact: expect.any(String),
    })
    visitor.close()
    await expect(connect(token)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-3 a connection ends 30 s after its token', async () => {
    const agent = await connect(await agentToken())
    const ended = new Promise((settle) => agent.socket.once('disconnect', settle))
    test.clock.advance(629_000)
    expect(agent.socket.connected).toBe(true)
    test.clock.advance(1_000)
    expect(await ended).toBe('io server disconnect')
  })

  it.each([
    [[], '--agent-jwks'],
    [
      [
        '--agent-jwks',
        'http://id.example/jwks',
        '--agent-issuer',
        'i',
        '--agent-audience',
        'a',
        '--origin',
        origin,
      ],
      'https',
    ],
    [['--agent-jwks', 'https://id.example/jwks', '--agent-issuer', 'i', '--agent-audience', 'a'], '--origin'],
    [
      [
        '--agent-jwks',
        'https://id.example/jwks',
        '--agent-issuer',
        'i',
        '--agent-audience',
        'a',
        '--origin',
        'http://shop.example',
      ],
      'not https',
    ],
    [
      [
        '--agent-jwks',
        'https://id.example/jwks',
        '--agent-issuer',
        'i',
        '--agent-audience',
        'a',
        '--origin',
        origin,
        '--turn',
        'turn:t.example',
        '--turn-secret',
        'secret',
      ],
      '--turn-secret',
    ],
  ])('OPS-5 does not start with %j', (args, named) => {
    expect(() => readOptions(['--mode', 'production', ...args], {})).toThrow(named)
  })
})
