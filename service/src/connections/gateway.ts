import type { Server as HttpServer } from 'node:http'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { Server, Socket } from 'socket.io'
import { ContactError } from '../../../protocol/index.ts'
import type { Distribution, Push } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { Admission } from './admission.ts'
import type { AdmissionParts } from './admission.ts'
import { countArrivingBytes } from './arriving-bytes.ts'
import { CallAnswers } from './call-answers.ts'
import type { CallAnswersParts } from './call-answers.ts'
import { Caller } from './caller.ts'
import { linkServer } from './link-server.ts'
import type { LinkServerOptions } from './link-server.ts'
import { coalescePackets } from './coalesced-packets.ts'
import { announceLargePackets } from './large-packets.ts'
import { Lease } from './lease.ts'
import { OfferPushes } from './offer-pushes.ts'
import { SocketSink } from './packet-sink.ts'
import type { OfferEvidence } from '../queue/offer-evidence.ts'
import { refusal } from './wire-error.ts'

export interface GatewayParts extends AdmissionParts, CallAnswersParts, LinkServerOptions {
  readonly http: HttpServer
  readonly clock: ServiceClock
  readonly random: Random
  /** The current offer of a contact to an agent; null where it is over. */
  readonly standing: (agent: string, contact: string) => Promise<Distribution | null>
  /** Whether this node may take connections at the moment. */
  readonly isOpen: () => boolean
  /** Notes what offers have come to; null: nobody asks. */
  readonly evidence: Pick<OfferEvidence, 'told' | 'seen'> | null
  /** Called for each new connection, with its id. Resolves when it is stored. */
  readonly onConnected: (principal: Principal, id: string) => Promise<void>
  readonly onDisconnected: (caller: Caller) => void
  /**
   * At a stop: in this time at most, milliseconds, the connections are asked to go elsewhere. 0: they are ended
   * within 2 s without being asked.
   */
  readonly drainTimeMs: number
}

/** The time between two connections that are ended or asked to go during a stop, up to a total limit. */
const DRAIN_EACH_MS = 5
const DRAIN_LIMIT_MS = 2_000
/** A page that was asked to go does so within this after its last answer, or does not know how. */
const GO_MS = 1_000
/** How long a connection that is closed waits for its answers. */
const ANSWER_LIMIT_MS = 5_000

/** The connections of all parties: admits them, answers their calls and sends them pushes. */
export class Gateway {
  readonly #parts: GatewayParts
  readonly #io: Server
  readonly #agents = new Map<string, Set<Socket>>()
  readonly #admission: Admission
  readonly #answers: CallAnswers
  /** Connections over which a party signs in or has signed in. */
  readonly #taken = new WeakSet<Socket['conn']>()
  #draining = false

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#admission = new Admission(parts)
    this.#answers = new CallAnswers(parts)
    this.#io = linkServer(parts.http, parts)
    this.#io.use((socket, next) => {
      this.#admit(socket).then(
        () => next(),
        (thrown: unknown) => {
          const error = refusal(thrown)
          parts.metrics.add('duolog_refused_connections_total', `code="${error.data.code}"`)
          parts.audit({ who: null, action: 'connect', result: error.data.code })
          parts.debug('a connection is refused', { code: error.data.code })
          next(error)
        },
      )
    })
    this.#io.on('connection', (socket) => this.#welcome(socket))
  }

  get connections(): number {
    return this.#io.of('/').sockets.size
  }

  /** Number of events that the protocol does not define. */
  get ignored(): number {
    return this.#answers.ignored
  }

  /** Bytes that wait for connections to take them. */
  get waiting(): number {
    return [...this.#io.of('/').sockets.values()].reduce(
      (sum, { data }) => sum + ((data as { sink?: SocketSink }).sink?.waiting ?? 0),
      0,
    )
  }

  /** Closes the connections of these parties. Resolves when their open calls are answered. */
  async disconnect(whose: (principal: Principal) => boolean): Promise<void> {
    const callers = [...this.#io.of('/').sockets.values()].flatMap((socket) => {
      const { caller } = socket.data as { caller?: Caller }
      if (!caller || !whose(caller.principal)) return []
      socket.disconnect(true)
      return [caller.answered()]
    })
    await Promise.all(callers)
  }

  /** Refuses every open call, because another process has taken the database. */
  disown(): void {
    this.#draining = true
    this.#answers.disown()
  }

  pushToAgent(agent: string, push: Push): void {
    for (const offers of offersOf(this.#agents.get(agent) ?? [])) offers.push(push)
  }

  /** What the connections of agents are told, by agent. */
  get agents(): ReadonlyMap<string, readonly OfferPushes[]> {
    return new Map([...this.#agents].map(([agent, sockets]) => [agent, offersOf(sockets)]))
  }

  /**
   * Asks all connections one by one to go to another node, and closes those that do not, so that they do not
   * all reconnect at once. Open calls are answered first, and no new connection is admitted.
   */
  async drain(): Promise<void> {
    this.#draining = true
    const { drainTimeMs, random } = this.#parts
    const sockets = [...this.#io.of('/').sockets.values()]
    const wholeMs = Math.min(sockets.length * DRAIN_EACH_MS, drainTimeMs || DRAIN_LIMIT_MS)
    await Promise.all(
      sockets.map(async (socket) => {
        await delay((wholeMs * random(2).readUInt16BE()) / 65_536)
        if (drainTimeMs > 0) await askToGo(socket)
        await this.#end(socket)
      }),
    )
  }

  /** Ends all connections within 2 s, one by one, whatever is under way on them. */
  async sendAway(): Promise<void> {
    await Promise.all(
      [...this.#io.of('/').sockets.values()].map(async (socket) => {
        await delay((DRAIN_LIMIT_MS * this.#parts.random(2).readUInt16BE()) / 65_536)
        socket.disconnect(true)
      }),
    )
  }

  /** Closes the server after the packets of this turn were sent. */
  async close(): Promise<void> {
    this.#draining = true
    for (const socket of this.#io.of('/').sockets.values()) this.#forget(socket)
    this.#io.disconnectSockets(true)
    await turn()
    this.#io.engine.close()
  }

  /** Closes a connection after its answers. */
  async #end(socket: Socket): Promise<void> {
    socket.offAny()
    await Promise.race([answersOf(socket), delay(ANSWER_LIMIT_MS, undefined, { ref: false })])
    this.#forget(socket)
    socket.disconnect(true)
  }

  /** The end of this connection is no loss: its sessions continue elsewhere. */
  #forget(socket: Socket): void {
    const { lease } = socket.data as { lease?: Lease }
    lease?.stop()
    socket.removeAllListeners('disconnect')
  }

  async #admit(socket: Socket): Promise<void> {
    if (this.#draining) throw new ContactError('offline', 'unable to connect; the service is stopping')
    if (!this.#parts.isOpen())
      throw new ContactError('offline', 'unable to connect; this node is out of touch with the others')
    const { conn } = socket
    if (this.#taken.has(conn))
      throw new ContactError('forbidden', 'unable to connect; this connection belongs to a party already')
    this.#taken.add(conn)
    try {
      socket.data = { principal: await this.#admission.admit(socket) }
    } catch (thrown) {
      this.#taken.delete(conn)
      throw thrown
    }
  }

  #welcome(socket: Socket): void {
    const { principal } = socket.data as { principal: Principal }
    const { clock, random } = this.#parts
    const id = randomId(random, 'l-')
    if (principal.use === 'agent') this.#addAgent(principal.id, socket)
    this.#noteLife(socket, { connection: id, use: principal.use })
    const ready = this.#parts.onConnected(principal, id)
    const noted = ready.catch((thrown: unknown) => {
      this.#parts.onFault(thrown)
      socket.disconnect(true)
    })
    coalescePackets(socket)
    const sink = new SocketSink(socket)
    countArrivingBytes(socket, () => sink.push('link.arriving', {}))
    announceLargePackets(socket, () => sink.inTransit)
    const lease = new Lease(
      {
        clock,
        warn: (expiresInMs) => sink.push('link.expiring', { expiresInMs }),
        end: () => sink.close(),
      },
      principal.expires,
    )
    const caller = new Caller(principal, {
      id,
      sink,
      ready,
      lease,
      offers: this.#offersOf(principal, sink),
      check: (token) => this.#admission.principalOf(token, socket),
    })
    socket.data = { principal, caller, lease, sink }
    socket.onAny((name: string, ...args: unknown[]) => this.#answers.hear(caller, name, args))
    socket.on('disconnect', () => {
      lease.stop()
      // Also where the other side has only signed out: nothing would bound what is left of the connection.
      socket.conn.close()
      if (principal.use === 'agent') this.#dropAgent(principal.id, socket)
      // That it came is stored before it is stored that it went.
      void noted.then(() => this.#parts.onDisconnected(caller))
    })
  }

  /** Says that a connection has opened, and why it has closed. */
  #noteLife(socket: Socket, facts: { readonly connection: string; readonly use: Principal['use'] }): void {
    const { debug } = this.#parts
    const since = performance.now()
    debug('a connection has opened', { ...facts, transport: socket.conn.transport.name })
    socket.on('disconnect', (reason) =>
      debug('a connection has closed', { ...facts, reason, ms: Math.round(performance.now() - since) }),
    )
  }

  #offersOf({ use, id }: Principal, sink: SocketSink): OfferPushes | null {
    const { standing, evidence, onFault } = this.#parts
    if (use !== 'agent') return null
    return new OfferPushes({
      sink,
      standing: (contact) => standing(id, contact),
      evidence: evidence && {
        told: (contact) => evidence.told({ contact, agent: id }),
        seen: (contact) => evidence.seen({ contact, agent: id }),
      },
      onFault,
    })
  }

  #addAgent(agent: string, socket: Socket): void {
    this.#agents.set(agent, (this.#agents.get(agent) ?? new Set()).add(socket))
  }

  #dropAgent(agent: string, socket: Socket): void {
    const sockets = this.#agents.get(agent)
    sockets?.delete(socket)
    if (sockets?.size === 0) this.#agents.delete(agent)
  }
}

const answersOf = async ({ data }: Socket): Promise<void> => (data as { caller?: Caller }).caller?.answered()

/** Resolves when the page has gone, or does not go. Its calls are taken until then. */
async function askToGo(socket: Socket): Promise<void> {
  if (!socket.connected) return
  const over = new AbortController()
  const gone = new Promise<void>((settle) => socket.once('disconnect', () => settle()))
  const { signal } = over
  const stays = async (): Promise<void> => {
    await Promise.race([answersOf(socket), delay(ANSWER_LIMIT_MS, undefined, { signal })])
    await delay(GO_MS, undefined, { signal })
  }
  ;(socket.data as { sink?: SocketSink }).sink?.push('link.drain', {})
  await Promise.race([gone, stays()])
  over.abort()
}

const offersOf = (sockets: Iterable<Socket>): OfferPushes[] =>
  [...sockets].flatMap(({ data }) => (data as { caller?: Caller }).caller?.offers ?? [])
