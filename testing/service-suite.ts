import type { TestRunner } from './engine-suite.ts'
import { SERVICE_CONNECTED_LAWS } from './service-connected-conformance.ts'
import { SERVICE_LEAVE_LAWS } from './service-leave-conformance.ts'
import { SERVICE_LEFT_LAWS } from './service-left-conformance.ts'
import { SERVICE_QUEUE_LAWS } from './service-queue-conformance.ts'
import { SERVICE_RELAY_LAWS } from './service-relay-conformance.ts'
import { SERVICE_REPEAT_LAWS } from './service-repeat-conformance.ts'
import { SERVICE_SECURE_LAWS } from './service-secure-conformance.ts'
import { SERVICE_TRANSFER_LAWS } from './service-transfer-conformance.ts'
import { SERVICE_LOG_LAWS } from './service-log-conformance.ts'
import { ServiceBench } from './service-bench.ts'
import type { ServiceFactory } from './service-bench.ts'
import type { ServiceLaw } from './service-law.ts'

/** The laws of {@link describeService}. */
export const SERVICE_LAWS: readonly ServiceLaw[] = [
  ...SERVICE_LOG_LAWS,
  ...SERVICE_REPEAT_LAWS,
  ...SERVICE_QUEUE_LAWS,
  ...SERVICE_LEAVE_LAWS,
  ...SERVICE_LEFT_LAWS,
  ...SERVICE_TRANSFER_LAWS,
  ...SERVICE_RELAY_LAWS,
  ...SERVICE_CONNECTED_LAWS,
  ...SERVICE_SECURE_LAWS,
]

/** What the kit takes beside the service. */
export interface ServiceSuiteOptions extends TestRunner {
  /** Whether the factory's services have `advance`: laws about time limits are left out without it. */
  readonly hasTime?: boolean
}

/**
 * Defines one test for each law that a contact service must keep, as `docs/protocol.md` describes them.
 *
 * @param name Stands before the laws in the report.
 * @param factory Gives a service without contacts and agents.
 * @param options The runner, and whether time can be moved.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * const clock = new TestClock()
 * const start = () => {
 *   const service = new MemoryService(clock)
 *   return {
 *     visitor: () => service.transport({ slot: 'visitor', id: 'v' }),
 *     agent: (nick) => service.transport({ slot: 'agent', id: nick, nick }),
 *   }
 * }
 * describeService('MyService', start, { describe, it })
 * ```
 */
export function describeService(
  name: string,
  factory: ServiceFactory,
  { describe, it, hasTime = false }: ServiceSuiteOptions,
): void {
  describe(`${name} is a contact service`, () => {
    for (const law of SERVICE_LAWS)
      if (hasTime || !law.needsTime) it(`${law.id}: ${law.claim}`, () => tryServiceLaw(law, factory))
  })
}

/** Tries one law on a new service. Rejects where it does not hold. */
export async function tryServiceLaw({ run }: ServiceLaw, factory: ServiceFactory): Promise<void> {
  const bench = new ServiceBench(await factory())
  try {
    await run(bench)
  } finally {
    await bench.stop()
  }
}
