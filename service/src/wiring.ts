import type { Server as HttpServer } from 'node:http'
import type { AttachmentService } from './attachments/index.ts'
import type { Audit } from './audit.ts'
import type { OriginRule } from './auth/origins.ts'
import type { Principal } from './auth/principal.ts'
import type { Revocations, Revoked } from './auth/revocations.ts'
import type { CheckToken } from './auth/tokens.ts'
import { Bus } from './bus/bus.ts'
import type { ServiceClock } from './clock/clock.ts'
import type { Random } from './clock/random.ts'
import type { Caller } from './connections/caller.ts'
import { callHandlers } from './connections/calls.ts'
import { Gateway } from './connections/gateway.ts'
import { Hub } from './connections/hub.ts'
import type { ChangeJob, ContactLimits, SessionRef } from './contacts/index.ts'
import {
  ContactService,
  ContactStore,
  endGrace,
  endLimit,
  loseAllSessions,
  loseSession,
} from './contacts/index.ts'
import { eraseVisitor } from './erasure.ts'
import type { Metrics } from './http/metrics.ts'
import { WriteQueues } from './log/write-queues.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import { LogService } from './log/log-service.ts'
import { flusher } from './log/flush.ts'
import { readLog } from './log/read-log.ts'
import type { Page } from './log/read-log.ts'
import { LostHints } from './lost-hints.ts'
import type { Options } from './options.ts'
import { AgentPresenceService } from './queue/agent-presence.ts'
import { AgentService } from './queue/agent-service.ts'
import { Matcher } from './queue/matcher.ts'
import type { QueueLimits } from './queue/queue-limits.ts'
import { Positions } from './queue/positions.ts'
import { standingOffers } from './queue/standing-offers.ts'
import { strategyOf } from './queue/strategy.ts'
import type { Report } from './report.ts'
import { Retry } from './retry.ts'
import { isBlocked } from './store/database.ts'
import type { Database } from './store/database.ts'
import { Cleaner, RETENTION_RETRY_MS, RETENTION_ROUND_MS } from './store/retention.ts'
import { PhoneCalls } from './telephony/index.ts'
import type { TelephonyGateway } from './telephony/index.ts'
import { setTimer, setTimerOnce } from './timers/timer-rows.ts'
import { TimerService } from './timers/timer-service.ts'
import { Watching } from './watching.ts'

export interface WiringParts {
  readonly options: Options
  readonly database: Database
  readonly clock: ServiceClock
  /** The time of all that stands in the store. */
  readonly storeClock: ServiceClock
  readonly random: Random
  readonly report: Report
  readonly limits: ContactLimits & QueueLimits
  readonly rates: RateLimits
  readonly metrics: Metrics
  readonly audit: Audit
  readonly http: HttpServer
  readonly origins: OriginRule
  readonly checkToken: CheckToken
  readonly revocations: Revocations
  /** Whether the token of a connection has been voided. */
  readonly isVoid: (principal: Principal) => boolean
  readonly attachments: AttachmentService
  /** Null: Voice goes over no telephone. */
  readonly telephony: TelephonyGateway | null
}

const RETENTION = { subject: 'retention', kind: 'retention', key: '' } as const

/** Joins the parts that carry contacts. */
export class Wiring {
  readonly #parts: WiringParts
  readonly #bus: Bus
  readonly #retry: Retry
  readonly #hub: Hub
  readonly #store: ContactStore
  readonly #agents: AgentService
  readonly #presence: AgentPresenceService
  readonly #positions: Positions
  readonly #matcher: Matcher
  readonly #timers: TimerService
  readonly #cleaner: Cleaner
  readonly #gateway: Gateway
  readonly #phones: PhoneCalls | null
  readonly #hints: LostHints
  readonly #watching: Watching
  #leaving = false
  #stopping = false

  constructor(parts: WiringParts) {
    const { database, storeClock: clock, random, limits, report, options } = parts
    const { db } = database
    const onFault = report.fault
    this.#parts = parts
    this.#bus = new Bus(onFault)
    this.#retry = new Retry(onFault)
    this.#hub = new Hub({ read: (contact, page) => readLog(db, contact, page), onFault })
    const flush = flusher({
      pool: database.pool,
      bus: this.#bus,
      clock,
      onLag: (contact) =>
        void this.#store.refreshSnapshot(contact, this.#hub.stateOf(contact)).catch(onFault),
    })
    const queues = new WriteQueues<ChangeJob>({
      flush,
      isBlocked,
      carryOut: (jobs, waits) => this.#store.carryOut(jobs, waits),
      lockKey: (job) => job.lockKey,
    })
    this.#store = new ContactStore({ db, queues, bus: this.#bus, world: { clock, random, limits } })
    const strategy = strategyOf(options.strategy, options.tuning)
    this.#agents = new AgentService({
      db,
      store: this.#store,
      bus: this.#bus,
      clock,
      random,
      pausesOnExpiry: strategy.pausesOnExpiry,
    })
    this.#presence = new AgentPresenceService({ db, store: this.#store, bus: this.#bus, clock, limits })
    this.#positions = new Positions({
      db,
      clock,
      open: () => this.#hub.ids(),
      tell: (body) => this.#hub.tellVisitor(body.contact, 'contact.queue', body),
      onFault,
    })
    this.#matcher = new Matcher({
      db,
      bus: this.#bus,
      clock,
      strategy,
      limits,
      onNotTaken: (contact) => this.#agents.notTaken(contact),
      onRound: () => this.#positions.moved(),
      onFault,
    })
    this.#timers = new TimerService({ db, clock, onFault })
    this.#cleaner = this.#makeCleaner()
    this.#hints = new LostHints({ db, hub: this.#hub, before: () => this.#beforeComparison(), onFault })
    this.#phones =
      parts.telephony &&
      new PhoneCalls({
        gateway: parts.telephony,
        store: this.#store,
        clock,
        random,
        retry: this.#retry,
        onFault,
      })
    this.#watching = new Watching({ metrics: parts.metrics, db, clock, kinds: () => this.#timers.kinds })
    this.#gateway = this.#makeGateway(
      new LogService({ queues: this.#watching.timed(queues), store: this.#store }),
    )
    this.#subscribe()
    this.#measure(queues)
  }

  async start(): Promise<void> {
    const { database, storeClock: clock, limits } = this.#parts
    await loseAllSessions(database.db, clock.now() + limits.graceMs)
    await this.#presence.loseAll()
    await setTimerOnce(database.db, { ...RETENTION, due: clock.now() })
    await this.#phones?.start()
    this.#timers.start()
    void this.#parts.attachments.folder.count().catch(this.#parts.report.fault)
    this.#matcher.request()
    this.#hints.start()
  }

  /** Changes a contact in one transaction. */
  change: ContactStore['change'] = (contact, work, demands) => this.#store.change(contact, work, demands)

  /**
   * Removes everything of a visitor, and ends what they have open.
   * @throws {@link ContactError} `invalid_state`: a contact is under a legal hold
   */
  async erase(visitor: string): Promise<readonly string[]> {
    const { database, attachments } = this.#parts
    const parts = {
      db: database.db,
      store: this.#store,
      revoke: () => this.revoke({ use: 'visitor', id: visitor }),
      unlink: (files: readonly string[]) => attachments.unlink(files),
      gone: (contacts: readonly string[]) => {
        for (const contact of contacts) {
          this.#hub.drop(contact)
          this.#phones?.look(contact)
        }
      },
    }
    return eraseVisitor(parts, visitor)
  }

  /** Voids tokens, those of uploads too, and ends the connections that were made with them. */
  async revoke({ use, id }: Revoked): Promise<void> {
    await this.#parts.revocations.revoke({ use, id })
    await this.endVoid()
    await this.#parts.attachments.giveUp({ use, id })
  }

  /** Ends the connections whose tokens are void. */
  endVoid(): Promise<void> {
    return this.#gateway.disconnect(this.#parts.isVoid)
  }

  /** It is about to stop. */
  withdraw(): void {
    this.#leaving = true
  }

  /** Another process has the database: from now on no call is answered here. */
  disown(): void {
    this.#leaving = true
    this.#gateway.disown()
  }

  /** Whether nobody should come here any more. */
  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Sends the connections away. */
  async stop(): Promise<void> {
    this.#leaving = this.#stopping = true
    this.#hints.stop()
    this.#retry.stop()
    this.#watching.stop()
    await this.#gateway.drain()
    await this.#gateway.close()
    await this.#phones?.stop()
  }

  /** Lets what runs come to its end. */
  async settle(): Promise<void> {
    await this.#timers.stop()
    await this.#matcher.stop()
    await this.#positions.stop()
    await this.#cleaner.stop()
  }

  #makeGateway(log: LogService): Gateway {
    const { http, origins, checkToken, options, report, clock, storeClock, random, database } = this.#parts
    const onFault = report.fault
    const readerOf = (contact: string) => (page: Page) => readLog(database.db, contact, page)
    const handlers = callHandlers({
      contacts: new ContactService(this.#store, random),
      log,
      agents: this.#agents,
      presence: this.#presence,
      hub: this.#hub,
      clock,
      ice: options.ice,
      attachments: this.#parts.attachments,
      telephony: this.#phones && { opened: (contact) => this.#phones?.look(contact) },
      onStarted: (contact) => this.#positions.opened(contact),
      onLost: (session) => this.#lose(session),
      readerOf,
      onFault,
    })
    return new Gateway({
      ...{
        http,
        origins,
        checkToken,
        clock,
        random,
        limits: this.#parts.rates,
        metrics: this.#parts.metrics,
        audit: this.#parts.audit,
        handlers,
        onFault,
        lax: options.mode === 'local',
        proxies: options.proxies,
      },
      standing: async (agent, contact) =>
        (await standingOffers(database.db, { agent, contact, now: storeClock.now() }))[0] ?? null,
      onConnected: (principal) =>
        principal.use === 'agent' ? this.#presence.connected(principal) : Promise.resolve(),
      onDisconnected: (caller) => void this.#onDisconnected(caller).catch(onFault),
    })
  }

  #subscribe(): void {
    this.#bus.on('appended', ({ contact, entries }) => this.#hub.appended(contact, entries))
    this.#bus.on('appended', ({ contact, entries }) => this.#phones?.appended(contact, entries))
    this.#bus.on('appended', ({ entries }) =>
      this.#parts.metrics.add('duolog_entries_total', '', entries.length),
    )
    this.#bus.on('agent', ({ agent, push }) => this.#gateway.pushToAgent(agent, push))
    this.#bus.on('match', () => this.#matcher.request())
    this.#bus.on(
      'uploadsDropped',
      ({ ids }) => void this.#parts.attachments.unlink(ids).catch(this.#parts.report.fault),
    )
    this.#bus.on('timer', ({ due }) => this.#timers.wake(due))
    this.#timers.handle('contact', (timer) => endLimit(this.#store, timer))
    this.#timers.handle('absence', (timer) => endGrace(this.#store, timer))
    this.#timers.handle('offer', (timer) => this.#agents.endOffer(timer))
    this.#timers.handle('agent', (timer) => this.#presence.endGrace(timer))
    this.#timers.handle('retention', async () => {
      await this.#cleanIn(RETENTION_ROUND_MS)
      this.#cleaner.request()
    })
    this.#timers.handle('match', async () => {
      await this.#parts.database.db
        .deleteFrom('timers')
        .where('kind', '=', 'match')
        .where('due', '<=', this.#parts.storeClock.now())
        .execute()
      this.#matcher.request()
    })
  }

  #makeCleaner(): Cleaner {
    const { database, storeClock: clock, options, attachments, report } = this.#parts
    return new Cleaner({
      ...{ db: database.db, clock, keep: options.retention, onFault: report.fault },
      files: { unlink: (ids) => attachments.unlink(ids), sweep: () => attachments.sweep() },
      onUnfinished: () => this.#retry.run('retention', () => this.#cleanIn(RETENTION_RETRY_MS)),
    })
  }

  async #cleanIn(delayMs: number): Promise<void> {
    const due = this.#parts.storeClock.now() + delayMs
    await setTimer(this.#parts.database.db, { ...RETENTION, due })
    this.#timers.wake(due)
  }

  /** Numbers for `/metrics`. */
  #measure(queues: WriteQueues<ChangeJob>): void {
    const { metrics, database } = this.#parts
    metrics.gauge('duolog_connections', 'Open connections.', () => this.#gateway.connections)
    metrics.gauge('duolog_open_contacts', 'Contacts with an open channel.', () => this.#hub.size.contacts)
    metrics.gauge('duolog_channels', 'Open channels.', () => this.#hub.size.channels)
    metrics.gauge('duolog_waiting_appends', 'Appends that wait for the store.', () => queues.depth)
    metrics.gauge(
      'duolog_store_connections_waiting',
      'Statements that wait for a connection to the store.',
      () => database.pool.waitingCount,
    )
    metrics.gauge(
      'duolog_file_bytes',
      'Bytes of all files, those that are still to come included.',
      () => this.#parts.attachments.folder.total,
    )
    metrics.gauge(
      'duolog_waiting_bytes',
      'Bytes that wait for parties to take them.',
      () => this.#gateway.waiting,
    )
    metrics.gauge(
      'duolog_ignored_events',
      'Events that are not of the protocol.',
      () => this.#gateway.ignored,
    )
  }

  async #onDisconnected(caller: Caller): Promise<void> {
    const { principal } = caller
    if (principal.use === 'agent' && !this.#gateway.hasAgent(principal.id)) {
      this.#retry.run(`agent ${principal.id}`, () =>
        this.#presence.disconnected(principal.id, () => this.#gateway.hasAgent(principal.id)),
      )
    }
    await caller.eachChannel((channel) => {
      if (!this.#stopping && this.#hub.detach(channel)) this.#lose(channel)
    })
  }

  /** A session has lost its connection. */
  #lose({ contact, session }: SessionRef): void {
    this.#retry.run(`session ${contact} ${session}`, () =>
      loseSession(this.#store, { contact, session, isOpen: () => this.#hub.isOpen(contact, session) }),
    )
  }

  /** Offers that nobody was told to make, calls whose end nobody heard of, what was revoked elsewhere. */
  async #beforeComparison(): Promise<void> {
    this.#matcher.request()
    this.#phones?.lookAtAll()
    await this.#parts.revocations.load()
    await this.endVoid()
  }
}
