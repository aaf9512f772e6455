import type { Pool } from 'pg'
import type { FileStore } from './attachments/index.ts'
import type { Gateway } from './connections/gateway.ts'
import type { Hub } from './connections/hub.ts'
import type { Metrics } from './http/metrics.ts'

interface GaugeSources {
  readonly gateway: Gateway
  readonly hub: Hub
  readonly queues: { readonly depth: number }
  readonly pool: Pool
  readonly files: FileStore
  /** How far the clock of the store is ahead of this machine's, in milliseconds. */
  readonly aheadMs: () => number
}

/** Numbers for `/metrics` that are read when they are asked for. */
export function registerGauges(
  metrics: Metrics,
  { gateway, hub, queues, pool, files, aheadMs }: GaugeSources,
): void {
  metrics.gauge('duolog_connections', 'Open connections.', () => gateway.connections)
  metrics.gauge('duolog_open_contacts', 'Contacts with an open channel.', () => hub.size.contacts)
  metrics.gauge('duolog_channels', 'Open channels.', () => hub.size.channels)
  metrics.gauge('duolog_waiting_appends', 'Appends that wait for the store.', () => queues.depth)
  metrics.gauge(
    'duolog_store_connections_waiting',
    'Statements that wait for a connection to the store.',
    () => pool.waitingCount,
  )
  metrics.gauge(
    'duolog_file_bytes',
    'Bytes of all files, those that are still to come included.',
    () => files.total,
  )
  metrics.gauge('duolog_waiting_bytes', 'Bytes that wait for parties to take them.', () => gateway.waiting)
  metrics.gauge(
    'duolog_clock_offset_ms',
    "How far the store's clock is ahead of this machine's, in milliseconds.",
    aheadMs,
  )
  metrics.gauge('duolog_ignored_events', 'Events that are not of the protocol.', () => gateway.ignored)
}
