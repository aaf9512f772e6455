import type { Kysely } from 'kysely'
import type { Metrics } from '../http/metrics.ts'
import type { Say } from '../report.ts'
import type { Tables } from '../store/tables.ts'
import { SWEPT_AT_ONCE, sweepSessions, sweepUnplaced } from './session-openings.ts'

interface SweeperParts {
  readonly db: Kysely<Tables>
  /** The time of everything in the store. */
  readonly now: () => number
  readonly metrics: Metrics
  readonly debug: Say
  /** Whether this process has the store for itself. */
  readonly isAlone: boolean
  /** From the loss of a session to its `left`. */
  readonly graceMs: number
}

/** Notes what dead nodes have lost. Every node may do it at any time, side by side. */
export class Sweeper {
  readonly #parts: SweeperParts

  constructor(parts: SweeperParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const { now, isAlone, graceMs } = this.#parts
    const due = now() + graceMs
    await this.#all(sweepSessions, due)
    if (isAlone) await this.#all(sweepUnplaced, due)
  }

  async #all(sweep: typeof sweepSessions, due: number): Promise<void> {
    const { db, metrics, debug } = this.#parts
    for (let swept = SWEPT_AT_ONCE; swept === SWEPT_AT_ONCE;) {
      swept = await sweep(db, due)
      metrics.add('duolog_swept_total', 'what="session"', swept)
      if (swept > 0) debug('sessions of dead nodes are noted as lost', { sessions: swept })
    }
  }
}
