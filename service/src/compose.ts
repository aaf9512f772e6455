/** The composition root: creates the parts of the service and joins them. */
import type { FastifyInstance } from 'fastify'
import { AttachmentService, SignedLinks } from './attachments/index.ts'
import type { AttachmentParts, FileStorage } from './attachments/index.ts'
import { fileAudit } from './audit.ts'
import type { Audit } from './audit.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import { driverOf, joinNodes } from './cluster/join-nodes.ts'
import type { NodeLink } from './cluster/node-link.ts'
import { SIGNS_AFTER_MS, loadSecret, loadSigningKeys } from './auth/keys.ts'
import type { StoredKeys } from './auth/keys.ts'
import { originRule } from './auth/origins.ts'
import { backChannel } from './auth/back-channel.ts'
import { refused } from './auth/claims.ts'
import { identityCheck } from './auth/identities.ts'
import { ProviderKeys } from './auth/provider-keys.ts'
import { checkWith, providerCheck } from './auth/provider.ts'
import { Revocations } from './auth/revocations.ts'
import { TOKEN_TYPE, Tokens } from './auth/tokens.ts'
import { Visitors } from './auth/visitors.ts'
import { systemClock } from './clock/clock.ts'
import type { ServiceClock } from './clock/clock.ts'
import { systemRandom } from './clock/random.ts'
import type { Random } from './clock/random.ts'
import { StoreClock } from './clock/store-clock.ts'
import { BackEndReader, CONTACT_LIMITS, writeMessage } from './contacts/index.ts'
import type { AdminParts } from './http/admin.ts'
import type { BackEndParts } from './http/back-end.ts'
import type { Metrics } from './http/metrics.ts'
import { httpServer } from './http/server.ts'
import type { HttpParts } from './http/server.ts'
import { PRODUCTION_RATES, RateLimits } from './limits/rate-limits.ts'
import type { Options } from './options.ts'
import { QUEUE_LIMITS } from './queue/queue-limits.ts'
import type { Report } from './report.ts'
import type { ServiceWorld } from './service-world.ts'
import type { Database } from './store/database.ts'
import { exportVisitor } from './store/export.ts'
import { setHold } from './store/holds.ts'
import { loadGateway } from './telephony/index.ts'
import type { TelephonyGateway } from './telephony/index.ts'
import { Wiring } from './wiring.ts'
import type { WiringParts } from './wiring.types.ts'

/** What is opened before the parts are created. */
export interface Resources {
  readonly report: Report
  readonly metrics: Metrics
  readonly database: Database
  readonly storage: FileStorage
}

export interface Composition {
  readonly http: FastifyInstance
  readonly wiring: Wiring
  /** Null where a test injects the clock. */
  readonly storeClock: StoreClock | null
  readonly node: ClusterNode
}

export async function compose(
  options: Options,
  world: ServiceWorld,
  { report, metrics, database, storage }: Resources,
): Promise<Composition> {
  const { db } = database
  const { clock, random, monotonic, storeClock, time } = timesOf(world, { report, database })
  await storeClock?.start()
  const { fault: onFault, debug } = report
  const { origins, rates, audit, limits } = rulesOf(options, world, { clock, monotonic, onFault })
  const signsAfterMs = driverOf(options, world) ? SIGNS_AFTER_MS : 0
  const auth = await authOf(db, { clock, random, storeClock: time, signsAfterMs })
  const { keys, tokens, visitors, links, revocations } = auth
  const attachments = new AttachmentService({
    ...{ db, storage, links, clock, random, rates, monotonic, options: options.files, onFault },
    change: (contact, work, demands) => wiring.change(contact, work, demands),
    nodes: uploadNodes(() => ({ node, link })),
  })
  const ping = singleFlight(async () => (await database.pool.query('select 1')).rowCount === 1)
  const { folders, adminToken, maxConnections, proxies, provider, consoleParents } = options
  const { checkToken, isVoid, loggedOut, identify } = tokenChecks(options, clock, auth)
  const http = await httpServer({
    ...{ visitors, tokens, origins, rates, folders, metrics, attachments, maxConnections, proxies },
    ...{ audit, adminToken, local: options.mode === 'local', onFault, debug },
    ...{ provider, consoleParents, checkToken, loggedOut, identify, contacts: new BackEndReader(db) },
    ...operationsOf({ db, clock, keys, wiring: () => wiring }),
    // Several nodes stay while the store is out for all of them: nobody could take their place.
    isReady: async () => node.isReady && (!node.isAlone || ping()),
  })
  const telephony = await telephonyOf(options, world)
  const { node, link, sweeper } = await joinNodes(options, world, {
    ...{ db, clock, random, metrics, monotonic, storeClock: time, graceMs: limits.graceMs },
    ...{ onFault, debug, sendAway: () => wiring.sendAway(), sweep: () => wiring.sweep() },
  })
  const wiring: Wiring = new Wiring({
    ...{ options, database, clock, random, limits, rates, metrics, audit, origins, revocations, keys },
    ...{ attachments, report, storeClock: time, http: http.server },
    ...{ telephony, node, link, sweeper, checkToken, isVoid },
  })
  return { http, wiring, storeClock, node }
}

/** The times that the parts go by. `time`: that of everything in the store. */
function timesOf(world: ServiceWorld, { report, database }: Pick<Resources, 'report' | 'database'>) {
  const [clock, random] = [world.clock ?? systemClock(), world.random ?? systemRandom]
  // A test's clock is its monotonic time, and that of the store, too.
  const monotonic = world.clock ? () => clock.now() : () => performance.now()
  const storeClock = world.clock
    ? null
    : new StoreClock({ machine: clock, monotonic }, database.pool, report.fault)
  return { clock, random, monotonic, storeClock, time: storeClock ?? clock }
}

interface RuleParts {
  readonly clock: ServiceClock
  readonly monotonic: () => number
  readonly onFault: (thrown: unknown) => void
}

/** The rules and limits that the options set. */
function rulesOf(
  options: Options,
  world: ServiceWorld,
  { clock, monotonic, onFault }: RuleParts,
): Pick<WiringParts, 'origins' | 'rates' | 'audit' | 'limits'> {
  const local = options.mode === 'local'
  const audit: Audit =
    world.audit ?? (options.audit === null ? () => {} : fileAudit(options.audit, () => clock.now(), onFault))
  return {
    origins: originRule({ origins: options.origins, loopback: local }),
    rates: new RateLimits(world.rates ?? (local ? {} : PRODUCTION_RATES), { now: monotonic }),
    audit,
    limits: {
      ...CONTACT_LIMITS,
      ...QUEUE_LIMITS,
      waitMs: options.maxWaitMs,
      laterMs: options.laterMs,
      offerMs: options.offerMs,
      ...world.limits,
    },
  }
}

async function telephonyOf(options: Options, world: ServiceWorld): Promise<TelephonyGateway | null> {
  if (world.telephony) return world.telephony
  return options.telephony === null ? null : loadGateway(options.telephony)
}

interface TokenParts {
  readonly keys: StoredKeys
  readonly tokens: Tokens
  readonly revocations: Revocations
}

/** Reads identities of visitors that are not revoked. */
function identifyWith(
  { identities }: Options,
  clock: ServiceClock,
  revocations: Revocations,
): HttpParts['identify'] {
  if (!identities) return null
  const check = identityCheck(identities, clock)
  return async (token) => {
    const identity = await check(token)
    const { id, issued, jti } = identity
    if (revocations.covers({ use: 'visitor', id, issued, jti, origin: '', kid: null, expires: 0 }))
      throw refused()
    return identity
  }
}

/** How the token of a connection is checked, at its start and later. */
function tokenChecks(
  options: Options,
  clock: ServiceClock,
  { keys, tokens, revocations }: TokenParts,
): Pick<WiringParts, 'checkToken' | 'isVoid'> & Pick<HttpParts, 'loggedOut' | 'identify'> {
  const { provider } = options
  const known = provider && new ProviderKeys(provider.jwks, clock)
  const own = { check: (token: string) => tokens.check(token), type: TOKEN_TYPE }
  return {
    checkToken: revocations.guard(checkWith(own, provider && known && providerCheck(provider, clock, known))),
    isVoid: (principal) =>
      revocations.covers(principal) || (principal.kid !== null && !keys.find(principal.kid)),
    identify: identifyWith(options, clock, revocations),
    loggedOut: provider && known && backChannel(provider, clock, known.find),
  }
}

interface OperationParts {
  readonly db: Database['db']
  readonly clock: ServiceClock
  readonly keys: StoredKeys
  readonly wiring: () => Wiring
}

/** The other nodes, which this process joins after its parts are made. */
const uploadNodes = (
  joined: () => { readonly node: ClusterNode; readonly link: NodeLink },
): AttachmentParts['nodes'] => ({
  node: () => joined().node.id,
  isAlone: () => joined().node.isAlone,
  askRelease: (holder, upload) => void joined().link.tell(holder, 'release', { upload }),
})

/** The operations of the admin routes, and what the back end writes. */
const operationsOf = ({
  db,
  clock,
  keys,
  wiring,
}: OperationParts): Pick<AdminParts, 'erase' | 'exported' | 'hold' | 'revoke' | 'rotateKeys'> &
  Pick<BackEndParts, 'write'> => ({
  write: (contact, message) => wiring().change(contact, (change) => writeMessage(change, message)),
  erase: (visitor) => wiring().erase(visitor),
  exported: (visitor) => exportVisitor(db, visitor),
  hold: (contact, isHeld) => setHold(db, contact, isHeld ? clock.now() : null),
  revoke: (revoked) => wiring().tokens.revoke(revoked),
  rotateKeys: async (voids) => {
    await keys.rotate(clock.now(), voids)
    await (voids ? wiring().tokens.endSigned() : wiring().tokens.disconnect())
  },
})

interface AuthWorld {
  readonly clock: ServiceClock
  /** The time of everything in the store. */
  readonly storeClock: ServiceClock
  readonly random: Random
  /** From the making of a key to its first signature. */
  readonly signsAfterMs: number
}

/** The parts that need the secrets of this deployment. */
async function authOf(db: Database['db'], { clock, random, storeClock, signsAfterMs }: AuthWorld) {
  const keys = await loadSigningKeys(db, () => storeClock.now(), signsAfterMs)
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

/** Callers that come while a run is in progress share its result. */
function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= run().finally(() => {
      running = null
    }))
}
