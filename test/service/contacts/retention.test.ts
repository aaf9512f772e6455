import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Options } from '../../../service/src/options.ts'
import { startService } from '../../../service/src/start-service.ts'
import type { RunningService } from '../../../service/src/start-service.ts'
import { Cleaner } from '../../../service/src/store/retention.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { queueVisitor, timerSet } from '../../support/parties.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { startTestService, testOptions } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { recordStatements } from '../../support/statements.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Contacts that have ended so long ago, each with entries and one file. */
const OLD = `
  with old as (
    insert into contacts (id, visitor, request, created, life, machine, details, state, ended)
    select $1 || n, $1 || 'v' || n % 500, n::text, $2, 'cleared', '{}', '{}', '{}', $2 from generate_series(1, $3) n returning id
  ), said as (
    insert into entries (contact, seq, id, type, slot, body, time) select id, n, n::text, 'text', 'visitor', '{}', $2 from old, generate_series(1, $4) n
  ), sent as (
    insert into attachments (id, contact, request, slot, principal, name, mimetype, size, created, touched, seq)
    select 'f-' || id, id, '', 'visitor', '', '', '', 1, $2, $2, 1 from old
  ) insert into sessions (contact, session, slot, principal, connected, ended) select id, 's', 'visitor', '', false, true from old`

describe('retention', () => {
  let test: TestService
  const faults: unknown[] = []

  beforeAll(async () => {
    test = await startTestService({}, { report: { info: () => {}, fault: (thrown) => faults.push(thrown) } })
  })
  afterAll(() => test.close())

  const count = async (table: string, like: string): Promise<number> =>
    (
      await test.service.database.pool.query<{ count: number }>(
        `select count(*)::int as count from ${table} where ${table === 'contacts' || table === 'visitors' ? 'id' : 'contact'} like $1`,
        [`${like}%`],
      )
    ).rows[0]?.count ?? 0
  const counts = (like: string) =>
    Promise.all(['contacts', 'entries', 'attachments', 'sessions'].map((table) => count(table, like)))

  it(
    'SND-103 a pile of old contacts goes in small pieces, while timers keep to their time',
    { timeout: 120_000 },
    async () => {
      const { pool } = test.service.database
      await pool.query(OLD, ['gone-', test.clock.now() - 91 * DAY_MS, 1_200, 4])
      await pool.query(OLD, ['kept-', test.clock.now() - 40 * DAY_MS, 300, 4])
      await pool.query(OLD, ['long-', test.clock.now() - 91 * DAY_MS, 1, 2_500])
      await pool.query(
        "insert into visitors (id, origin, created) select 'gone-v' || n, '', $1 from generate_series(0, 499) n",
        [test.clock.now() - 91 * DAY_MS],
      )
      await pool.query(
        "insert into visitors (id, origin, created) select 'kept-v' || n, '', $1 from generate_series(0, 499) n",
        [test.clock.now() - 91 * DAY_MS],
      )
      await pool.query(
        "insert into refresh_tokens (hash, family, visitor, origin, expires) select 'old' || n, '', '', '', 1 from generate_series(1, 2500) n",
      )
      const { client, id } = await queueVisitor(test)
      client.close()
      await timerSet(test, id, 'absence')
      const recorded = recordStatements()
      test.clock.advance(HOUR_MS)
      while ((await pool.query('select 1 from contacts where id = $1 and waiting', [id])).rowCount === 1)
        await delay(5)
      expect(await count('contacts', 'gone-'), 'timers do not wait for the end of it').toBeGreaterThan(0)
      while ((await count('visitors', 'gone-')) > 0 || (await count('visitors', 'kept-')) > 300)
        await delay(20)
      recorded.stop()
      expect(await counts('gone-')).toEqual([0, 0, 0, 0])
      expect(await counts('long-')).toEqual([0, 0, 0, 0])
      expect(await counts('kept-'), 'the contact itself is kept longer').toEqual([300, 0, 0, 300])
      expect(await count('visitors', 'kept-')).toBe(300)
      expect((await pool.query("select 1 from refresh_tokens where hash like 'old%'")).rowCount).toBe(0)
      expect(Math.max(...recorded.all.map(({ rows }) => rows))).toBeLessThanOrEqual(1_000)
      expect(Math.max(...recorded.all.map(({ values }) => values.flat().length))).toBeLessThanOrEqual(1_001)
      expect(faults).toEqual([])
    },
  )

  it('SND-103 contacts whose messages are gone are not looked at again', async () => {
    const { pool } = test.service.database
    const recorded = recordStatements()
    while (!recorded.all.some(({ text }) => text.includes('from visitors where created'))) {
      test.clock.advance(HOUR_MS)
      await delay(50)
    }
    recorded.stop()
    expect(recorded.all.filter(({ text }) => text.includes('delete from entries'))).toEqual([])
    expect(
      (
        await pool.query(
          "select 1 from contacts where id like 'kept-%' and messages_removed and files_removed",
        )
      ).rowCount,
    ).toBe(300)
  })

  it('SND-103 files go with their rows, and those of which nothing tells', async () => {
    const { pool } = test.service.database
    const { folder } = test.options.files
    mkdirSync(folder, { recursive: true })
    await pool.query(OLD, ['file-', test.clock.now() - 91 * DAY_MS, 3, 1])
    const names = ['f-file-1', 'f-file-2', 'f-file-3', 'f-nobody']
    for (const name of names) writeFileSync(join(folder, name), 'x')
    test.clock.advance(HOUR_MS)
    while (names.some((name) => existsSync(join(folder, name)))) await delay(5)
    while ((await count('contacts', 'file-')) > 0) await delay(5)
    expect(await counts('file-')).toEqual([0, 0, 0, 0])
  })

  it('SND-103 a round that is requested while another one runs begins when that one ends', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const sweep = vi.fn(() => held)
    const cleaner = new Cleaner({
      db: test.service.database.db,
      clock: test.clock,
      keep: { messagesMs: DAY_MS, filesMs: DAY_MS, contactsMs: DAY_MS },
      files: { unlink: async () => {}, sweep },
      debug: () => {},
      onFault: (thrown) => faults.push(thrown),
      onUnfinished: () => {},
    })
    cleaner.request()
    while (sweep.mock.calls.length < 1) await delay(5)
    cleaner.request()
    cleaner.request()
    release()
    while (sweep.mock.calls.length < 2) await delay(5)
    await cleaner.stop()
    expect(sweep).toHaveBeenCalledTimes(2)
    expect(faults).toEqual([])
  })
})

describe('a service that is started often', () => {
  it('SND-103 still removes what is old', { timeout: 120_000 }, async () => {
    const data = preparedData()
    const clock = new ManualClock()
    const options: Options = testOptions(data.folder)
    let service: RunningService = await startService(options, { clock })
    const again = async (): Promise<void> => {
      await service.stop()
      service = await startService(options, { clock })
    }
    while (
      (
        await service.database.pool.query("select 1 from timers where kind = 'retention' and due > $1", [
          clock.now(),
        ])
      ).rowCount === 0
    )
      await delay(5)
    await service.database.pool.query(OLD, ['old-', clock.now() - 91 * DAY_MS, 1, 1])
    for (let started = 0; started < 2; started++) {
      clock.advance(0.6 * HOUR_MS)
      await again()
    }
    while ((await service.database.pool.query("select 1 from contacts where id like 'old-%'")).rowCount === 1)
      await delay(5)
    await service.stop()
    data.remove()
  })
})
