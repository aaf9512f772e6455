import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { OwnNode } from '../cluster/own-node.ts'
import type { Say } from '../report.ts'
import type { Tables } from '../store/tables.ts'
import { claimTimers, dropTimer, nextDue, postpone, releaseTimer } from './timer-rows.ts'
import type { DueTimer, TimerKind, TimerRow } from './timer-rows.ts'

/** Timers of each kind that run in parallel. */
export const TIMER_BATCH = 200
/** The longest time until a timer that another process has set is seen. */
const POLL_MS = 1_000
/** A failed timer is repeated after this time, then after twice this time, and so on up to the limit. */
const BACKOFF_MS = 1_000
const BACKOFF_LIMIT_MS = 60_000

/**
 * Runs a timer. It deletes the row ({@link takeTimer}) in the transaction of its work, so that nothing is
 * done twice or lost. The error `not_found` means that the timer has become obsolete.
 */
export type TimerRun = (timer: TimerRow) => Promise<void>

/** Timers about the absence of somebody: only a node that has been in touch with the store rings them. */
const ABSENCES: ReadonlySet<TimerKind> = new Set(['absence', 'agent'])

interface TimerWorld {
  readonly db: Kysely<Tables>
  readonly node: OwnNode
  readonly clock: ServiceClock
  readonly debug: Say
  readonly onFault: (thrown: unknown) => void
}

/**
 * Wakes at the next due row and passes it to the part of the service that set it. A slow or failing timer
 * delays no other. Timers of kinds that this version does not know are left for a version that does.
 */
export class TimerService {
  readonly #world: TimerWorld
  readonly #runs = new Map<TimerKind, TimerRun>()
  /** The running timers, at most a batch of each kind. */
  readonly #running = new Map<string, Promise<void>>()
  #handle: unknown = null
  #wakeAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | null = null
  #again = false
  /** Whether more timers may be due than could be started. */
  #full = false
  #stopped = false

  constructor(world: TimerWorld) {
    this.#world = world
  }

  handle(kind: TimerKind, run: TimerRun): void {
    this.#runs.set(kind, run)
  }

  /** The kinds that have a handler. */
  get kinds(): readonly TimerKind[] {
    return [...this.#runs.keys()]
  }

  start(): void {
    this.wake(this.#world.clock.now())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#handle !== null) this.#world.clock.clearTimeout(this.#handle)
    await this.#looking
    await Promise.all(this.#running.values())
  }

  /** A row was set for `due`. */
  wake(due: number): void {
    if (this.#stopped || due >= this.#wakeAt) return
    if (this.#handle !== null) this.#world.clock.clearTimeout(this.#handle)
    this.#wakeAt = due
    this.#handle = this.#world.clock.setTimeout(
      () => this.#ring(),
      Math.max(0, due - this.#world.clock.now()),
    )
  }

  #ring(): void {
    this.#handle = null
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#look()
  }

  #look(): void {
    this.#again = true
    if (this.#looking || this.#stopped) return
    this.#looking = this.#rounds()
      .catch(this.#world.onFault)
      .finally(() => {
        this.#looking = null
        this.wake(this.#world.clock.now() + POLL_MS)
      })
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      await this.#startDue()
    }
  }

  /** Starts due timers, as far as there is room. */
  async #startDue(): Promise<void> {
    const { db, clock, node, debug } = this.#world
    const kinds = this.#claimed()
    const now = clock.now()
    const due = await claimTimers(db, { node: node.id, kinds, now, limit: TIMER_BATCH })
    this.#full = due.length >= TIMER_BATCH
    if (due.length > 0) debug('timers are due', countKinds(due))
    for (const timer of due) this.#start(timer)
    const next = await nextDue(db, kinds, now)
    if (next !== null) this.wake(next)
  }

  /** The kinds that this node carries out at the moment. */
  #claimed(): readonly TimerKind[] {
    const { node } = this.#world
    if (!node.takesWork) return []
    return node.isSettled() ? this.kinds : this.kinds.filter((kind) => !ABSENCES.has(kind))
  }

  #start(timer: DueTimer): void {
    const name = `${timer.kind} ${timer.subject} ${timer.key}`
    if (this.#running.has(name) || this.#stopped) return
    const running = this.#run(timer)
      .catch(this.#world.onFault)
      .finally(() => {
        this.#running.delete(name)
        if (this.#full && this.#running.size <= TIMER_BATCH / 2) this.#look()
      })
    this.#running.set(name, running)
  }

  async #run(timer: DueTimer): Promise<void> {
    const { db, clock, node, onFault } = this.#world
    // It may have lost touch with the store since it has claimed the timer.
    if (!this.#claimed().includes(timer.kind)) return void (await releaseTimer(db, timer, node.id))
    try {
      await this.#runs.get(timer.kind)?.(timer)
    } catch (thrown) {
      if (thrown instanceof ContactError && thrown.code === 'not_found') return await dropTimer(db, timer)
      onFault(thrown)
      await postpone(db, timer, clock.now() + Math.min(BACKOFF_LIMIT_MS, BACKOFF_MS * 2 ** timer.failures))
    }
  }
}

function countKinds(timers: readonly TimerRow[]): Readonly<Record<string, number>> {
  const counts: Partial<Record<TimerKind, number>> = {}
  for (const { kind } of timers) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
