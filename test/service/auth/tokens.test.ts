import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { Revocations } from '../../../service/src/auth/revocations.ts'
import type { Revoked } from '../../../service/src/auth/revocations.ts'
import { Tokens } from '../../../service/src/auth/tokens.ts'
import { systemClock } from '../../../service/src/clock/clock.ts'
import { Lease } from '../../../service/src/connections/lease.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
const VISITOR_MS = 900_000
const AGENT_MS = 12 * 3_600_000
let test: TestService

beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${test.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const authorization = `Bearer ${adminToken}`
const revoke = (body: unknown, headers: Record<string, string> = { authorization }) =>
  post('/v1/admin/revocations', body, headers)
const ended = (client: WireClient): Promise<unknown> =>
  new Promise((settle) => client.socket.once('disconnect', settle))
const codeOf = (client: WireClient, token: unknown): Promise<string> =>
  client.ask('link.renew', { token }).then((reply) => (reply.ok ? 'ok' : reply.error.code))

describe('a token that expires', () => {
  it('SRV-20 is told of 30 s before, and a fresh one of the same party carries the connection on', async () => {
    const first = await signInVisitor(test.url)
    const client = await WireClient.connect(test.url, first.token)
    test.clock.advance(VISITOR_MS - 31_000)
    expect(await client.call('ice.servers', {})).toBeDefined()
    expect(client.pushes).toEqual([])
    test.clock.advance(1_000)
    expect(await client.push('link.expiring')).toEqual({ expiresInMs: 30_000 })
    const { token } = (await (await post('/v1/visitors/refresh', { refresh: first.refresh })).json()) as {
      token: string
    }
    expect(await client.call('link.renew', { token })).toEqual({ expiresInMs: VISITOR_MS })
    test.clock.advance(VISITOR_MS - 30_000)
    await client.until(() => client.pushes.length === 2, 'the next warning')
    const over = ended(client)
    test.clock.advance(60_000)
    expect(await over).toBe('io server disconnect')
  })

  it('SRV-20 what is no token of this party changes nothing', async () => {
    const [one, two] = [
      await signInVisitor(test.url),
      await signInVisitor(test.url, { origin: 'http://localhost:1' }),
    ]
    const client = await WireClient.connect(test.url, one.token)
    expect(await codeOf(client, two.token)).toBe('forbidden')
    expect(await codeOf(client, (await signInAgent(test.url, 'Ada')).token)).toBe('forbidden')
    expect(await codeOf(client, 'garbage')).toBe('unauthorized')
    expect(await codeOf(client, 'x'.repeat(4_097))).toBe('too_large')
    expect(await codeOf(client, 7)).toBe('invalid_argument')
    expect(await codeOf(client, one.token)).toBe('ok')
    client.close()
  })

  it('SRV-20 the SDK of a visitor and of an agent refreshes without a break', async () => {
    const { clock } = test
    let asked = 0
    const token = async (): Promise<string> => {
      asked += 1
      return (await signInAgent(test.url, 'Refreshing')).token
    }
    const client = createClient({ service: test.url, storage: memoryStore(), clock })
    const agent = createAgent({ service: test.url, token, clock })
    const states: string[] = []
    agent.on('connection', ({ state }) => states.push(state))
    const visitor = await client.createContact({ nick: 'Vera' })
    visitor.on('connection', ({ state }) => states.push(state))
    const offered = new Promise((settle) => agent.once('distribution', settle))
    await agent.ready()
    await offered
    const contact = await agent.accept(visitor.id)
    await contact.join()
    states.length = 0
    const before = await renewals()
    const pass = async (ms: number, count: number): Promise<void> => {
      clock.advance(ms)
      while ((await renewals()) < before + count) await new Promise((settle) => setImmediate(settle))
    }
    const [rounds, eachMs] = [49, VISITOR_MS - 30_000]
    for (let round = 1; round <= rounds; round += 1) await pass(eachMs, round)
    await pass(AGENT_MS - 30_000 - rounds * eachMs, rounds + 1)
    await visitor.sendText('after twelve hours')
    expect([states, asked]).toEqual([[], 2])
    await Promise.all([client.close(), agent.close()])
  })
})

describe('a token that the page thinks is good', () => {
  it('SND-3 is refreshed once the service refuses it, and the contact goes on', async () => {
    const client = createClient({ service: test.url, storage: memoryStore() })
    const visitor = await client.createContact()
    const back = new Promise<void>((settle) =>
      visitor.on('connection', ({ state }) => state === 'online' && settle()),
    )
    test.clock.advance(VISITOR_MS + 31_000)
    await back
    expect(await visitor.sendText('back again')).toMatch(/./)
    await client.close()
  })

  it('SND-3 SND-4 SND-13 SND-304 where the visitor is over, too: the event error, what is pending settles, nothing is kept', async () => {
    const storage = memoryStore()
    const client = createClient({ service: test.url, storage })
    const visitor = await client.createContact()
    const [known] = JSON.parse(storage.getItem(`duolog:${test.url}:visitor`) ?? '[]') as {
      readonly refresh: string
    }[]
    const told = new Promise((settle) => visitor.on('error', settle))
    await post('/v1/visitors/sign-out', { refresh: known?.refresh })
    expect(await told).toMatchObject({ name: 'ContactError', code: 'unauthorized' })
    await expect(visitor.sendText('anyone?')).rejects.toMatchObject({ code: 'unauthorized' })
    expect(storage.getItem(`duolog:${test.url}:visitor`)).toBeNull()
    await client.close()
    const next = createClient({ service: test.url, storage })
    expect((await next.createContact()).id).not.toBe(visitor.id)
    await next.close()
  })
})

/** Renewals that the service has carried out. */
async function renewals(): Promise<number> {
  const text = await (await fetch(`${test.url}/metrics`, { headers: { authorization } })).text()
  return Number(/call="link.renew",outcome="ok"\} (\d+)/.exec(text)?.[1] ?? 0)
}

describe('a connection as long as its token', () => {
  it('SRV-20 lasts also where that is months away', async () => {
    const told: string[] = []
    const clock = systemClock()
    const lease = new Lease(
      { clock, warn: () => told.push('warned'), end: () => told.push('ended') },
      clock.now() + 90 * 86_400_000,
    )
    await new Promise((settle) => setTimeout(settle, 5))
    lease.stop()
    expect(told).toEqual([])
  })
})

describe('revoking', () => {
  it('SRV-21 a visitor who signs out is out everywhere: connections, tokens, refresh tokens', async () => {
    const signedIn = await signInVisitor(test.url)
    const tabs = [
      await WireClient.connect(test.url, signedIn.token),
      await WireClient.connect(test.url, signedIn.token),
    ]
    const other = await test.visitor()
    const over = Promise.all(tabs.map(ended))
    const next = (await (await post('/v1/visitors/refresh', { refresh: signedIn.refresh })).json()) as {
      token: string
      refresh: string
    }
    expect((await post('/v1/visitors/sign-out', { refresh: next.refresh })).status).toBe(204)
    expect(await over).toEqual(['io server disconnect', 'io server disconnect'])
    for (const token of [signedIn.token, next.token])
      await expect(WireClient.connect(test.url, token)).rejects.toMatchObject({ code: 'unauthorized' })
    for (const { refresh } of [signedIn, next])
      expect((await post('/v1/visitors/refresh', { refresh })).status).toBe(401)
    expect(await other.call('ice.servers', {})).toBeDefined()
    expect((await post('/v1/visitors/sign-out', { refresh: next.refresh })).status).toBe(204)
    expect((await post('/v1/visitors/sign-out', { refresh: 'nobody' })).status).toBe(204)
    expect((await post('/v1/visitors/sign-out', {})).status).toBe(400)
  })

  it('SRV-21 nobody is signed out from another origin', async () => {
    const { refresh } = await signInVisitor(test.url, { origin: 'http://localhost:5173' })
    const headers = { origin: 'http://localhost:5174' }
    expect((await post('/v1/visitors/sign-out', { refresh }, headers)).status).toBe(204)
    expect(
      (await post('/v1/visitors/sign-out', { refresh }, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect(
      (await post('/v1/visitors/refresh', { refresh }, { origin: 'http://localhost:5173' })).status,
    ).toBe(200)
  })

  it('SRV-21 an agent whose tokens are revoked is out at once, and comes back with a token that is issued later', async () => {
    const { agent, visitor, id } = await joinBoth(test)
    const { record } = await agent.client.call('contact.read', { contact: id })
    const over = ended(agent.client)
    expect((await revoke({ use: 'agent', id: record.agent?.user }, {})).status).toBe(401)
    expect((await revoke({ use: 'everybody', id: 'x' })).status).toBe(400)
    expect((await revoke({ use: 'agent', id: record.agent?.user })).status).toBe(204)
    expect(await over).toBe('io server disconnect')
    await expect(WireClient.connect(test.url, agent.client.token)).rejects.toMatchObject({
      code: 'unauthorized',
    })
    await visitor.session.text('still there')
    test.clock.advance(1)
    const again = await WireClient.connect(
      test.url,
      (await signInAgent(test.url, record.agent?.nick ?? '')).token,
    )
    expect((await again.call('agent.contacts', {})).records.map((each) => each.id)).toEqual([id])
    again.close()
  })

  it('SRV-21 one token of many is revoked by its id, also by a renewal', async () => {
    const keys = await loadSigningKeys(test.service.database.db, test.clock.now())
    const now = test.clock.now() / 1_000
    const withId = (jti: string): Promise<string> =>
      new SignJWT({ use: 'agent', nick: 'Ada', tags: [], avatar: null })
        .setProtectedHeader({ alg: 'EdDSA', kid: keys.current.kid, typ: 'duolog+jwt' })
        .setSubject('a-many')
        .setIssuer('duolog-service')
        .setAudience('duolog')
        .setIssuedAt(now)
        .setExpirationTime(Math.floor(now) + 600)
        .setJti(jti)
        .sign(keys.current.key)
    const [lost, kept] = [await withId('lost'), await withId('kept')]
    const [thief, agent] = [
      await WireClient.connect(test.url, lost),
      await WireClient.connect(test.url, kept),
    ]
    const over = ended(thief)
    expect((await revoke({ use: 'token', id: 'lost' })).status).toBe(204)
    await over
    await expect(WireClient.connect(test.url, lost)).rejects.toMatchObject({ code: 'unauthorized' })
    expect([await codeOf(agent, lost), await codeOf(agent, kept)]).toEqual(['unauthorized', 'ok'])
    agent.close()
  })

  it('SRV-21 what another node has revoked ends connections here within 5 s', async () => {
    const client = await test.visitor()
    const over = ended(client)
    const elsewhere = await startAnotherNode()
    await elsewhere({
      use: 'visitor',
      id: JSON.parse(Buffer.from(client.token.split('.')[1] ?? '', 'base64url').toString()).sub as string,
    })
    const start = performance.now()
    await over
    expect(performance.now() - start).toBeLessThan(6_000)
  })

  it('OPS-6 an erased visitor is out, and cannot come back with the old token', async () => {
    const { client, id } = await queueVisitor(test)
    const { record } = await client.call('contact.read', { contact: id })
    const over = ended(client)
    const answer = await fetch(`${test.url}/v1/admin/visitors/${record.visitor.id}`, {
      method: 'DELETE',
      headers: { authorization },
    })
    expect([answer.status, await over]).toEqual([200, 'io server disconnect'])
    await expect(WireClient.connect(test.url, client.token)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-3 a token of a key that has been taken away is not good any more', async () => {
    const { db } = test.service.database
    const { token } = await signInVisitor(test.url)
    const keys = await loadSigningKeys(db, test.clock.now())
    await expect(new Tokens(keys, test.clock).check(token)).resolves.toMatchObject({ use: 'visitor' })
    const rotated = {
      current: keys.current,
      find: () => undefined,
      findAgain: () => Promise.resolve(undefined),
    }
    await expect(new Tokens(rotated, test.clock).check(token)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

/** A second process on the same store, as far as revoking goes. */
async function startAnotherNode(): Promise<(revoked: Revoked) => Promise<void>> {
  const node = new Revocations({ db: test.service.database.db, clock: test.clock })
  await node.load()
  return (revoked) => node.revoke(revoked)
}
