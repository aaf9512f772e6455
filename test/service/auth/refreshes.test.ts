import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PRODUCTION_RATES } from '../../../service/src/limits/rate-limits.ts'
import { networkOf } from '../../../service/src/limits/client-address.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService({}, { rates: PRODUCTION_RATES })
})
afterAll(() => test.close())
afterEach(() => vi.restoreAllMocks())

const post = (path: string, refresh: string) =>
  fetch(`${test.url}/v1/visitors/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh }),
  })
const statuses = async (path: string, refresh: string, count: number): Promise<number[]> => {
  const all: number[] = []
  for (let index = 0; index < count; index += 1) all.push((await post(path, refresh)).status)
  return all
}
/** Statements about refresh tokens but those of retention, which goes on beside, and how many in transactions. */
const watchStore = () => {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const textOf = (asked: unknown): string =>
    typeof asked === 'string' ? asked : String((asked as { text?: unknown }).text)
  const isWatched = (text: string): boolean => text.includes('refresh_tokens') && !text.startsWith('delete')
  const texts = (): string[] => query.mock.calls.map(([asked]) => textOf(asked).replaceAll('"', ''))
  const transactions = (): number => {
    const open = new Set<unknown>()
    return texts().filter((text, index) => {
      const client = query.mock.contexts[index]
      if (text.startsWith('begin')) open.add(client)
      if (text === 'commit' || text === 'rollback') open.delete(client)
      return isWatched(text) && open.has(client)
    }).length
  }
  return { statements: (): string[] => texts().filter(isWatched), transactions }
}
const [SELECT, REVOKE] = [
  expect.stringMatching(/^select \* from refresh_tokens/),
  expect.stringMatching(/^update refresh_tokens set revoked/),
]
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('refused refreshes', () => {
  it('SND-118 cost no transaction, and nothing at all once the address has failed too often; who has a good one comes in', async () => {
    const { refresh } = await signInVisitor(test.url)
    const { statements, transactions } = watchStore()
    expect(await statuses('refresh', 'x'.repeat(43), 10)).toEqual(times(10, 401))
    expect([
      await statuses('refresh', 'y'.repeat(43), 5),
      await statuses('sign-out', 'y'.repeat(43), 1),
    ]).toEqual([times(5, 429), [429]])
    expect([statements(), transactions()]).toEqual([times(10, SELECT), 0])
    expect((await post('refresh', refresh)).status).toBe(200)
  })

  it('SND-118 neither does one that was good once and is shown again and again', async () => {
    test.clock.advance(3_600_000)
    const { refresh } = await signInVisitor(test.url)
    expect((await post('refresh', refresh)).status).toBe(200)
    test.clock.advance(120_000)
    const { statements, transactions } = watchStore()
    expect(await statuses('refresh', refresh, 12)).toEqual([...times(10, 401), 429, 429])
    expect([statements(), transactions()]).toEqual([[SELECT, REVOKE, ...times(9, SELECT)], 0])
  })

  it('SND-118 the same token at the same time gives the same successor', async () => {
    const { refresh } = await signInVisitor(test.url)
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await (await post('refresh', refresh)).json()) as { refresh: string },
      ),
    )
    expect(new Set(answers.map((answer) => answer.refresh)).size).toBe(1)
    expect((await post('refresh', answers[0]?.refresh ?? '')).status).toBe(200)
  })
})

describe('good ones', () => {
  it('SND-118 are refreshed and signed out of only so often; another visitor is not concerned', async () => {
    test.clock.advance(3_600_000)
    let { refresh } = await signInVisitor(test.url)
    const next = async (): Promise<number> => {
      const answer = await post('refresh', refresh)
      if (answer.ok) ({ refresh } = (await answer.json()) as { refresh: string })
      return answer.status
    }
    const all: number[] = []
    for (let index = 0; index < 32; index += 1) all.push(await next())
    expect(all).toEqual([...times(30, 200), 429, 429])
    const other = await signInVisitor(test.url)
    expect(await statuses('sign-out', other.refresh, 32)).toEqual([...times(30, 204), 429, 429])
  })
})

describe('readiness', () => {
  it('SND-118 takes one connection of the pool, however many ask', async () => {
    const { pool } = test.service.database
    let answer = (_rows: unknown): void => {}
    const query = vi
      .spyOn(pool, 'query')
      .mockImplementation((() => new Promise((settle) => (answer = settle))) as never)
    const asking = Promise.all(
      Array.from({ length: 30 }, async () => (await fetch(`${test.url}/readyz`)).status),
    )
    await expect.poll(() => query.mock.calls.length).toBeGreaterThan(0)
    await fetch(`${test.url}/healthz`)
    expect(query.mock.calls.filter(([text]) => text === 'select 1')).toHaveLength(1)
    query.mockRestore()
    answer({ rowCount: 1 })
    expect(new Set(await asking)).toEqual(new Set([200]))
    expect((await fetch(`${test.url}/readyz`)).status).toBe(200)
  })
})

describe('addresses that are counted as one', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['not an address', 'not an address'],
  ])('SND-127 %s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it('SND-127 a subscriber of IPv6 is one address, however many are used', async () => {
    const proxied = await startTestService({ proxies: 1 }, { rates: PRODUCTION_RATES })
    const from = (address: string) =>
      fetch(`${proxied.url}/v1/visitors`, { method: 'POST', headers: { 'x-forwarded-for': address } }).then(
        ({ status }) => status,
      )
    const first: number[] = []
    for (let index = 0; index < 31; index += 1) first.push(await from(`2001:db8:1:2::${index.toString(16)}`))
    expect([
      first.filter((status) => status === 200).length,
      first.at(-1),
      await from('2001:db8:1:3::1'),
    ]).toEqual([30, 429, 200])
    await proxied.close()
  })
})
