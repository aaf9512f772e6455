import type { Pool } from 'pg'
import type { Entry } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Metrics } from '../http/metrics.ts'
import { isCollision, isDeadlock } from '../store/database.ts'
import { insertEntries } from './append.ts'
import type { AppendedRow } from './append.ts'
import { entryOf } from './entry-insert.ts'
import type { AppendResult, EntryInsert } from './entry-insert.ts'

interface FlushParts {
  readonly pool: Pool
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly metrics: Pick<Metrics, 'add'>
  /** The stored snapshot of a contact has fallen behind its log. */
  readonly onLag: (contact: string) => void
}

const LAG = 200
const ATTEMPTS = 3

/**
 * Stores a batch and tells of it. Whoever waits for the batch is answered afterwards. `waits`: for contacts
 * that somebody else has locked.
 */
export function flusher({
  pool,
  bus,
  clock,
  metrics,
  onLag,
}: FlushParts): (inserts: readonly EntryInsert[], waits: boolean) => Promise<AppendResult[]> {
  return async (inserts, waits) => {
    const time = clock.now()
    const outcomes = await attempt(metrics, () =>
      insertEntries((query) => pool.query<AppendedRow>(query), inserts, { time, waits }),
    )
    const entries = new Map<string, Entry[]>()
    const nodes = new Map<string, readonly string[]>()
    const lagging = new Set<string>()
    inserts.forEach((insert, index) => {
      const outcome = outcomes[index]
      if (outcome?.nodes) nodes.set(insert.contact, outcome.nodes)
      if (!outcome?.isNew || outcome.seq === null) return
      const entry = entryOf(insert, outcome.seq, time)
      const before = entries.get(insert.contact)
      if (before) before.push(entry)
      else entries.set(insert.contact, [entry])
      if (outcome.lag % LAG === 0) lagging.add(insert.contact)
    })
    for (const [contact, appended] of entries)
      bus.publish('appended', { contact, entries: appended, nodes: nodes.get(contact) ?? [] })
    for (const contact of lagging) onLag(contact)
    return outcomes
  }
}

async function attempt<T>(metrics: FlushParts['metrics'], run: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await run()
    } catch (thrown) {
      if (isDeadlock(thrown)) metrics.add('duolog_deadlocks_total')
      if (!isCollision(thrown) || count === ATTEMPTS) throw thrown
    }
  }
}
