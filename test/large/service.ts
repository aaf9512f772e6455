/** The service over a store in which years have piled up, as a process of its own that measures itself. */
import { setTimeout as delay } from 'node:timers/promises'
import { startService } from '../../service/src/start-service.ts'
import { pileUp } from '../support/large-store.ts'
import { testOptions } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { WATCH_MS, watchLoop } from './loop.ts'
import type { Figures, Question } from './figures.ts'

const DAY_MS = 86_400_000
const [folder = ''] = process.argv.slice(2)
const options = testOptions(folder)

const say = (what: unknown): void => void process.send?.(what)

/** What stands in the store before the service is looked at. */
async function load(): Promise<void> {
  const service = await startService(options)
  const now = Date.now()
  const pile = {
    contacts: 100_000,
    entriesEach: 10,
    ended: now - 100 * DAY_MS,
    revocations: 20_000,
    visitors: 100_000,
    agents: 5_000,
    timers: 20_000,
  }
  await pileUp(service.database.pool, pile)
  await service.database.pool.query("update revocations set expires = $1 where subject like 'old-%'", [
    now + DAY_MS,
  ])
  await service.database.pool.query("update timers set due = 0 where kind = 'retention'")
  await service.stop()
}

/** Marks what the test itself asks. */
const OWN = '/* test */'

async function main(): Promise<void> {
  await load()
  const slowest = new Map<string, number>()
  let count = 0
  const stopWatching = watchStatements({
    ends: ({ text, ms }) => {
      if (text.includes(OWN)) return
      count++
      slowest.set(text, Math.max(slowest.get(text) ?? 0, ms))
    },
  })
  const service = await startService(options)
  await delay(WATCH_MS)
  const loop = watchLoop()
  const { pool } = service.database
  const answers: Record<Question, () => Promise<unknown>> = {
    figures: async (): Promise<Figures> => {
      const ordered = [...slowest].toSorted((a, b) => b[1] - a[1]).slice(0, 5)
      return {
        ...loop.read(),
        statements: count,
        slowest: ordered.map(([text, ms]) => ({
          ms: Math.round(ms),
          text: text.trim().replaceAll(/\s+/g, ' ').slice(0, 160),
        })),
      }
    },
    stop: async () => {
      loop.stop()
      stopWatching()
      await service.stop()
      return null
    },
  }
  process.on(
    'message',
    ({ id, question, sql, values }: { id: number; question: Question; sql?: string; values?: unknown[] }) => {
      const answer =
        sql === undefined ? answers[question]() : pool.query(`${sql} ${OWN}`, values).then(({ rows }) => rows)
      answer.then(
        (value) => say({ id, value }),
        (thrown: unknown) => say({ id, error: String(thrown) }),
      )
    },
  )
  say({ url: service.url })
}

await main()
