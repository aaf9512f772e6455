/** PostgreSQL, NATS, nodes of the service and a load balancer on one machine. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { YOUNG_HEAP } from '../support/service-process.ts'
import { startBalancer } from './balancer.ts'
import { Gate } from './gate.ts'
import { NetworkPlace } from './network-place.ts'
import { Postgres } from './postgres.ts'
import { Program } from './program.ts'
import { supervise } from './supervisor.ts'
import type { OwnEnd } from './supervisor.ts'

export interface DeploymentOptions {
  readonly folder: string
  /** Path of the service's program. */
  readonly service: string
  readonly nodes: number
  /** Of the balancer. */
  readonly port: number
  /** More arguments of each node. */
  readonly args?: readonly string[]
  /** Path of libfaketime: each node has a clock of its own then. */
  readonly fakeTime?: string | undefined
  /** With ways between the programs that can be cut. */
  readonly breakable?: boolean
  /** With a synchronous standby. */
  readonly standby?: boolean
  /** Each node has a network of its own, whose packets can be lost. For `breakable` ones; needs root. */
  readonly network?: boolean
  /** Folder of the programs of PostgreSQL; by default those of the packages. */
  readonly postgres?: string | undefined
  /** Hears of nodes that end by themselves, which are started again. */
  readonly onOwnEnd?: (end: OwnEnd) => void
}

/** A node, and its ways to the store and to the bus. */
export interface ServiceNode {
  readonly name: string
  /** Where it listens. */
  readonly address: string
  readonly port: number
  readonly toStore: Gate | null
  readonly toBus: Gate | null
  readonly place: NetworkPlace | null
  program: Program
}

export class Deployment {
  readonly nodes: ServiceNode[] = []
  readonly #options: DeploymentOptions
  readonly #natsPort: number
  postgres: Postgres
  standby: Postgres | null = null
  nats: Program
  balancer: Program | null = null

  private constructor(options: DeploymentOptions, postgres: Postgres, natsPort: number) {
    this.#options = options
    this.postgres = postgres
    this.#natsPort = natsPort
    this.nats = this.#spawnNats()
  }

  static async start(options: DeploymentOptions): Promise<Deployment> {
    mkdirSync(options.folder, { recursive: true, mode: 0o755 })
    const postgres = await Postgres.start(join(options.folder, 'postgres-1'), options.postgres)
    const all = new Deployment(options, postgres, await freePort())
    try {
      await all.#startRest()
    } catch (thrown) {
      await all.stop()
      throw thrown
    }
    return all
  }

  /** Where pages connect. */
  get url(): string {
    return `http://127.0.0.1:${this.#options.port}`
  }

  get natsUrl(): string {
    return `nats://127.0.0.1:${this.#natsPort}`
  }

  /** The time of day of a node is so much ahead of the machine's; its monotonic clock is not. */
  setClock({ name }: Pick<ServiceNode, 'name'>, seconds: number): void {
    writeFileSync(this.#clockOf(name), `${seconds < 0 ? '' : '+'}${seconds}\n`)
  }

  async startNats(): Promise<void> {
    this.nats = this.#spawnNats()
    await this.#natsReady()
  }

  /** Starts a node whose process has ended, unless it has been started already. */
  async startNode(node: ServiceNode): Promise<void> {
    if (!node.program.isRunning) {
      node.program = this.#spawnNode(node)
      this.#supervise(node)
    }
    await isReady(node)
  }

  /** A standby for the primary, in a folder of this number. */
  async addStandby(number: number): Promise<void> {
    this.standby = await this.postgres.standby(join(this.#options.folder, `postgres-${number}`))
  }

  /** The standby is the primary from now on. */
  async failOver(): Promise<void> {
    if (!this.standby) throw new Error('there is no standby')
    await this.standby.promote()
    this.postgres = this.standby
    this.standby = null
    for (const { toStore } of this.nodes) toStore?.lead(this.postgres.port)
  }

  /** All connections of pages end. */
  async restartBalancer(): Promise<void> {
    await this.balancer?.end('SIGKILL')
    await this.#startBalancer()
  }

  /** Ends all programs, the nodes first. */
  async stop(): Promise<void> {
    for (const { program } of this.nodes) program.signal('SIGCONT')
    await Promise.all(this.nodes.map(({ program }) => program.end('SIGTERM')))
    await this.balancer?.end('SIGTERM')
    this.nats.signal('SIGCONT')
    await this.nats.end('SIGTERM')
    await this.postgres.stop('SIGINT')
    await this.standby?.stop('SIGINT')
    for (const { toStore, toBus } of this.nodes) await Promise.all([toStore?.close(), toBus?.close()])
    for (const { place } of this.nodes) place?.close()
  }

  async #startRest(): Promise<void> {
    await this.#natsReady()
    if (this.#options.standby === true) await this.addStandby(2)
    for (let number = 1; number <= this.#options.nodes; number += 1) await this.#addNode(`node-${number}`)
    await this.#startBalancer()
  }

  async #startBalancer(): Promise<void> {
    const { folder, port } = this.#options
    this.balancer = await startBalancer({ folder, port, nodes: this.nodes })
  }

  async #addNode(name: string): Promise<void> {
    const { breakable = false, network = false } = this.#options
    const place = network ? new NetworkPlace(this.nodes.length + 1) : null
    const gateTo = (port: number): Promise<Gate> => Gate.open(port, place ? { host: place.outside } : {})
    const parts = {
      name,
      place,
      address: place?.inside ?? LOOPBACK,
      port: await freePort(),
      toStore: breakable ? await gateTo(this.postgres.port) : null,
      toBus: breakable ? await gateTo(this.#natsPort) : null,
    }
    const node = { ...parts, program: this.#spawnNode(parts) }
    this.nodes.push(node)
    this.#supervise(node)
    await isReady(node)
  }

  #supervise(node: ServiceNode): void {
    const { onOwnEnd: told } = this.#options
    // One that does not come up is told of when it ends.
    if (told) supervise(node, { told, again: () => this.startNode(node).catch(() => {}) })
  }

  #spawnNode({ name, address, port, toStore, toBus, place }: Omit<ServiceNode, 'program'>): Program {
    const { folder, service, args = [], fakeTime } = this.#options
    this.setClock({ name }, 0)
    const store = new URL(this.postgres.url)
    if (toStore) store.port = String(toStore.port)
    if (place) store.hostname = place.outside
    const own = {
      host: address,
      port: String(port),
      data: join(folder, 'files'),
      'database-url': store.href,
      bus: `nats://${place?.outside ?? LOOPBACK}:${toBus?.port ?? this.#natsPort}`,
      proxies: '1',
      // The load balancer asks each second.
      'drain-wait': '2',
      'drain-time': '30',
    }
    const flags = Object.entries(own).flatMap(([flag, value]) => [`--${flag}`, value])
    // Who signs in on an address that is not of this machine alone is asked for more by default.
    const open = place ? ['--open-sign-in'] : []
    const line = ['--enable-source-maps', YOUNG_HEAP, service, ...flags, ...open, ...args]
    const [command, all] = place?.command(process.execPath, line) ?? [process.execPath, line]
    return new Program({
      command,
      args: all,
      log: join(folder, `${name}.log`),
      env: fakeTime === undefined ? {} : fakeClock(fakeTime, this.#clockOf(name)),
    })
  }

  #clockOf(name: string): string {
    return join(this.#options.folder, `${name}.clock`)
  }

  #spawnNats(): Program {
    return new Program({
      command: process.env['DUOLOG_NATS_SERVER'] ?? '/usr/sbin/nats-server',
      args: ['-a', '127.0.0.1', '-p', String(this.#natsPort)],
      log: join(this.#options.folder, 'nats.log'),
    })
  }

  #natsReady(): Promise<void> {
    return this.nats.ready(() => accepts(this.#natsPort))
  }
}

const LOOPBACK = '127.0.0.1'

const isReady = ({ program, address, port }: ServiceNode): Promise<void> =>
  program.ready(async () => (await fetch(`http://${address}:${port}/readyz`)).ok)

/** What libfaketime takes: the offset is read of the file each second. */
const fakeClock = (library: string, file: string): Record<string, string> => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  DONT_FAKE_MONOTONIC: '1',
})

/** Whether somebody listens. */
function accepts(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      settle(true)
    })
    socket.once('error', () => settle(false))
  })
}
