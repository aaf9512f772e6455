import type { Kysely } from 'kysely'
import { loadSecret } from '../auth/keys.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Tables } from '../store/tables.ts'
import type { Bus, BusHandlers } from './bus.ts'
import { openNatsBus } from './open-bus.ts'
import type { BusOptions } from './open-bus.ts'

interface ServiceBusParts {
  readonly db: Kysely<Tables>
  readonly random: Random
  readonly metrics: Metrics
  /** Milliseconds of the store's clock. */
  readonly now: () => number
  readonly onFault: (thrown: unknown) => void
}

/** No part of the service speaks over the bus yet: what others say is dropped. */
const NOBODY: BusHandlers = {
  hint: () => {},
  request: () => Promise.reject(new Error('unable to answer; no part of the service takes requests')),
  frame: () => 'not_here',
  missed: () => {},
}

/**
 * The bus of this process, under a name of its own and with the key of the deployment; null for a single
 * node.
 *
 * @throws StartError
 */
export async function busOf(
  options: BusOptions | null,
  { db, random, metrics, now, onFault }: ServiceBusParts,
): Promise<Bus | null> {
  if (!options) return null
  const key = await loadSecret(db, 'bus', random)
  const node = randomId(random, 'n-')
  const bus = await openNatsBus({ node, key, now, handlers: NOBODY, onFault }, options)
  metrics.gauge('duolog_bus_up', '1 while messages to other nodes pass.', () => (bus.isUp ? 1 : 0))
  return bus
}
