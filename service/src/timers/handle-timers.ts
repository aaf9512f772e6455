import type { Kysely } from 'kysely'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { endGrace, endLimit } from '../contacts/index.ts'
import type { ContactStore } from '../contacts/index.ts'
import type { Queue } from '../queue/create-queue.ts'
import type { RetentionRounds } from '../retention-rounds.ts'
import type { Tables } from '../store/tables.ts'
import type { TimerService } from './timer-service.ts'

interface HandlingParts {
  readonly timers: TimerService
  readonly store: ContactStore
  readonly queue: Queue
  readonly retention: RetentionRounds
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  readonly bus: LocalBus
}

/** Says for each kind of timer what is done when it is due. */
export function handleTimers({ timers, store, queue, retention, db, clock, bus }: HandlingParts): void {
  timers.handle('contact', (timer) => endLimit(store, timer))
  timers.handle('absence', (timer) => endGrace(store, timer))
  timers.handle('offer', (timer) => queue.agents.endOffer(timer))
  timers.handle('agent', (timer) => queue.presence.endGrace(timer))
  timers.handle('retention', () => retention.run())
  timers.handle('match', async () => {
    await db.deleteFrom('timers').where('kind', '=', 'match').where('due', '<=', clock.now()).execute()
    bus.publish('match', { reason: 'timer' })
  })
}
