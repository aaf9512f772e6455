import type { Kysely } from 'kysely'
import { loadSecret } from '../auth/keys.ts'
import type { Random } from '../clock/random.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Tables } from '../store/tables.ts'
import type { Bus, BusHandlers } from './bus.ts'
import type { BusParts } from './open-bus.ts'

export interface ServiceBusParts {
  /** Under which it is opened. */
  readonly node: string
  readonly handlers: BusHandlers
  readonly db: Kysely<Tables>
  readonly random: Random
  readonly metrics: Metrics
  /** Milliseconds of the store's clock. */
  readonly now: () => number
  readonly onFault: (thrown: unknown) => void
}

/** A driver of the bus. */
export type OpenBus = (parts: BusParts) => Promise<Bus>

/**
 * The bus of this process, under the identity of a node and with the key of the deployment.
 *
 * @throws StartError
 */
export async function openServiceBus(
  open: OpenBus,
  { node, handlers, db, random, metrics, now, onFault }: ServiceBusParts,
): Promise<Bus> {
  const key = await loadSecret(db, 'bus', random)
  const bus = await open({ node, key, now, handlers, onFault })
  metrics.gauge('duolog_bus_up', '1 while messages to other nodes pass.', () => (bus.isUp ? 1 : 0))
  return bus
}
