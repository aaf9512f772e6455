import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { providerCheck } from '../../../service/src/auth/provider.ts'
import { Revocations } from '../../../service/src/auth/revocations.ts'
import { hasClaim, readClaim } from '../../../service/src/auth/required-claim.ts'
import { readOptions } from '../../../service/src/options.ts'
import { StartError } from '../../../service/src/start-error.ts'
import { PRODUCTION_RATES } from '../../../service/src/limits/rate-limits.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { startTestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const [MINUTE, issuer, audience] = [60_000, 'https://id.example', 'duolog']
let provider: Server
let jwks = ''
let clock: ManualClock
let keys: { readonly privateKey: CryptoKey; readonly jwk: JWK }[] = []
/** What the provider does. */
let [status, given, asked]: [number, JWK[], number] = [200, [], 0]

beforeAll(async () => {
  keys = await Promise.all(
    ['k1', 'k2'].map(async (kid) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
      return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } }
    }),
  )
  provider = createServer((_request, response) => {
    asked += 1
    response.writeHead(status).end(status === 200 ? JSON.stringify({ keys: given }) : 'out of order')
  })
  await new Promise<void>((settle) => provider.listen(0, '127.0.0.1', settle))
  jwks = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`
})
afterAll(() => provider.close())
beforeEach(() => {
  clock = new ManualClock()
  ;[status, given, asked] = [200, keys.slice(0, 1).map(({ jwk }) => jwk), 0]
})

const tokenOf = (which: number, claims: Record<string, unknown> = {}): Promise<string> => {
  const { privateKey, jwk } = keys[which] ?? expect.fail('no such key')
  const exp = Math.floor(clock.now() / 1_000) + 86_400
  return new SignJWT({ sub: 'ada', iss: issuer, aud: audience, exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: jwk.kid ?? '' })
    .sign(privateKey)
}
const outcome = async (check: (token: string) => Promise<unknown>, token: Promise<string>): Promise<string> =>
  check(await token).then(
    () => 'ok',
    ({ code }: { code: string }) => code,
  )

describe("the provider's keys", () => {
  it.each([500, 503, 404, 302])(
    'SND-121 an answer %i is offline, and the provider is asked again after 10 s',
    async (answer) => {
      status = answer
      const check = providerCheck({ jwks, issuer, audience }, clock)
      expect([await outcome(check, tokenOf(0)), await outcome(check, tokenOf(0)), asked]).toEqual([
        'offline',
        'offline',
        1,
      ])
      status = 200
      clock.advance(10_000)
      expect([await outcome(check, tokenOf(0)), asked]).toEqual(['ok', 2])
    },
  )

  it('SND-121 keys are kept while the provider is down, however long; a key that they do not have is offline', async () => {
    const check = providerCheck({ jwks, issuer, audience }, clock)
    expect(await outcome(check, tokenOf(0))).toBe('ok')
    status = 502
    for (const waitMs of [10 * MINUTE, 60 * MINUTE]) {
      clock.advance(waitMs)
      expect([await outcome(check, tokenOf(0)), await outcome(check, tokenOf(1))]).toEqual(['ok', 'offline'])
    }
    expect(asked).toBe(3)
    ;[status, given] = [200, keys.slice(1).map(({ jwk }) => jwk)]
    clock.advance(10_000)
    expect([await outcome(check, tokenOf(1)), await outcome(check, tokenOf(0))]).toEqual([
      'ok',
      'unauthorized',
    ])
  })

  it('SND-121 an unknown key is looked for at most every 10 s, and is refused', async () => {
    const check = providerCheck({ jwks, issuer, audience }, clock)
    expect(await outcome(check, tokenOf(0))).toBe('ok')
    clock.advance(10_000)
    for (let count = 0; count < 5; count += 1) expect(await outcome(check, tokenOf(1))).toBe('unauthorized')
    expect(asked).toBe(2)
  })

  it('SND-121 at a service it is retryable and no failed sign-in: who comes again when the provider is back comes in', async () => {
    status = 500
    const claim = null
    const test = await startTestService(
      { mode: 'production', origins: ['https://shop.example'], provider: { jwks, issuer, audience, claim } },
      { rates: PRODUCTION_RATES, clock },
    )
    const token = await tokenOf(0)
    for (let count = 0; count < 12; count += 1)
      await expect(WireClient.connect(test.url, token)).rejects.toMatchObject({ code: 'offline' })
    status = 200
    clock.advance(10_000)
    ;(await WireClient.connect(test.url, token)).close()
    await test.close()
  })
})

describe('how long a token lives', () => {
  const [now, day] = [() => Math.floor(clock.now() / 1_000), 86_400]

  it.each<[string, boolean, () => Record<string, unknown>]>([
    ['30 days to go', true, () => ({ exp: now() + 30 * day })],
    ['30 days and a second to go', false, () => ({ exp: now() + 30 * day + 1 })],
    ['years to go', false, () => ({ exp: now() + 3_650 * day, iat: now() })],
    ['30 days in all', true, () => ({ exp: now() + day, iat: now() - 29 * day })],
    ['31 days in all, of which one is left', false, () => ({ exp: now() + day, iat: now() - 30 * day })],
  ])('SND-127 one with %s: taken %s', async (_what, taken, claims) => {
    const check = providerCheck({ jwks, issuer, audience }, clock)
    const answer = check(await tokenOf(0, claims()))
    if (taken) await expect(answer).resolves.toMatchObject({ id: 'ada' })
    else
      await expect(answer).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('longer than 30 days') as string,
      })
  })

  it('SND-127 no token comes back when its revocation is forgotten', async () => {
    const test = await startTestService({}, { clock })
    const revocations = new Revocations({ db: test.service.database.db, clock })
    const check = revocations.guard(providerCheck({ jwks, issuer, audience }, clock))
    const tokens = await Promise.all(
      [30, 45].map((days) => tokenOf(0, { iat: now(), exp: now() + days * day })),
    )
    const outcomes = () => Promise.all(tokens.map((token) => outcome(check, Promise.resolve(token))))
    expect(await outcomes()).toEqual(['ok', 'unauthorized'])
    await revocations.revoke({ use: 'agent', id: 'ada' })
    for (let days = 0; days < 44; days += 1) {
      expect(await outcomes(), `after ${days} days`).toEqual(['unauthorized', 'unauthorized'])
      clock.advance(day * 1_000)
      await revocations.load()
    }
    expect(revocations.size).toBe(0)
    await test.close()
  })
})

describe('who is an agent', () => {
  const claim = { name: 'roles', value: 'agent' }

  it.each([
    ['nothing', {}, 'unauthorized'],
    ['another role', { roles: ['customer'] }, 'unauthorized'],
    ['a role that only begins so', { roles: ['agent-in-training'] }, 'unauthorized'],
    ['the role', { roles: ['customer', 'agent'] }, 'ok'],
    ['the role among words', { roles: 'customer agent' }, 'ok'],
  ])('SND-125 a token with %s', async (_what, claims, verdict) => {
    expect(await outcome(providerCheck({ jwks, issuer, audience, claim }, clock), tokenOf(0, claims))).toBe(
      verdict,
    )
  })

  it.each<[string, Record<string, unknown>, boolean]>([
    ['realm_access.roles=agent', { realm_access: { roles: ['agent'] } }, true],
    ['realm_access.roles=agent', { realm_access: ['roles'] }, false],
    ['https://shop.example/role=agent', { 'https://shop.example/role': 'agent' }, true],
    ['is_agent=true', { is_agent: true }, true],
    ['is_agent=true', { is_agent: 1 }, false],
    ['constructor.name=Object', {}, false],
  ])('SND-125 %s of %j: %s', (text, payload, has) => {
    expect(hasClaim(payload, readClaim(text) ?? expect.fail('no claim'))).toBe(has)
  })

  it('SND-125 the options ask for the role of an agent, unless another claim or none is chosen in words', () => {
    const args = [
      '--mode=production',
      '--origin=https://a.example',
      '--agent-jwks=https://b.example/k',
      '--agent-issuer=i',
      '--agent-audience=a',
    ]
    const chosen = (...more: string[]) => readOptions([...args, ...more], {})?.provider?.claim
    expect([chosen(), chosen('--agent-claim', 'groups=desk'), chosen('--agent-claim', 'any')]).toEqual([
      claim,
      { name: 'groups', value: 'desk' },
      null,
    ])
    expect(() => chosen('--agent-claim', 'roles')).toThrow(/agent-claim must be such as/)
  })
  it.each([
    ['--agent-claim', 'foo', '--agent-jwks'],
    ['--agent-claim', 'roles=agent', '--agent-jwks'],
    ['--agent-map', 'foo=x', '--agent-jwks'],
    ['--agent-map', 'nick=preferred_username', '--agent-jwks'],
    ['--agent-client', 'console', '--agent-jwks'],
    ['--agent-scope', 'openid', '--agent-client'],
    ['--agent-parameter', 'audience=x', '--agent-client'],
  ])('SND-125 %s %s without a provider ends the start with one line', (flag, text, needed) => {
    const variable = `DUOLOG_${flag.slice(2).toUpperCase().replace('-', '_')}`
    const line = `unable to read the options; ${needed} must be given with ${flag}`
    for (const read of [() => readOptions([flag, text], {}), () => readOptions([], { [variable]: text })])
      expect(read).toThrow(expect.objectContaining({ constructor: StartError, message: line }))
  })
})
