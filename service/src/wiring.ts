import { LocalBus } from './bus/local-bus.ts'
import { ClusterHub } from './cluster/cluster-hub.ts'
import type { Caller } from './connections/caller.ts'
import { callHandlers } from './connections/calls.ts'
import { Gateway } from './connections/gateway.ts'
import type { Channel } from './connections/channel.ts'
import type { Handlers } from './connections/handlers.ts'
import { compareOffers } from './connections/offer-comparison.ts'
import type { Hub } from './connections/hub.ts'
import type { ChangeJob } from './contacts/index.ts'
import { ContactService, ContactStore, loseSession } from './contacts/index.ts'
import { eraseVisitor } from './erasure.ts'
import { registerGauges } from './gauges.ts'
import { WriteQueues } from './log/write-queues.ts'
import { LogService } from './log/log-service.ts'
import { flusher } from './log/flush.ts'
import { readLog } from './log/read-log.ts'
import { createQueue } from './queue/create-queue.ts'
import type { Queue } from './queue/create-queue.ts'
import { offersTo } from './queue/offer-rows.ts'
import { standingOffers } from './queue/standing-offers.ts'
import { strategyOf } from './queue/strategy.ts'
import { DeskService } from './desk/desk-service.ts'
import { RetentionRounds } from './retention-rounds.ts'
import { Retry } from './retry.ts'
import { isBlocked } from './store/database.ts'
import { createPhones } from './telephony/index.ts'
import type { PhoneCalls } from './telephony/index.ts'
import { handleTimers } from './timers/handle-timers.ts'
import { TimerService } from './timers/timer-service.ts'
import { LoadMonitor } from './load-monitor.ts'
import { VoidTokens } from './void-tokens.ts'
import type { WebhookService } from './webhooks/webhook-service.ts'
import { webhooksOf } from './webhooks/webhooks-of.ts'
import type { WiringParts } from './wiring.types.ts'

/** Joins the parts that carry contacts. */
export class Wiring {
  readonly tokens: VoidTokens
  readonly #parts: WiringParts
  readonly #bus: LocalBus
  readonly #retry: Retry
  readonly #cluster: ClusterHub
  readonly #hub: Hub
  readonly #store: ContactStore
  readonly #queue: Queue
  readonly #timers: TimerService
  readonly #retention: RetentionRounds
  readonly #gateway: Gateway
  readonly #phones: PhoneCalls | null
  readonly #load: LoadMonitor
  readonly #webhooks: WebhookService
  #stopping = false

  constructor(parts: WiringParts) {
    const { database, storeClock: clock, random, limits, report, options, metrics, node } = parts
    const { db } = database
    const { fault: onFault, debug } = report
    this.#parts = parts
    this.#bus = new LocalBus(onFault)
    this.#retry = new Retry(onFault)
    this.#cluster = this.#makeCluster()
    this.#hub = this.#cluster.hub
    const queues = this.#makeQueues()
    this.#store = new ContactStore({ db, queues, bus: this.#bus, metrics, world: { clock, random, limits } })
    this.#queue = createQueue({
      ...{ db, store: this.#store, bus: this.#bus, clock, random, limits, node, metrics, onFault },
      isOneOfMany: () => !node.isAlone,
      strategy: strategyOf(options.strategy, options.tuning),
      open: () => this.#hub.ids(),
      isQueued: (contact) => this.#hub.stateOf(contact)?.life === 'queued',
      tell: (body) => this.#hub.tellVisitor(body.contact, 'contact.queue', body),
    })
    this.#timers = new TimerService({ db, node, clock, debug, onFault })
    this.#retention = new RetentionRounds({
      ...{ db, clock, timers: this.#timers, retry: this.#retry, debug, onFault },
      ...{ keep: options.retention, attachments: parts.attachments },
    })
    const phoneParts = { db, node, clock, random, onFault, store: this.#store, retry: this.#retry }
    this.#phones = createPhones(parts.telephony, phoneParts)
    this.#load = new LoadMonitor({ metrics, db, clock, kinds: () => this.#timers.kinds })
    this.#webhooks = webhooksOf(parts, this.#bus)
    const log = new LogService({ queues: this.#load.timed(queues), store: this.#store })
    this.#gateway = this.#makeGateway(this.#makeHandlers(log))
    this.tokens = new VoidTokens({
      ...{ revocations: parts.revocations, attachments: parts.attachments, isVoid: parts.isVoid },
      ...{ gateway: this.#gateway, tellOthers: () => this.#cluster.revoked() },
    })
    this.#subscribe()
    this.#registerGauges(queues)
  }

  async start(): Promise<void> {
    if (this.#parts.node.isAlone) await this.#queue.presence.loseUnnoted()
    await this.sweep()
    await this.#retention.start()
    await this.#webhooks.start()
    await this.#phones?.start()
    this.#timers.start()
    void this.#parts.attachments.files.count().catch(this.#parts.report.fault)
    this.#queue.matcher.start()
    this.#queue.matcher.request()
    this.#cluster.start()
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
      revoke: () => this.tokens.revoke({ use: 'visitor', id: visitor }),
      unlink: (files: readonly string[]) => attachments.unlink(files),
      told: (contact: string, head: number) => this.#cluster.conclude(contact, head),
      gone: (contacts: readonly string[]) => {
        this.#cluster.erased(contacts)
        for (const contact of contacts) this.#phones?.sync(contact)
      },
    }
    return eraseVisitor(parts, visitor)
  }

  /** It is about to stop. */
  withdraw(): void {
    this.#parts.node.drain()
  }

  /** Another process has the database: from now on no call is answered here. */
  disown(): void {
    this.withdraw()
    this.#gateway.disown()
  }

  /** Notes what dead nodes have lost. */
  async sweep(): Promise<void> {
    await this.#parts.sweeper.run()
    await this.#queue.presence.sweep()
    await this.#phones?.takeOver()
  }

  /** This node has given its identity up: its connections end, and others note what is lost with them. */
  sendAway(): Promise<void> {
    this.#parts.report.warn('this node is out of touch with the store: its connections end')
    return this.#gateway.sendAway()
  }

  /** Sends the connections away. */
  async stop(): Promise<void> {
    this.withdraw()
    this.#stopping = true
    await this.#gateway.drain()
    this.#cluster.stop()
    this.#retry.stop()
    this.#load.stop()
    await this.#gateway.close()
    await this.#phones?.stop()
  }

  /** Lets what runs come to its end. */
  async settle(): Promise<void> {
    await this.#timers.stop()
    await this.#queue.matcher.stop()
    await this.#queue.evidence?.stop()
    await this.#queue.positions.stop()
    await this.#retention.stop()
    await this.#webhooks.stop()
  }

  #registerGauges(queues: WriteQueues<ChangeJob>): void {
    const { metrics, database, attachments, storeClock, clock } = this.#parts
    registerGauges(metrics, {
      ...{ gateway: this.#gateway, hub: this.#hub, queues, pool: database.pool, files: attachments.files },
      aheadMs: () => storeClock.now() - clock.now(),
    })
  }

  #makeCluster(): ClusterHub {
    const { database, node, link, metrics, report, rates, clock } = this.#parts
    return new ClusterHub({
      ...{ node, link, metrics, rates, clock, nodes: () => node.nodes },
      ...{ db: database.db, local: this.#bus, onFault: report.fault },
      onAppended: (contact, entries) => this.#phones?.appended(contact, entries),
      onAgent: (agent, push) => this.#gateway.pushToAgent(agent, push),
      onMatch: () => this.#queue.matcher.request(),
      checkTokens: () => this.tokens.look(),
      poll: () => this.#beforeComparison(),
      change: (contact, work) => this.#store.change(contact, work),
      insist: (key, work) => this.#retry.run(key, work),
    })
  }

  #makeQueues(): WriteQueues<ChangeJob> {
    const { database, storeClock: clock, report } = this.#parts
    const flush = flusher({
      pool: database.pool,
      ...{ bus: this.#bus, metrics: this.#parts.metrics, clock },
      onLag: (contact) =>
        void this.#store.refreshSnapshot(contact, this.#hub.stateOf(contact)).catch(report.fault),
    })
    return new WriteQueues<ChangeJob>({
      flush,
      isBlocked,
      carryOut: (jobs, waits) => this.#store.carryOut(jobs, waits),
      lockKey: (job) => job.lockKey,
    })
  }

  #makeHandlers(log: LogService): Handlers {
    const { attachments, options, report, clock, storeClock, random, database, node } = this.#parts
    return callHandlers({
      contacts: new ContactService(this.#store, random, () => node.id),
      ...{ log, clock, attachments, ice: options.ice, hub: this.#hub, relay: this.#cluster.relay },
      ...{ agents: this.#queue.agents, presence: this.#queue.presence },
      desk: new DeskService({ db: database.db, clock: storeClock, replies: options.replies }),
      telephony: this.#phones && { opened: (contact) => this.#phones?.sync(contact) },
      onStarted: (contact) => this.#queue.positions.opened(contact),
      onLost: (channel) => this.#lose(channel),
      onMoved: (session, from) => this.#cluster.moved(session, from),
      readerOf: (contact) => (page) => readLog(database.db, contact, page),
      onFault: report.fault,
    })
  }

  #makeGateway(handlers: Handlers): Gateway {
    const { http, origins, checkToken, options, report, clock, storeClock, random, database, node } =
      this.#parts
    const { fault: onFault, debug } = report
    return new Gateway({
      ...{ http, origins, checkToken, clock, random, handlers, debug, onFault },
      ...{ limits: this.#parts.rates, metrics: this.#parts.metrics, audit: this.#parts.audit },
      ...{ lax: options.mode === 'local', proxies: options.proxies },
      isOpen: () => node.isPresent,
      drainTimeMs: node.isAlone ? 0 : options.drainTimeMs,
      ...{ polling: options.polling, nodeName: options.polling && !node.isAlone ? options.nodeName : null },
      standing: async (agent, contact) =>
        (await standingOffers(database.db, { agent, contact, now: storeClock.now() }))[0] ?? null,
      evidence: this.#queue.evidence,
      onConnected: (principal, id) =>
        principal.use === 'agent' ? this.#queue.presence.connected(principal, id) : Promise.resolve(),
      onDisconnected: (caller) => void this.#onDisconnected(caller).catch(onFault),
    })
  }

  #subscribe(): void {
    const { metrics, attachments, link, report } = this.#parts
    this.#bus.on('appended', ({ contact, entries }) => this.#hub.appended(contact, entries))
    this.#bus.on('appended', ({ contact, entries }) => this.#phones?.appended(contact, entries))
    this.#bus.on('appended', ({ entries }) => metrics.add('duolog_entries_total', '', entries.length))
    this.#bus.on('agent', ({ agent, push }) => this.#gateway.pushToAgent(agent, push))
    this.#bus.on('match', () => this.#queue.matcher.request())
    this.#bus.on('uploadsDropped', ({ ids }) => void attachments.unlink(ids).catch(report.fault))
    link.on('release', ({ upload }) => attachments.locks.release(upload))
    this.#bus.on('timer', ({ due }) => this.#timers.wake(due))
    handleTimers({
      ...{ timers: this.#timers, store: this.#store, queue: this.#queue, retention: this.#retention },
      ...{ db: this.#parts.database.db, clock: this.#parts.storeClock, bus: this.#bus },
    })
    this.#cluster.join()
  }

  async #onDisconnected(caller: Caller): Promise<void> {
    const { id, principal } = caller
    if (principal.use === 'agent')
      this.#retry.run(`agent ${id}`, () => this.#queue.presence.disconnected({ id, agent: principal.id }))
    await caller.eachChannel((channel) => {
      // Between two identities others note what is lost, and so does the next start after a stop.
      const isNoted = !this.#stopping && this.#parts.node.isPresent
      if (this.#hub.detach(channel) && isNoted) this.#lose(channel)
    })
  }

  /** A session has lost its connection. */
  #lose({ contact, session, epoch }: Channel): void {
    if (epoch === null) return
    this.#retry.run(`session ${contact} ${session} ${epoch}`, () =>
      loseSession(this.#store, { contact, session, epoch }),
    )
  }

  /** Offers that nobody was told to make, calls whose end nobody heard of, what was revoked elsewhere. */
  async #beforeComparison(): Promise<void> {
    this.#queue.matcher.request()
    await this.#phones?.syncAll()
    await this.sweep()
    const { node, database } = this.#parts
    if (!node.isAlone) await compareOffers(this.#gateway.agents, (agents) => offersTo(database.db, agents))
    if (!node.isAlone) await this.#parts.keys.refresh()
    await this.tokens.look()
    await this.#cluster.relay.resume()
  }
}
