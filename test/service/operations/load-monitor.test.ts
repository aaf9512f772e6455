import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Metrics } from '../../../service/src/http/metrics.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const numbers = async (): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${test.url}/metrics`)).text()
  return new Map(
    text
      .split('\n')
      .flatMap((line) =>
        line.startsWith('#') || line === ''
          ? []
          : [[line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]],
      ),
  )
}
const numberOf = async (name: string): Promise<number> =>
  (await numbers()).get(name) ?? expect.fail(`there is no ${name}`)

describe('what an operator sees', () => {
  it('SND-307 the queue: how many, and how long the first one has waited', async () => {
    expect([await numberOf('duolog_queue_length'), await numberOf('duolog_queue_longest_seconds')]).toEqual([
      0, 0,
    ])
    await queueVisitor(test)
    test.clock.advance(7_000)
    await queueVisitor(test)
    expect([await numberOf('duolog_queue_length'), await numberOf('duolog_queue_longest_seconds')]).toEqual([
      2, 7,
    ])
  })

  it('SND-307 timers that are late, of those that this version knows', async () => {
    const { db } = test.service.database
    expect(await numberOf('duolog_timer_lag_seconds')).toBeLessThan(8)
    await db
      .insertInto('timers')
      .values({ subject: 'x', kind: 'of a later version', key: '', due: 1 } as never)
      .execute()
    expect(await numberOf('duolog_timer_lag_seconds')).toBeLessThan(8)
  })

  it('SND-307 how long an append takes, and refused calls by code', async () => {
    const { visitor, agent } = await joinBoth(test)
    const before = await numberOf('duolog_append_seconds_count')
    for (const party of [visitor, agent]) await party.session.text('hello')
    const after = await numbers()
    expect(after.get('duolog_append_seconds_count')).toBe(before + 2)
    expect(after.get('duolog_append_seconds_bucket{le="+Inf"}')).toBe(before + 2)
    expect(after.get('duolog_append_seconds_sum')).toBeGreaterThan(0)
    await agent.client.ask('contact.read', { contact: 'c-strange' })
    expect(await numberOf('duolog_calls_total{call="contact.read",outcome="not_found"}')).toBe(1)
  })

  it('SND-307 a stall of the event loop', async () => {
    await numbers()
    const end = performance.now() + 150
    while (performance.now() < end);
    await new Promise((settle) => setTimeout(settle, 30))
    expect(await numberOf('duolog_event_loop_delay_seconds')).toBeGreaterThan(0.1)
  })

  it('SND-307 a store that does not answer leaves the other numbers as they are', async () => {
    const { db, pool } = test.service.database
    const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown
    const waiting: (() => void)[] = []
    const held = vi
      .spyOn(pool, 'connect')
      .mockImplementation(
        (...args: unknown[]) =>
          new Promise((settle) => waiting.push(() => settle(connect(...args)))) as never,
      )
    const all = await numbers()
    held.mockRestore()
    // Statements of the service itself wait here, too; it could not stop without them.
    for (const run of waiting) run()
    expect([all.get('duolog_queue_length'), all.get('duolog_connections')]).toEqual([
      Number.NaN,
      expect.any(Number),
    ])
    await db.selectFrom('contacts').select('id').limit(1).execute()
  })

  it('SND-307 buckets have those of the smaller ones too', async () => {
    const metrics = new Metrics()
    metrics.histogram('x', 'An x.', [1, 2])
    for (const value of [0.5, 1, 1.5, 9]) metrics.observe('x', value)
    expect(await metrics.text()).toBe(
      '# HELP x An x.\n# TYPE x histogram\nx_bucket{le="1"} 2\nx_bucket{le="2"} 3\nx_bucket{le="+Inf"} 4\nx_sum 12\nx_count 4\n',
    )
  })
})
