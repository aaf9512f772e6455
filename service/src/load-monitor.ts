/** Metrics of the load on the service. docs/service.md explains them and names their limits. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ServiceClock } from './clock/clock.ts'
import type { Metrics } from './http/metrics.ts'
import type { WriteQueues } from './log/write-queues.ts'
import type { Tables } from './store/tables.ts'
import type { TimerKind } from './timers/timer-rows.ts'

/** Bounds of the buckets of appends. */
const APPEND_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** The delay of the event loop is the longest of the last one or two windows. */
const WINDOW_MS = 15_000
/** How long the store may take to answer a request for the metrics. */
const ANSWER_MS = 1_000

interface LoadMonitorParts {
  readonly metrics: Metrics
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  readonly kinds: () => readonly TimerKind[]
}

/** The work that waits in the store. */
interface Waiting {
  readonly contacts: number
  readonly longestMs: number
  readonly timersMs: number
}

const UNKNOWN: Waiting = { contacts: Number.NaN, longestMs: Number.NaN, timersMs: Number.NaN }

/** Measures the queue of contacts, the timers, the event loop and the time that an append takes. */
export class LoadMonitor {
  readonly #parts: LoadMonitorParts
  readonly #loop = monitorEventLoopDelay({ resolution: 10 })
  readonly #window: NodeJS.Timeout
  #before = 0
  #waiting = UNKNOWN
  #reading: Promise<void> | null = null

  constructor(parts: LoadMonitorParts) {
    this.#parts = parts
    const { metrics } = parts
    this.#loop.enable()
    this.#window = setInterval(() => this.#nextWindow(), WINDOW_MS)
    this.#window.unref()
    metrics.collect(() => this.#read())
    metrics.histogram('duolog_append_seconds', 'From an append to its place in the store.', APPEND_S)
    metrics.gauge(
      'duolog_event_loop_delay_seconds',
      'Longest delay of the event loop in the last half minute.',
      () => Math.max(this.#longest(), this.#before) / 1_000,
    )
    metrics.gauge(
      'duolog_queue_length',
      'Contacts in the queue whose visitor is there.',
      () => this.#waiting.contacts,
    )
    metrics.gauge(
      'duolog_queue_longest_seconds',
      'How long the first of them has waited.',
      () => this.#waiting.longestMs / 1_000,
    )
    metrics.gauge(
      'duolog_timer_lag_seconds',
      'How long the first timer that is due has waited.',
      () => this.#waiting.timersMs / 1_000,
    )
  }

  /** The same queues, whose appends are timed. */
  timed(queues: Pick<WriteQueues<never>, 'append'>): Pick<WriteQueues<never>, 'append'> {
    return {
      append: async (contact, inserts) => {
        const from = performance.now()
        try {
          return await queues.append(contact, inserts)
        } finally {
          this.#parts.metrics.observe('duolog_append_seconds', (performance.now() - from) / 1_000)
        }
      },
    }
  }

  /** Reads the store, one query at a time. Numbers that it does not give in time are not a number. */
  #read(): Promise<void> {
    this.#reading ??= this.#query()
      .catch(() => {
        this.#waiting = UNKNOWN
      })
      .finally(() => {
        this.#reading = null
      })
    const late = delay(ANSWER_MS, undefined, { ref: false }).then(() => {
      this.#waiting = UNKNOWN
    })
    return Promise.race([this.#reading, late])
  }

  async #query(): Promise<void> {
    const { db, clock, kinds } = this.#parts
    const now = clock.now()
    const { rows } = await sql<{ contacts: number; queued: number | null; due: number | null }>`
      select (select count(*) from contacts where waiting and not visitor_away) as contacts,
        (select min(queued_at) from contacts where waiting and not visitor_away) as queued,
        (select min(t.due) from unnest(${kinds()}::text[]) k(kind)
          cross join lateral (select due from timers where kind = k.kind and due <= ${now} order by due
            limit 1) t) as due`.execute(db)
    const [row] = rows
    const since = (time: number | null | undefined): number => Math.max(0, now - (time ?? now))
    this.#waiting = { contacts: row?.contacts ?? 0, longestMs: since(row?.queued), timersMs: since(row?.due) }
  }

  stop(): void {
    clearInterval(this.#window)
    this.#loop.disable()
  }

  #longest = (): number => (this.#loop.count === 0 ? 0 : this.#loop.max / 1e6)

  #nextWindow(): void {
    this.#before = this.#longest()
    this.#loop.reset()
  }
}
