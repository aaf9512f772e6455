/** Starts the service and stops it. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { openStorage } from './attachments/index.ts'
import { systemClock } from './clock/clock.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import { driverOf } from './cluster/join-nodes.ts'
import { compose } from './compose.ts'
import type { Resources } from './compose.ts'
import { limitBodies } from './http/body-limits.ts'
import { serviceMetrics } from './http/metrics.ts'
import type { Options } from './options.ts'
import { SILENT_REPORT, pinoReport, sortedReport } from './report.ts'
import type { Report } from './report.ts'
import type { ServiceWorld } from './service-world.ts'
import { StartError, codeOf, messageOf } from './start-error.ts'
import { checkAcknowledged } from './store/acknowledged.ts'
import { openDatabase } from './store/database.ts'
import type { Database } from './store/database.ts'

export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:8090`. */
  readonly url: string
  readonly database: Database
  /**
   * Resolves when another process has the database: nobody is sent here any more, and the service is to be
   * stopped.
   */
  readonly lost: Promise<void>
  /** This process among the nodes. */
  readonly node: ClusterNode
  /** Tells load balancers to send nobody here any more; it goes on as before. */
  withdraw(): void
  /** Takes no more calls, lets those that run end, and stops the embedded database. Idempotent. */
  stop(): Promise<void>
}

/** What Socket.IO's and all other requests have for their bodies, and uploads for each part of theirs. */
const BODY_MS = 30_000

/**
 * Starts the service.
 *
 * @throws {@link StartError} one line that says why it cannot.
 */
export async function startService(options: Options, world: ServiceWorld = {}): Promise<RunningService> {
  const metrics = serviceMetrics()
  const report = sortedReport(reportOf(options, world), () => metrics.add('duolog_faults_total'))
  const isShared = driverOf(options, world) !== null
  const database = await openDatabase({ ...options, isShared, onFault: report.fault })
  try {
    if (isShared && options.mode === 'production') await checkAcknowledged(database.db, options, report)
    const storage = await openStorage(options.files, report.fault)
    return await listen(options, world, { report, metrics, database, storage })
  } catch (cause) {
    await database.close()
    throw cause
  }
}

const reportOf = ({ logLevel }: Options, { report }: ServiceWorld): Report =>
  report ? { ...SILENT_REPORT, ...report } : pinoReport(logLevel)

async function listen(options: Options, world: ServiceWorld, resources: Resources): Promise<RunningService> {
  const { http, wiring, storeClock, node } = await compose(options, world, resources)
  limitBodies(http.server, world.bodyLimits ?? { clock: systemClock(), wholeMs: BODY_MS, silenceMs: BODY_MS })
  await wiring.start()
  const { info } = resources.report
  const stop = once(async () => {
    info('the service stops', { node: node.id })
    storeClock?.stop()
    await wiring.stop()
    await http.close()
    await node.leave()
    // Pages that have gone elsewhere are there; of the others the time of grace begins now.
    if (!node.isAlone) await wiring.sweep().catch(resources.report.fault)
    await wiring.settle()
    await resources.database.close()
    info('the service has stopped', { node: node.id })
  })
  try {
    const url = await bind(http, options)
    info('the service has started', { node: node.id, mode: options.mode, url })
    const lost = resources.database.lost.then(() => wiring.disown())
    return { url, node, database: resources.database, lost, stop, withdraw: () => wiring.withdraw() }
  } catch (cause) {
    storeClock?.stop()
    await wiring.stop()
    await node.leave()
    await wiring.settle()
    throw cause
  }
}

async function bind(http: FastifyInstance, { host, port }: Options): Promise<string> {
  try {
    await http.listen({ host, port })
  } catch (cause) {
    const why =
      codeOf(cause) === 'EADDRINUSE' ? 'the port is in use: choose another with --port' : messageOf(cause)
    throw new StartError(`unable to listen on ${host}:${port}; ${why}`, { cause })
  }
  const address = http.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => (running ??= run())
}
