/** The composition root: opens the store, joins the parts, listens. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AttachmentService, SignedLinks } from './attachments/index.ts'
import { fileAudit } from './audit.ts'
import type { Audit } from './audit.ts'
import { loadSecret, loadSigningKeys } from './auth/keys.ts'
import type { StoredKeys } from './auth/keys.ts'
import { originRule } from './auth/origins.ts'
import { checkWith, providerCheck } from './auth/provider.ts'
import { Revocations } from './auth/revocations.ts'
import { TOKEN_TYPE, Tokens } from './auth/tokens.ts'
import { Visitors } from './auth/visitors.ts'
import { systemClock } from './clock/clock.ts'
import { StoreClock } from './clock/store-clock.ts'
import type { ServiceClock } from './clock/clock.ts'
import { systemRandom } from './clock/random.ts'
import type { Random } from './clock/random.ts'
import type { ContactLimits, ContactStore } from './contacts/index.ts'
import { CONTACT_LIMITS } from './contacts/index.ts'
import type { AdminParts } from './http/admin.ts'
import { limitBodies } from './http/body-limits.ts'
import type { BodyLimits } from './http/body-limits.ts'
import { httpServer } from './http/server.ts'
import { serviceMetrics } from './http/metrics.ts'
import type { Metrics } from './http/metrics.ts'
import type { Options } from './options.ts'
import type { Rate } from './limits/buckets.ts'
import { PRODUCTION_RATES, RateLimits } from './limits/rate-limits.ts'
import type { RateName } from './limits/rate-limits.ts'
import { QUEUE_LIMITS } from './queue/queue-limits.ts'
import type { QueueLimits } from './queue/queue-limits.ts'
import { pinoReport } from './report.ts'
import type { Report } from './report.ts'
import { StartError, codeOf, messageOf } from './start-error.ts'
import { exportVisitor } from './store/export.ts'
import { setHold } from './store/holds.ts'
import { openDatabase } from './store/database.ts'
import type { Database } from './store/database.ts'
import { loadGateway } from './telephony/index.ts'
import type { TelephonyGateway } from './telephony/index.ts'
import { Wiring } from './wiring.ts'

/** What tests put in place of the world. */
export interface ServiceWorld {
  readonly clock?: ServiceClock
  readonly random?: Random
  readonly limits?: Partial<ContactLimits & QueueLimits>
  readonly report?: Report
  readonly audit?: Audit
  /** Instead of half a minute. */
  readonly bodyLimits?: BodyLimits
  /** Instead of the one in the options. */
  readonly telephony?: TelephonyGateway
  /** Instead of those of the mode: none in local use. */
  readonly rates?: Partial<Record<RateName, Rate>>
}

export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:8090`. */
  readonly url: string
  readonly database: Database
  /**
   * Resolves when another process has the database: nobody is sent here any more, and the service is to be
   * stopped.
   */
  readonly lost: Promise<void>
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
  const report = counting(world.report ?? pinoReport(options.logLevel), metrics)
  const database = await openDatabase({ ...options, onFault: report.fault })
  try {
    return await listen(options, world, { report, metrics, database })
  } catch (cause) {
    await database.close()
    throw cause
  }
}

/** Counts the faults that it reports. */
const counting = (report: Report, metrics: Metrics): Report => ({
  ...report,
  fault: (thrown) => {
    metrics.add('duolog_faults_total')
    report.fault(thrown)
  },
})

interface Ground {
  readonly report: Report
  readonly metrics: Metrics
  readonly database: Database
}

async function listen(options: Options, world: ServiceWorld, ground: Ground): Promise<RunningService> {
  const { http, wiring, storeClock } = await join(options, world, ground)
  limitBodies(http.server, world.bodyLimits ?? { clock: systemClock(), wholeMs: BODY_MS, silenceMs: BODY_MS })
  await wiring.start()
  const stop = once(async () => {
    storeClock?.stop()
    await wiring.stop()
    await http.close()
    await wiring.settle()
    await ground.database.close()
  })
  try {
    const url = await bind(http, options)
    const lost = ground.database.lost.then(() => wiring.disown())
    return { url, database: ground.database, lost, stop, withdraw: () => wiring.withdraw() }
  } catch (cause) {
    storeClock?.stop()
    await wiring.stop()
    await wiring.settle()
    throw cause
  }
}

interface Joined {
  readonly http: FastifyInstance
  readonly wiring: Wiring
  /** Null where a test makes the time. */
  readonly storeClock: StoreClock | null
}

async function join(options: Options, world: ServiceWorld, ground: Ground): Promise<Joined> {
  const { report, metrics, database } = ground
  const onFault = report.fault
  const { db } = database
  const [clock, random] = [world.clock ?? systemClock(), world.random ?? systemRandom]
  const storeClock = world.clock ? null : new StoreClock(clock, database.pool, report.fault)
  await storeClock?.start()
  const local = options.mode === 'local'
  const origins = originRule({ origins: options.origins, loopback: local })
  const rates = new RateLimits(world.rates ?? (local ? {} : PRODUCTION_RATES), clock)
  const { keys, tokens, visitors, links, revocations } = await secretsOf(db, clock, random)
  const answers = shared(async () => (await database.pool.query('select 1')).rowCount === 1)
  const isReady = async (): Promise<boolean> => !wiring.isLeaving && answers()
  const change: ContactStore['change'] = (contact, work, demands) => wiring.change(contact, work, demands)
  const attachments = new AttachmentService({
    db,
    change,
    links,
    clock,
    random,
    rates,
    options: options.files,
  })
  const audit: Audit =
    world.audit ?? (options.audit === null ? () => {} : fileAudit(options.audit, () => clock.now(), onFault))
  const { folders, adminToken, maxConnections, proxies } = options
  const http = await httpServer({
    ...{
      visitors,
      tokens,
      origins,
      local,
      rates,
      folders,
      isReady,
      onFault,
      metrics,
      attachments,
      maxConnections,
      proxies,
    },
    ...{ audit, adminToken, ...operationsOf({ db, clock, keys, wiring: () => wiring }) },
  })
  const limits = {
    ...CONTACT_LIMITS,
    ...QUEUE_LIMITS,
    waitMs: options.maxWaitMs,
    offerMs: options.offerMs,
    ...world.limits,
  }
  const telephony =
    world.telephony ?? (options.telephony === null ? null : await loadGateway(options.telephony))
  const provider = options.provider ? providerCheck(options.provider, clock) : null
  const wiring = new Wiring({
    ...{
      options,
      database,
      clock,
      storeClock: storeClock ?? clock,
      random,
      limits,
      rates,
      metrics,
      audit,
      origins,
      revocations,
      attachments,
      telephony,
    },
    report,
    isVoid: (principal) =>
      revocations.covers(principal) || (principal.kid !== null && !keys.find(principal.kid)),
    http: http.server,
    checkToken: revocations.guard(
      checkWith({ check: (token) => tokens.check(token), type: TOKEN_TYPE }, provider),
    ),
  })
  return { http, wiring, storeClock }
}

interface OperationParts {
  readonly db: Database['db']
  readonly clock: ServiceClock
  readonly keys: StoredKeys
  readonly wiring: () => Wiring
}

/** What those who run the service may do. */
const operationsOf = ({
  db,
  clock,
  keys,
  wiring,
}: OperationParts): Pick<AdminParts, 'erase' | 'exported' | 'hold' | 'revoke' | 'rotateKeys'> => ({
  erase: (visitor) => wiring().erase(visitor),
  exported: (visitor) => exportVisitor(db, visitor),
  hold: (contact, isHeld) => setHold(db, contact, isHeld ? clock.now() : null),
  revoke: (revoked) => wiring().revoke(revoked),
  rotateKeys: async (voids) => {
    await keys.rotate(clock.now(), voids)
    await wiring().endVoid()
  },
})

/** What rests on the secrets of this deployment. */
async function secretsOf(db: Database['db'], clock: ServiceClock, random: Random) {
  const keys = await loadSigningKeys(db, clock.now())
  const tokens = new Tokens(keys, clock)
  const visitors = new Visitors({
    db,
    tokens,
    clock,
    random,
    secret: await loadSecret(db, 'refresh', random),
  })
  const links = new SignedLinks(await loadSecret(db, 'files', random), () => clock.now())
  const revocations = new Revocations({ db, clock })
  await revocations.load()
  return { keys, tokens, visitors, links, revocations }
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

/** Those who ask while it runs share its outcome: however many ask, it is carried out once at a time. */
function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= run().finally(() => {
      running = null
    }))
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => (running ??= run())
}
