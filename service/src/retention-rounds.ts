import type { Kysely } from 'kysely'
import type { AttachmentService } from './attachments/index.ts'
import type { ServiceClock } from './clock/clock.ts'
import type { Say } from './report.ts'
import type { Retry } from './retry.ts'
import { Cleaner, RETENTION_RETRY_MS, RETENTION_ROUND_MS } from './store/retention.ts'
import type { Retention } from './store/retention.ts'
import type { Tables } from './store/tables.ts'
import { setTimer, setTimerOnce } from './timers/timer-rows.ts'
import type { TimerService } from './timers/timer-service.ts'

const TIMER = { subject: 'retention', kind: 'retention', key: '' } as const

interface RoundParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  readonly keep: Retention
  readonly timers: TimerService
  readonly retry: Retry
  readonly attachments: AttachmentService
  readonly debug: Say
  readonly onFault: (thrown: unknown) => void
}

/** Removes old data once an hour, and again soon after a round that was not finished. */
export class RetentionRounds {
  readonly #parts: RoundParts
  readonly #cleaner: Cleaner

  constructor(parts: RoundParts) {
    const { db, clock, keep, retry, attachments, debug, onFault } = parts
    this.#parts = parts
    this.#cleaner = new Cleaner({
      ...{ db, clock, keep, debug, onFault },
      files: { unlink: (ids) => attachments.unlink(ids), sweep: () => attachments.sweep() },
      onUnfinished: () => retry.run('retention', () => this.#runIn(RETENTION_RETRY_MS)),
    })
  }

  /** Sets the timer, unless one is set already. */
  async start(): Promise<void> {
    const { db, clock } = this.#parts
    await setTimerOnce(db, { ...TIMER, due: clock.now() })
  }

  /** The timer is due. */
  async run(): Promise<void> {
    await this.#runIn(RETENTION_ROUND_MS)
    this.#cleaner.request()
  }

  stop(): Promise<void> {
    return this.#cleaner.stop()
  }

  async #runIn(delayMs: number): Promise<void> {
    const { db, clock, timers } = this.#parts
    const due = clock.now() + delayMs
    await setTimer(db, { ...TIMER, due })
    timers.wake(due)
  }
}
