import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TIMER_BATCH, TimerService } from '../../../service/src/timers/timer-service.ts'
import type { TimerKind } from '../../../service/src/timers/timer-rows.ts'
import { ContactError } from '../../../protocol/index.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { queueVisitor, timerSet } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
const faults: unknown[] = []

beforeAll(async () => {
  test = await startTestService({}, { report: { info: () => {}, fault: (thrown) => faults.push(thrown) } })
})
afterAll(() => test.close())
afterEach(async () => {
  await test.service.database.pool.query("delete from timers where subject like 'test%' or kind like 'test%'")
  faults.length = 0
})

/** Timers that are due, of a kind. */
const due = (kind: string, count: number, subject = 'test') =>
  test.service.database.pool.query(
    'insert into timers (subject, kind, key, due) select $1 || n, $2, $3, $4 from generate_series(1, $5) n',
    [`${subject}${randomUUID()}`, kind, '', Date.UTC(2026, 0, 1) - 1_000, count],
  )

const left = async (kind: string): Promise<number> =>
  (
    await test.service.database.pool.query<{ count: number }>(
      "select count(*)::int as count from timers where kind = $1 and subject like 'test%'",
      [kind],
    )
  ).rows[0]?.count ?? 0

/** Resolves when it is so; the clock goes on by as little as the service takes to look again. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looked = 1; !(await holds()); looked++) {
    if (looked % 50 === 0) test.clock.advance(1_000)
    await new Promise((settle) => setImmediate(settle))
  }
}

/** A visitor's grace that is about to end is still noticed. */
async function graceStillWorks(): Promise<void> {
  const { client, id, session } = await queueVisitor(test)
  client.close()
  await timerSet(test, id, 'absence')
  const waiting = async (): Promise<boolean> =>
    (await test.service.database.pool.query('select 1 from contacts where id = $1 and waiting', [id]))
      .rowCount === 1
  expect(await waiting()).toBe(true)
  test.clock.advance(60_000)
  await until(async () => !(await waiting()))
  expect(session.id).toBeDefined()
}

describe('timers that cannot be carried out', () => {
  it('SND-104 those of contacts that are no more are dropped, without a fault, however many', async () => {
    for (const kind of ['offer', 'contact', 'absence']) await due(kind, TIMER_BATCH + 50)
    await until(async () => (await left('offer')) + (await left('contact')) + (await left('absence')) === 0)
    expect(faults).toEqual([])
    await graceStillWorks()
  })

  it('SND-104 those of a kind that this version does not know wait, and keep no other from being carried out', async () => {
    await due('test of a later version', TIMER_BATCH + 50)
    await graceStillWorks()
    expect(await left('test of a later version')).toBe(TIMER_BATCH + 50)
    expect(faults).toEqual([])
  })

  it('SND-104 erasing a visitor while an offer is written leaves no offer and no timer', async () => {
    const { pool } = test.service.database
    const agent = await test.agent()
    await agent.call('agent.presence', { state: 'ready', capacity: 100 })
    const { id } = await queueVisitor(test)
    await agent.push('agent.distribution', (offer) => offer.id === id)
    await pool.query('delete from contacts where id = $1', [id])
    test.clock.advance(30_000)
    await until(
      async () =>
        (
          await pool.query(
            "select 1 from timers where subject = $1 and kind = 'offer' union all select 1 from offers where contact = $1",
            [id],
          )
        ).rowCount === 0,
    )
    expect(faults).toEqual([])
    await agent.call('agent.presence', { state: 'paused' })
  })
})

describe('a timer that fails', () => {
  const query = <R extends object>(text: string, values: unknown[]) =>
    test.service.database.pool.query<R>(text, values)
  const timer = async (kind: string) =>
    (
      await query<{ due: number; failures: number }>('select due, failures from timers where kind = $1', [
        kind,
      ])
    ).rows
  const take = (subject: string) =>
    query("delete from timers where subject = $1 and kind = 'test-works'", [subject])

  /** A timer service of its own, with a clock of its own, on the same store. */
  function timers(fails: () => Promise<void>) {
    const clock = new ManualClock()
    const [thrown, done]: [unknown[], string[]] = [[], []]
    const service = new TimerService({
      db: test.service.database.db,
      node: { id: 'test', takesWork: true, isSettled: () => true },
      clock,
      debug: () => {},
      onFault: (fault) => thrown.push(fault),
    })
    service.handle('test-fails' as TimerKind, fails)
    service.handle('test-works' as TimerKind, async ({ subject }) => {
      await take(subject)
      done.push(subject)
    })
    return { service, clock, thrown, done }
  }

  it('SND-104 is tried again later and later, at last once a minute; all others are carried out', async () => {
    const { service, clock, thrown, done } = timers(() => Promise.reject(new Error('poisoned')))
    await due('test-fails', 1)
    await due('test-works', 3 * TIMER_BATCH)
    const pauses: number[] = []
    service.start()
    for (let failures = 1; failures <= 9; failures++) {
      // The service may see what it has postponed up to a second late: it looks when its clock says so.
      await until(async () => {
        if (thrown.length < failures) clock.advance(50)
        return thrown.length === failures
      })
      await until(async () => (await timer('test-fails'))[0]?.failures === failures)
      const next = (await timer('test-fails'))[0]?.due ?? 0
      pauses.push((next - clock.now()) / 1_000)
      clock.advance(next - clock.now() - 1)
      await until(async () => done.length === 3 * TIMER_BATCH)
      expect(thrown).toHaveLength(failures)
      clock.advance(1)
    }
    await service.stop()
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  it('SND-104 one that takes long holds up no other, and a stop waits for it', async () => {
    let finish = (): void => {}
    const slow = new Promise<void>((settle) => (finish = settle))
    const { service, clock, done, thrown } = timers(async () => {
      await slow
      throw new ContactError('not_found', 'it is gone meanwhile')
    })
    await due('test-fails', 1)
    service.start()
    await due('test-works', 2)
    await until(async () => {
      clock.advance(1_000)
      return done.length === 2
    })
    expect(await timer('test-fails')).toHaveLength(1)
    const stopped = service.stop()
    finish()
    await stopped
    expect([await timer('test-fails'), thrown]).toEqual([[], []])
  })
})
