import type { Kysely } from 'kysely'
import type { Pushes } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Random } from '../clock/random.ts'
import type { OwnNode } from '../cluster/own-node.ts'
import type { ContactStore } from '../contacts/index.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Tables } from '../store/tables.ts'
import { AgentPresenceService } from './agent-presence.ts'
import { AgentService } from './agent-service.ts'
import { MatchJob } from './match-job.ts'
import { Matcher } from './matcher.ts'
import { OfferEvidence } from './offer-evidence.ts'
import { questionTeller } from './questions.ts'
import { Positions } from './positions.ts'
import type { QueueLimits } from './queue-limits.ts'
import type { Strategy } from './strategy.ts'

/** Brings waiting contacts and agents together. */
export interface Queue {
  readonly agents: AgentService
  readonly presence: AgentPresenceService
  readonly positions: Positions
  readonly matcher: Matcher
  /** Null where several agents are asked at a time: nobody asks what an offer comes to. */
  readonly evidence: OfferEvidence | null
}

interface QueueParts {
  readonly db: Kysely<Tables>
  readonly store: ContactStore
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly random: Random
  readonly limits: QueueLimits
  readonly node: OwnNode
  /** Whether there may be other nodes. */
  readonly isOneOfMany: () => boolean
  readonly strategy: Strategy
  /** Contacts whose visitors are connected here. */
  readonly open: () => readonly string[]
  /** Whether a contact, of which pages are open here, waits in the queue. */
  readonly isQueued: (contact: string) => boolean
  /** Tells visitors their position. */
  readonly tell: (push: Pushes['contact.queue']) => void
  readonly metrics: Pick<Metrics, 'add'>
  readonly onFault: (thrown: unknown) => void
}

export function createQueue(parts: QueueParts): Queue {
  const { db, store, bus, clock, random, limits, node, isOneOfMany, strategy, open, tell, metrics, onFault } =
    parts
  const agents = new AgentService({
    ...{ db, store, bus, clock, random },
    pausesOnExpiry: strategy.pausesOnExpiry,
  })
  const positions = new Positions({ db, clock, isOneOfMany, open, tell, onFault })
  const job = new MatchJob({ db, node, isOneOfMany, onFault })
  const matcher = new Matcher({
    ...{ db, bus, clock, strategy, limits, job, onFault },
    onNotTaken: (contact) => agents.notTaken(contact),
    onOwnRound: () => metrics.add('duolog_match_rounds_total'),
    onRound: () => positions.moved(),
  })
  const presence = new AgentPresenceService({ db, store, bus, clock, limits, node })
  const evidence = strategy.pausesOnExpiry ? new OfferEvidence({ db, onFault }) : null
  const tellQuestion = questionTeller({ db, bus, onFault })
  bus.on('appended', ({ contact, entries }) => {
    if (parts.isQueued(contact)) tellQuestion(contact, entries)
  })
  return { agents, presence, positions, matcher, evidence }
}
