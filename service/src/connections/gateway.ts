import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { Server } from 'socket.io'
import type { Socket } from 'socket.io'
import { ContactError, LIMITS, PROTOCOL_VERSION, isCallName, parseCall } from '../../../protocol/index.ts'
import type { CallName, ErrorCode, Push, Reply } from '../../../protocol/index.ts'
import type { OriginRule } from '../auth/origins.ts'
import type { Principal } from '../auth/principal.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { Random } from '../clock/random.ts'
import type { CheckToken } from '../auth/tokens.ts'
import { auditCall } from '../audit.ts'
import type { Audit } from '../audit.ts'
import type { Metrics } from '../http/metrics.ts'
import { clientAddress, networkOf } from '../limits/client-address.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { storeError } from '../store/database.ts'
import { refusal, wireError } from './wire-error.ts'
import { Caller } from './caller.ts'
import { joinPackets } from './joined-packets.ts'
import { Lease } from './lease.ts'
import { checkRole } from './calls.ts'
import type { Handlers } from './handlers.ts'
import { SocketOutlet } from './packet-sink.ts'

export interface GatewayParts {
  readonly http: HttpServer
  readonly origins: OriginRule
  /** Proxies before the service. */
  readonly proxies: number
  /** A visitor may come without an origin: no browser, local use. */
  readonly lax: boolean
  readonly clock: ServiceClock
  readonly random: Random
  readonly checkToken: CheckToken
  readonly handlers: Handlers
  readonly limits: RateLimits
  readonly metrics: Metrics
  readonly audit: Audit
  /** A connection was made; resolves when that is noted. */
  readonly onConnected: (principal: Principal) => Promise<void>
  readonly onDisconnected: (caller: Caller) => void
  readonly onFault: (thrown: unknown) => void
}

/**
 * Together with the next, how soon a dead connection is noticed: a page that is silent counts as gone within
 * 15 s.
 */
const PING_MS = 3_500
/**
 * With the grace of a lost connection a page that stands still has 70 s, wherever it stood between two pings.
 */
const PONG_MS = 10_000

/** What a browser asks before a request by polling holds for so long. */
const PREFLIGHT_S = 600

/** A stop takes so long for each connection, up to the limit. */
const DRAIN_EACH_MS = 5
const DRAIN_LIMIT_MS = 2_000
/** For what is being answered when a connection is sent away. */
const ANSWER_LIMIT_MS = 5_000

/** What no client of the protocol does time and again. */
const ABUSE: ReadonlySet<ErrorCode> = new Set([
  'invalid_argument',
  'too_large',
  'forbidden',
  'not_found',
  'rate_limited',
])

/** A request with its query as Engine.IO itself has read it. */
type EngineRequest = IncomingMessage & { readonly _query?: Readonly<Record<string, string>> }

/** Who reads the query may take the one or the other. */
function namesTwice({ url = '' }: IncomingMessage): boolean {
  const names = [...new URL(url, 'http://service').searchParams.keys()]
  return new Set(names).size < names.length
}

type Answer = (reply: Reply<unknown>) => void

/** The connections of all parties: checks who comes, hands calls to their handlers, carries pushes. */
export class Gateway {
  readonly #parts: GatewayParts
  readonly #io: Server
  readonly #agents = new Map<string, Set<Socket>>()
  #draining = false
  /** Events that are not of the protocol. */
  ignored = 0

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#io = new Server(parts.http, {
      path: '/v1/link',
      serveClient: false,
      allowEIO3: false,
      perMessageDeflate: false,
      httpCompression: false,
      maxHttpBufferSize: LIMITS.frameBytes,
      pingInterval: PING_MS,
      pingTimeout: PONG_MS,
      connectTimeout: 10_000,
      transports: ['polling', 'websocket'],
      cors: {
        origin: (origin, done) => done(null, parts.origins.allows(origin)),
        methods: ['GET', 'POST'],
        maxAge: PREFLIGHT_S,
      },
      allowRequest: (request, done) =>
        done(null, request.headers.origin === undefined || parts.origins.allows(request.headers.origin)),
    })
    this.#io.engine.use((request: EngineRequest, _response: unknown, next: (error?: Error) => void) =>
      next(
        namesTwice(request) || !this.#isOfItsConnection(request)
          ? new Error('another connection')
          : undefined,
      ),
    )
    this.#io.use((socket, next) => {
      this.#admit(socket).then(
        () => next(),
        (thrown: unknown) => {
          const error = refusal(thrown)
          parts.metrics.add('duolog_refused_connections_total', `code="${error.data.code}"`)
          parts.audit({ who: null, action: 'connect', result: error.data.code })
          next(error)
        },
      )
    })
    this.#io.on('connection', (socket) => this.#welcome(socket))
  }

  get connections(): number {
    return this.#io.of('/').sockets.size
  }

  /** Bytes that wait here for other sides to take them. */
  get waiting(): number {
    return [...this.#io.of('/').sockets.values()].reduce(
      (sum, { data }) => sum + ((data as { sink?: SocketOutlet }).sink?.waiting ?? 0),
      0,
    )
  }

  /** Ends the connections of these parties. Resolves when what they had asked for is answered. */
  async disconnect(whose: (principal: Principal) => boolean): Promise<void> {
    const callers = [...this.#io.of('/').sockets.values()].flatMap((socket) => {
      const { caller } = socket.data as { caller?: Caller }
      if (!caller || !whose(caller.principal)) return []
      socket.disconnect(true)
      return [caller.answered()]
    })
    await Promise.all(callers)
  }

  hasAgent(agent: string): boolean {
    return (this.#agents.get(agent)?.size ?? 0) > 0
  }

  pushToAgent(agent: string, push: Push): void {
    for (const socket of this.#agents.get(agent) ?? []) socket.emit(push.name, push.body)
  }

  /**
   * Sends all connections away, in any order and little by little: so they do not come back, here or on
   * another node, all at once.
   * What they have asked for is answered first. Nobody new is taken.
   */
  async drain(): Promise<void> {
    this.#draining = true
    const sockets = [...this.#io.of('/').sockets.values()]
    const wholeMs = Math.min(sockets.length * DRAIN_EACH_MS, DRAIN_LIMIT_MS)
    await Promise.all(
      sockets.map((socket) =>
        this.#sendAway(socket, (wholeMs * this.#parts.random(2).readUInt16BE()) / 65_536),
      ),
    )
  }

  /** Closes what is left, once what was sent in this turn has gone. */
  async close(): Promise<void> {
    this.#draining = true
    for (const socket of this.#io.of('/').sockets.values()) this.#forget(socket)
    this.#io.disconnectSockets(true)
    await turn()
    this.#io.engine.close()
  }

  async #sendAway(socket: Socket, afterMs: number): Promise<void> {
    await delay(afterMs)
    const { caller } = socket.data as { caller?: Caller }
    socket.offAny()
    await Promise.race([caller?.answered(), delay(ANSWER_LIMIT_MS, undefined, { ref: false })])
    this.#forget(socket)
    socket.disconnect(true)
  }

  /** Its end is not a loss: the sessions go on elsewhere. */
  #forget(socket: Socket): void {
    const { lease } = socket.data as { lease?: Lease }
    lease?.stop()
    socket.removeAllListeners('disconnect')
  }

  /**
   * Who opened a connection sends the same `Authorization` with all its requests, or none with any: its id
   * alone, once stolen, is of no use.
   */
  #isOfItsConnection({ _query, headers }: EngineRequest): boolean {
    const opened = this.#io.engine['clients'][_query?.['sid'] ?? '']?.request?.headers
    return !opened || opened.authorization === headers.authorization
  }

  async #admit(socket: Socket): Promise<void> {
    if (this.#draining) throw new ContactError('offline', 'unable to connect; the service is stopping')
    const { token, protocol } = socket.handshake.auth as Record<string, unknown>
    if (typeof protocol !== 'string' || protocol.split('.')[0] !== PROTOCOL_VERSION.split('.')[0]) {
      throw new ContactError(
        'protocol',
        `unable to connect; this service speaks version ${PROTOCOL_VERSION} of the protocol`,
      )
    }
    const principal = await this.#principalOf(typeof token === 'string' ? token : '', socket)
    this.#parts.limits.take('connects', principal.id)
    socket.data = { principal }
  }

  async #principalOf(token: string, { handshake, request }: Socket): Promise<Principal> {
    const principal = await this.#checkToken(token, networkOf(clientAddress(request, this.#parts.proxies)))
    if (principal.use === 'visitor') this.#checkOrigin(principal.origin, handshake.headers.origin)
    return principal
  }

  /**
   * Only failures count, and only they are refused when there were too many: many parties may share an
   * address.
   */
  async #checkToken(token: string, address: string): Promise<Principal> {
    const { limits, checkToken } = this.#parts
    try {
      return await checkToken(token)
    } catch (thrown) {
      if (thrown instanceof ContactError && thrown.code === 'unauthorized')
        limits.take('failedSignIns', address)
      throw thrown
    }
  }

  /** A visitor's token works only on the pages of the origin that it was given to. */
  #checkOrigin(bound: string, origin: string | undefined): void {
    if (origin === undefined && this.#parts.lax) return
    if (origin !== bound)
      throw new ContactError('unauthorized', 'unable to connect; the token belongs to another origin')
  }

  #welcome(socket: Socket): void {
    const { principal } = socket.data as { principal: Principal }
    const { clock } = this.#parts
    if (principal.use === 'agent')
      this.#agents.set(principal.id, (this.#agents.get(principal.id) ?? new Set()).add(socket))
    const ready = this.#parts.onConnected(principal)
    const noted = ready.catch((thrown: unknown) => {
      this.#parts.onFault(thrown)
      socket.disconnect(true)
    })
    joinPackets(socket)
    const sink = new SocketOutlet(socket)
    const lease = new Lease(
      {
        clock,
        warn: (expiresInMs) => sink.push('link.expiring', { expiresInMs }),
        end: () => sink.close(),
      },
      principal.expires,
    )
    const caller = new Caller(principal, {
      sink,
      ready,
      lease,
      check: (token) => this.#principalOf(token, socket),
    })
    socket.data = { principal, caller, lease, sink }
    socket.onAny((name: string, ...args: unknown[]) => this.#hear(caller, name, args))
    socket.on('disconnect', () => {
      lease.stop()
      // Also where the other side has only signed out: nothing would bound what is left of the connection.
      socket.conn.close()
      if (principal.use === 'agent') this.#dropAgent(principal.id, socket)
      // That it came is stored before it is stored that it went.
      void noted.then(() => this.#parts.onDisconnected(caller))
    })
  }

  #dropAgent(agent: string, socket: Socket): void {
    const sockets = this.#agents.get(agent)
    sockets?.delete(socket)
    if (sockets?.size === 0) this.#agents.delete(agent)
  }

  #hear(caller: Caller, name: string, args: readonly unknown[]): void {
    const [body, answer] = args
    if (args.length !== 2 || typeof answer !== 'function' || !isCallName(name)) {
      this.ignored += 1
      return this.#refused(caller)
    }
    caller.answers(this.#answer(caller, { name, body, answer: answer as Answer }))
  }

  async #answer(
    caller: Caller,
    { name, body, answer }: { name: CallName; body: unknown; answer: Answer },
  ): Promise<void> {
    try {
      await caller.ready
      checkRole(name, caller)
      const { value, afterReply } = await this.#carryOut(caller, name, body)
      answer({ ok: true, value })
      this.#note(caller, { name, body, result: 'ok' })
      afterReply?.()
    } catch (thrown) {
      const error = storeError(thrown)
      if (error.code === 'internal') this.#parts.onFault(thrown)
      answer({ ok: false, error: wireError(error) })
      this.#note(caller, { name, body, result: error.code })
      if (ABUSE.has(error.code)) this.#refused(caller)
    }
  }

  #note(
    { principal }: Caller,
    call: { readonly name: CallName; readonly body: unknown; readonly result: string },
  ): void {
    this.#parts.metrics.add('duolog_calls_total', `call="${call.name}",outcome="${call.result}"`)
    auditCall(this.#parts.audit, principal, call)
  }

  #refused({ principal, sink }: Caller): void {
    if (this.#parts.limits.isAbuse(principal.id)) sink.close()
  }

  #carryOut<N extends CallName>(caller: Caller, name: N, body: unknown): ReturnType<Handlers[N]> {
    const handler: Handlers[N] = this.#parts.handlers[name]
    const args = parseCall(name, body)
    this.#parts.limits.count(caller.principal, name, args)
    return handler(caller, args) as ReturnType<Handlers[N]>
  }
}
