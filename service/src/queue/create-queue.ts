import type { Kysely } from 'kysely'
import type { Pushes } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Random } from '../clock/random.ts'
import type { ContactStore } from '../contacts/index.ts'
import type { Tables } from '../store/tables.ts'
import { AgentPresenceService } from './agent-presence.ts'
import { AgentService } from './agent-service.ts'
import { Matcher } from './matcher.ts'
import { Positions } from './positions.ts'
import type { QueueLimits } from './queue-limits.ts'
import type { Strategy } from './strategy.ts'

/** Brings waiting contacts and agents together. */
export interface Queue {
  readonly agents: AgentService
  readonly presence: AgentPresenceService
  readonly positions: Positions
  readonly matcher: Matcher
}

interface QueueParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly random: Random
  readonly limits: QueueLimits
  readonly strategy: Strategy
  /** Contacts whose visitors are connected here. */
  readonly open: () => readonly string[]
  /** Tells visitors their position. */
  readonly tell: (push: Pushes['contact.queue']) => void
  readonly onFault: (thrown: unknown) => void
}

export function createQueue(parts: QueueParts): Queue {
  const { db, store, bus, clock, random, limits, strategy, open, tell, onFault } = parts
  const agents = new AgentService({
    ...{ db, store, bus, clock, random },
    pausesOnExpiry: strategy.pausesOnExpiry,
  })
  const positions = new Positions({ db, clock, open, tell, onFault })
  const matcher = new Matcher({
    ...{ db, bus, clock, strategy, limits, onFault },
    onNotTaken: (contact) => agents.notTaken(contact),
    onRound: () => positions.moved(),
  })
  return { agents, presence: new AgentPresenceService({ db, store, bus, clock, limits }), positions, matcher }
}
