/** Visitors whom the site names, on the real service. */
import '../../support/loaded-code.ts'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { identityCheck } from '../../../service/src/auth/identities.ts'
import { readOptions } from '../../../service/src/options.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { joinAgent } from '../../support/parties.ts'
import { identify, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const SECRET = 'a secret of the shop and the service'
let test: TestService
const clients: VisitorClient[] = []

beforeAll(async () => {
  test = await startTestService({
    identities: { keys: { secret: SECRET }, issuer: 'https://shop.example', audience: null },
  })
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await test.close()
})

function identity(sub: string, claims: Record<string, unknown> = {}, secret = SECRET): Promise<string> {
  const now = Math.floor(test.clock.now() / 1_000)
  return new SignJWT({
    iss: 'https://shop.example',
    sub,
    name: 'Mia Rossi',
    iat: now,
    exp: now + 600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))
}
/** A browser of its own. */
function browser(given: () => Promise<string>): VisitorClient {
  const client = new VisitorClient(
    { service: test.url, identity: given },
    {
      ...testEnvironment(new TestClock()),
      ...{ clock: pageClock, random: Math.random, store: memoryStore(), tab: memoryStore() },
    },
  )
  clients.push(client)
  return client
}

it('PRD-61 a customer finds the open contact in another browser, under the name that the site vouches for', async () => {
  const first = browser(() => identity('c-17'))
  const contact = await first.createContact({ nick: 'The boss' })
  await contact.sendText('Where is my order?')
  const second = browser(() => identity('c-17'))
  const { contact: found, resumed } = await second.resumeContact()
  expect([found?.id, resumed]).toEqual([contact.id, true])
  expect(found?.data().visitor).toMatchObject({ id: 'i-c-17', identified: true, nick: 'Mia Rossi' })
  const { messages } = await second.readTranscript(contact.id)
  expect(messages.map((message) => message.type === 'text' && message.text)).toEqual(['Where is my order?'])
  const other = browser(() => identity('c-18'))
  expect((await other.resumeContact()).contact).toBeNull()
  expect((await other.history()).contacts).toEqual([])
  await expect(other.readTranscript(contact.id)).rejects.toMatchObject({ code: 'not_found' })
})

it('PRD-62 a customer sees their earlier contacts and what was said in them', async () => {
  const ids: string[] = []
  for (const text of ['first', 'second']) {
    const client = browser(() => identity('c-20'))
    const contact = await client.createContact()
    const agent = await joinAgent(test, contact.id, 'Ada')
    await contact.sendText(text)
    await contact.leave()
    await agent.session.leave()
    await client.close()
    agent.client.close()
    ids.unshift(contact.id)
    test.clock.advance(1_000)
  }
  const client = browser(() => identity('c-20'))
  const { contacts, before } = await client.history()
  expect([contacts.map(({ id }) => id), before]).toEqual([ids, null])
  expect(contacts[0]).toMatchObject({
    state: 'cleared',
    agent: 'Ada',
    messages: 1,
    ended: expect.any(String),
  })
  for (const [index, text] of ['second', 'first'].entries()) {
    const { messages } = await client.readTranscript(ids[index] ?? '')
    expect(messages).toMatchObject([{ type: 'text', text }])
  }
  await expect(client.history('x')).rejects.toMatchObject({ code: 'invalid_argument' })
})

it('PRD-61 nobody can pretend to be a customer', async () => {
  const check = identityCheck(
    { keys: { secret: SECRET }, issuer: 'https://shop.example', audience: 'chat' },
    test.clock,
  )
  const now = Math.floor(test.clock.now() / 1_000)
  for (const [why, token] of [
    ['another secret', identity('x', { aud: 'chat' }, `${SECRET}.`)],
    ['another issuer', identity('x', { aud: 'chat', iss: 'https://other.example' })],
    ['another audience', identity('x')],
    ['expired', identity('x', { aud: 'chat', exp: now - 60 })],
    ['of a time to come', identity('x', { aud: 'chat', iat: now + 600, exp: now + 900 })],
    ['of no time', identity('x', { aud: 'chat', iat: undefined })],
    ['nobody', identity('', { aud: 'chat' })],
    ['no token', Promise.resolve('x.y.z')],
  ] as const)
    await expect(check(await token), why).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await check(await identity('v-1', { aud: 'chat' }))).toMatchObject({
    id: 'i-v-1',
    nick: 'Mia Rossi',
  })
  expect((await check(await identity('mia@example.org', { aud: 'chat' }))).id).toMatch(/^i-h-[\w-]{43}$/)
  const stranger = browser(() => identity('c-17', {}, `${SECRET}.`))
  await expect(stranger.createContact()).rejects.toMatchObject({ code: 'unauthorized' })
})

it('PRD-61 what was said before a revocation counts no more', async () => {
  const token = await identity('c-30')
  expect(await identify(test.url, token)).toBe(200)
  const leaver = browser(() => Promise.resolve(token))
  await leaver.createContact()
  const { Revocations } = await import('../../../service/src/auth/revocations.ts')
  const store = new Revocations({ db: test.service.database.db, clock: test.clock })
  await store.revoke({ use: 'visitor', id: 'i-c-30' })
  test.clock.advance(5_000)
  // What another process has revoked is read at the next poll of this one, at most 5 s later.
  await expect.poll(() => identify(test.url, token), { timeout: 10_000 }).toBe(401)
  expect(await identify(test.url, await identity('c-30'))).toBe(200)
})

it('PRD-61 the options name the site’s back end', () => {
  const read = (...args: string[]) => readOptions(args, {})?.identities
  expect(read()).toBeNull()
  expect(read('--visitor-secret', SECRET, '--visitor-issuer', 'i')).toEqual({
    keys: { secret: SECRET },
    issuer: 'i',
    audience: null,
  })
  for (const args of [
    ['--visitor-secret', 'short'],
    ['--visitor-jwks', 'http://example.org/jwks'],
    ['--visitor-jwks', 'https://x/y', '--visitor-secret', SECRET],
    ['--visitor-issuer', 'i'],
    ['--visitor-audience', 'a'],
  ])
    expect(() => read(...args)).toThrow(/--visitor/)
})
