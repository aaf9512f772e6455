import type { Server as HttpServer } from 'node:http'
import type { AttachmentService } from './attachments/index.ts'
import type { Audit } from './audit.ts'
import type { OriginRule } from './auth/origins.ts'
import type { StoredKeys } from './auth/keys.ts'
import type { Principal } from './auth/principal.ts'
import type { Revocations } from './auth/revocations.ts'
import type { CheckToken } from './auth/tokens.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import type { NodeLink } from './cluster/node-link.ts'
import type { Sweeper } from './cluster/sweeper.ts'
import type { ServiceClock } from './clock/clock.ts'
import type { Random } from './clock/random.ts'
import type { ContactLimits } from './contacts/index.ts'
import type { Metrics } from './http/metrics.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { Options } from './options.ts'
import type { QueueLimits } from './queue/queue-limits.ts'
import type { Report } from './report.ts'
import type { Database } from './store/database.ts'
import type { TelephonyGateway } from './telephony/index.ts'

/** What the composition root gives to the wiring. */
export interface WiringParts {
  readonly options: Options
  readonly database: Database
  readonly clock: ServiceClock
  /** The time of everything in the store. */
  readonly storeClock: ServiceClock
  readonly random: Random
  readonly report: Report
  readonly limits: ContactLimits & QueueLimits
  readonly rates: RateLimits
  readonly metrics: Metrics
  readonly audit: Audit
  readonly http: HttpServer
  readonly origins: OriginRule
  readonly checkToken: CheckToken
  readonly revocations: Revocations
  readonly keys: Pick<StoredKeys, 'refresh'>
  /** Whether the token of a connection has been voided. */
  readonly isVoid: (principal: Principal) => boolean
  readonly attachments: AttachmentService
  /** What it tells the other nodes, and hears of them. */
  readonly link: NodeLink
  /** This process among the nodes. */
  readonly node: ClusterNode
  readonly sweeper: Sweeper
  /** Null: no calls over the telephone. */
  readonly telephony: TelephonyGateway | null
}
