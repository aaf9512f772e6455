/** Joins this process to the nodes of its store. */
import type { Kysely } from 'kysely'
import { openNatsBus } from '../bus/open-bus.ts'
import { openServiceBus } from '../bus/service-bus.ts'
import type { OpenBus } from '../bus/service-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Random } from '../clock/random.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Options } from '../options.ts'
import type { Say } from '../report.ts'
import type { ServiceWorld } from '../service-world.ts'
import type { Tables } from '../store/tables.ts'
import { ClusterNode } from './cluster-node.ts'
import { NodeLink } from './node-link.ts'
import { Sweeper } from './sweeper.ts'

interface JoiningParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
  /** The time of everything in the store. */
  readonly storeClock: ServiceClock
  /** This process's own monotonic time in milliseconds. */
  readonly monotonic: () => number
  readonly random: Random
  readonly metrics: Metrics
  /** From the loss of a session to its `left`. */
  readonly graceMs: number
  /** Ends all connections, without noting what is lost with them. */
  readonly sendAway: () => Promise<void>
  /** Notes what dead nodes have lost. */
  readonly sweep: () => Promise<void>
  readonly onFault: (thrown: unknown) => void
  readonly debug: Say
}

/** How a process reaches other nodes; null: it has the store for itself. */
export const driverOf = ({ bus }: Options, { openBus }: ServiceWorld): OpenBus | null =>
  openBus ?? (bus && ((parts) => openNatsBus(parts, bus)))

/** @throws StartError the bus cannot be used */
export async function joinNodes(
  options: Options,
  world: ServiceWorld,
  { db, clock, storeClock, monotonic, random, metrics, graceMs, sendAway, sweep, ...says }: JoiningParts,
): Promise<{ readonly node: ClusterNode; readonly link: NodeLink; readonly sweeper: Sweeper }> {
  const driver = driverOf(options, world)
  const { onFault, debug } = says
  const now = (): number => storeClock.now()
  const sweeper = new Sweeper({ db, now, metrics, debug, graceMs, isAlone: driver === null })
  const own: { node: ClusterNode | null } = { node: null }
  const link = new NodeLink({
    ...{ metrics, isAlone: driver === null, onFault },
    bus: () => own.node?.bus ?? null,
  })
  link.on('beat', () => own.node?.heardBeat())
  const { handlers } = link
  const node = (own.node = await ClusterNode.start({
    ...{ db, now, random, metrics, name: options.nodeName, sendAway, onFault },
    clock: {
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (handle) => clock.clearTimeout(handle),
      monotonic,
    },
    openBus:
      driver && ((id) => openServiceBus(driver, { node: id, handlers, db, random, metrics, now, onFault })),
    onDead: sweep,
  }))
  return { node, link, sweeper }
}
