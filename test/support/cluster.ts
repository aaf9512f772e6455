import { expect } from 'vitest'
import { ProcessExchange } from '../../service/src/bus/process-carrier.ts'
import { NodeBus } from '../../service/src/bus/node-bus.ts'
import type { OpenBus } from '../../service/src/bus/service-bus.ts'
import { systemClock } from '../../service/src/clock/clock.ts'
import type { ServiceWorld } from '../../service/src/service-world.ts'
import { EmbeddedCluster } from '../../service/src/store/embedded-cluster.ts'
import { BreakableCarrier, MessageFates } from './breakable-carrier.ts'
import { preparedData } from './prepared-store.ts'
import { startTestService } from './service.ts'
import type { TestService } from './service.ts'

/** A driver of the bus between services of this process. `fates`: decides on each message. */
export function processBus(fates = new MessageFates()): OpenBus {
  const exchange = new ProcessExchange(systemClock())
  return (parts) =>
    NodeBus.open({
      ...parts,
      deployment: 'test',
      hints: new BreakableCarrier(exchange.carrier(), parts.node, fates),
      frames: new BreakableCarrier(exchange.carrier(), parts.node, fates),
    })
}

/** A PostgreSQL that several services may use at the same time. */
export async function startStore(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const data = preparedData()
  const cluster = await EmbeddedCluster.start(data.folder)
  const { host, user } = cluster.connection('postgres')
  return {
    url: `postgres://${user}@localhost/postgres?host=${host}`,
    stop: async () => {
      await cluster.stop()
      data.remove()
    },
  }
}

/** Services of this process on one store and one bus, each with a clock of its own that stands still. */
export async function startNodes(
  databaseUrl: string,
  count: number,
  world: ServiceWorld = {},
): Promise<TestService[]> {
  const openBus = processBus()
  const nodes: TestService[] = []
  for (let started = 0; started < count; started += 1)
    nodes.push(await startTestService({ databaseUrl }, { openBus, ...world }))
  return nodes
}

/** Moves the clocks of some nodes on by so many beats, each of which the store takes. */
export async function beat(nodes: readonly TestService[], beats: number): Promise<void> {
  for (let count = 0; count < beats; count += 1)
    for (const { clock, service } of nodes) {
      const { id, beats: before } = service.node
      clock.advance(2_000)
      const isOver = (): boolean => service.node.beats !== before || service.node.id !== id
      await expect.poll(isOver, { interval: 5, timeout: 10_000 }).toBe(true)
    }
}
