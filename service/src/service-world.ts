import type { Audit } from './audit.ts'
import type { OpenBus } from './bus/service-bus.ts'
import type { ServiceClock } from './clock/clock.ts'
import type { Random } from './clock/random.ts'
import type { ContactLimits } from './contacts/index.ts'
import type { BodyLimits } from './http/body-limits.ts'
import type { Rate } from './limits/buckets.ts'
import type { RateName } from './limits/rate-limits.ts'
import type { QueueLimits } from './queue/queue-limits.ts'
import type { Report } from './report.ts'
import type { TelephonyGateway } from './telephony/index.ts'

/** The outside world, as tests inject it. */
export interface ServiceWorld {
  readonly clock?: ServiceClock
  readonly random?: Random
  readonly limits?: Partial<ContactLimits & QueueLimits>
  /** What is missing of it writes nothing. */
  readonly report?: Partial<Report>
  readonly audit?: Audit
  /** Instead of half a minute. */
  readonly bodyLimits?: BodyLimits
  /** Instead of the one in the options. */
  readonly telephony?: TelephonyGateway
  /** Instead of the NATS server in the options. */
  readonly openBus?: OpenBus
  /** Instead of those of the mode: none in local use. */
  readonly rates?: Partial<Record<RateName, Rate>>
}
