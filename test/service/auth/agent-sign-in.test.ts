/** What the service tells consoles of signing in, whom tokens name, and how sign-ins end. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mapClaims, partyId } from '../../../service/src/auth/claim-mapping.ts'
import { pageHeaders } from '../../../service/src/http/page-policy.ts'
import { readOptions } from '../../../service/src/options.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const [issuer, audience, client] = ['https://id.example', 'duolog', 'console']
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
let provider: Server
let privateKey: CryptoKey
let test: TestService
let jti = 0

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  privateKey = pair.privateKey
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
  provider = createServer((_request, response) => response.end(JSON.stringify({ keys })))
  await new Promise<void>((settle) => provider.listen(0, '127.0.0.1', settle))
  test = await startTestService({
    consoleParents: ['https://desk.example'],
    provider: {
      jwks: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`,
      ...{ issuer, audience, claim: { name: 'realm_access.roles', value: 'agent' } },
      mapping: { id: 'oid', nick: 'preferred_username', tags: 'https://example.org/skills', rights: 'scope' },
      client: { id: client, scope: 'openid', parameters: { audience: 'x' } },
    },
  })
})
afterAll(async () => {
  await test.close()
  provider.close()
})

const sign = (claims: Record<string, unknown>): Promise<string> => {
  const now = Math.floor(test.clock.now() / 1_000)
  return new SignJWT({ iss: issuer, iat: now, exp: now + 600, jti: `j${(jti += 1)}`, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey)
}
const agentToken = (claims: Record<string, unknown> = {}): Promise<string> =>
  sign({
    ...{ aud: audience, sub: 'auth0|17', oid: 'ada-17', preferred_username: 'Ada' },
    ...{ 'https://example.org/skills': ['bills', 7], scope: 'openid join:force' },
    realm_access: { roles: ['agent'] },
    ...claims,
  })
const logoutToken = (claims: Record<string, unknown> = {}): Promise<string> =>
  sign({ aud: client, sub: 'auth0|17', oid: 'ada-17', events: { [EVENT]: {} }, ...claims })
const me = async (token: string): Promise<unknown> => {
  const answer = await fetch(`${test.url}/v1/agents/me`, { headers: { authorization: `Bearer ${token}` } })
  return answer.ok ? answer.json() : answer.status
}
const logOut = async (token: string): Promise<number> => {
  const body = new URLSearchParams({ logout_token: token })
  return (await fetch(`${test.url}/v1/agents/logout`, { method: 'POST', body })).status
}
async function ended(connection: WireClient): Promise<void> {
  await expect.poll(() => connection.socket.connected).toBe(false)
}

describe('who a token names', () => {
  it('PRD-53 is what the mapped claims say', async () => {
    expect(await me(await agentToken())).toEqual({
      ...{ id: 'ada-17', nick: 'Ada', tags: ['bills'] },
      rights: ['openid', 'join:force'],
    })
  })

  it('PRD-53 a name that the protocol has no place for is a digest of it, always the same', () => {
    expect(partyId('ada-17')).toBe('ada-17')
    expect(partyId('auth0|17')).toMatch(/^h-[\w-]{43}$/)
    expect(partyId('auth0|17')).toBe(partyId('auth0|17'))
    expect(mapClaims({ sub: 'a|b' }, {})).toEqual({ sub: partyId('a|b') })
  })

  it('PRD-53 a name that looks like the digest of another one gets an id of its own', () => {
    const [agent, visitor] = [partyId('auth0|17'), partyId('a@b', { prefix: 'i-', digested: '|a@b' })]
    expect(partyId(agent)).toMatch(/^h-[\w-]{43}$/)
    expect(partyId(agent)).not.toBe(agent)
    const chosen = visitor.slice('i-'.length)
    expect(partyId(chosen, { prefix: 'i-', digested: `|${chosen}` })).toMatch(/^i-h-[\w-]{43}$/)
    expect(partyId(chosen, { prefix: 'i-', digested: `|${chosen}` })).not.toBe(visitor)
  })

  it('PRD-53 without the claim of agents it is refused, as are visitors’ tokens and none', async () => {
    expect(await me(await agentToken({ realm_access: { roles: [] } }))).toBe(403)
    expect(await me('')).toBe(401)
  })

  it('PRD-50 a console learns how agents sign in, and who may embed it', async () => {
    const answer = await fetch(`${test.url}/v1/agents/sign-in`)
    expect(await answer.json()).toEqual({
      ...{ way: 'oidc', issuer, client, scope: 'openid', parameters: { audience: 'x' }, token: 'access' },
      parents: ['https://desk.example'],
    })
  })
})

describe('the end of a sign-in', () => {
  it('PRD-52 a token that its owner signs out with is void, and its connections end', async () => {
    const [token, other] = [await agentToken(), await agentToken()]
    const connections = await Promise.all([token, other].map((each) => WireClient.connect(test.url, each)))
    const answer = await fetch(`${test.url}/v1/agents/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(204)
    await ended(connections[0] ?? expect.fail())
    expect([await me(token), connections[1]?.socket.connected]).toEqual([401, true])
    connections[1]?.close()
  })

  it.each([null, ''])('PRD-52 a token whose jti is %j is not signed out, and that is said', async (none) => {
    const token = await agentToken({ jti: none })
    const answer = await fetch(`${test.url}/v1/agents/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { code: 'invalid_argument', message: expect.stringContaining('no `jti`') as string } },
    ])
    expect(await me(token)).toMatchObject({ id: 'ada-17' })
  })

  it('PRD-54 the provider signs an agent out: all tokens of theirs are void, and connections end', async () => {
    const token = await agentToken()
    const connection = await WireClient.connect(test.url, token)
    expect(await logOut(await logoutToken())).toBe(204)
    await ended(connection)
    expect(await me(token)).toBe(401)
    test.clock.advance(1_000)
    expect(await me(await agentToken())).toMatchObject({ id: 'ada-17' })
  })

  it('PRD-54 a logout token counts once, and only as what it is', async () => {
    const once = await logoutToken()
    expect([await logOut(once), await logOut(once)]).toEqual([204, 401])
    for (const claims of [
      { aud: audience },
      { iss: 'https://other.example' },
      { events: {} },
      { events: undefined },
      { nonce: 'n' },
      { oid: undefined },
      { iat: Math.floor(test.clock.now() / 1_000) - 600 },
    ])
      expect([claims, await logOut(await logoutToken(claims))]).toEqual([claims, 401])
    expect(await logOut(await agentToken({ aud: client }))).toBe(401)
    test.clock.advance(1_000)
    expect(await me(await agentToken({ events: { [EVENT]: {} } }))).toBe(401)
  })
})

describe('the options', () => {
  const read = (...args: string[]) =>
    readOptions(
      ['--agent-jwks', 'https://i/k', '--agent-issuer', 'https://i', '--agent-audience', 'a', ...args],
      {},
    )

  it('PRD-50 name the console at the provider', () => {
    const options = read(
      '--agent-client',
      'c',
      '--agent-parameter',
      'resource=https://x/',
      '--agent-map',
      'id=oid',
    )
    expect(options?.provider).toMatchObject({
      client: { id: 'c', scope: 'openid profile offline_access', parameters: { resource: 'https://x/' } },
      mapping: { id: 'oid' },
    })
    expect(read()?.provider?.client).toBeNull()
  })

  it.each([
    [['--agent-map', 'colour=x'], /--agent-map/],
    [['--agent-client', 'c', '--agent-parameter', 'x'], /--agent-parameter/],
    [['--console-parent', 'desk.example'], /--console-parent/],
  ])('PRD-50 %j is refused', (args, said) => {
    expect(() => read(...args)).toThrow(said)
  })

  it('PRD-55 only pages that are named may embed the console', () => {
    expect(pageHeaders('')).toMatchObject({ 'x-frame-options': 'DENY' })
    const given = pageHeaders('', { parents: ['https://desk.example'] })
    expect(given['content-security-policy']).toContain('frame-ancestors https://desk.example')
    expect(given).not.toHaveProperty('x-frame-options')
  })
})
