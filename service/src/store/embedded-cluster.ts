import type pg from 'pg'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { StartError, codeOf } from '../start-error.ts'
import {
  CLUSTER_PORT,
  CLUSTER_USER,
  prepareCluster,
  runningPostmaster,
  spawnPostmaster,
  trimLog,
} from './cluster.ts'
import type { ClusterLocation } from './cluster.ts'
import { SoleOwner } from './sole-owner.ts'
import { StoreClient } from './store-client.ts'

const LOCK = 20_260_901
const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 10_000
const WATCH_MS = 500
/** Looks at the process between two at its log. */
const TRIM_EVERY = 120

type OnFault = (thrown: unknown) => void

/** Keeps one PostgreSQL alive on a data folder until it is stopped. */
export class EmbeddedCluster {
  readonly #place: ClusterLocation
  readonly #onFault: OnFault
  #pid = 0
  #owner: SoleOwner | null = null
  #stopping = false
  /** Another process has taken the data folder, and the server with it. */
  #isForeign = false

  private constructor(place: ClusterLocation, onFault: OnFault) {
    this.#place = place
    this.#onFault = onFault
  }

  /** Starts PostgreSQL, or adopts the one that a killed service left running. */
  static async start(dataFolder: string, onFault: OnFault = () => {}): Promise<EmbeddedCluster> {
    const cluster = new EmbeddedCluster(prepareCluster(dataFolder), onFault)
    await cluster.#bringUp()
    try {
      await cluster.#claim(dataFolder)
    } catch (thrown) {
      cluster.#stopping = true
      throw thrown
    }
    return cluster
  }

  /** The claim to the data folder. */
  get owner(): SoleOwner {
    if (!this.#owner) throw new Error('the data folder is not claimed')
    return this.#owner
  }

  /** Process id of the database server. */
  get pid(): number {
    return this.#pid
  }

  connection(database: string): pg.ClientConfig {
    return { host: this.#place.socketFolder, port: CLUSTER_PORT, user: CLUSTER_USER, database }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#owner?.release()
    if (this.#pid === 0 || this.#isForeign) return
    signal(this.#pid, 'SIGINT')
    const limit = Date.now() + STOP_LIMIT_MS
    while (isAlive(this.#pid)) {
      if (Date.now() > limit) signal(this.#pid, 'SIGQUIT')
      await delay(20)
    }
  }

  async #bringUp(): Promise<void> {
    const limit = Date.now() + START_LIMIT_MS
    for (;;) {
      const adopted = runningPostmaster(this.#place)
      this.#pid = adopted ?? spawnPostmaster(this.#place).pid
      if (await this.#reachable(limit)) break
      if (Date.now() > limit || this.#stopping)
        throw new StartError(`unable to start PostgreSQL; see ${this.#place.logFile}`, { isPassing: true })
      await delay(100)
    }
    void this.#watch(this.#pid)
  }

  /** Whether the server answers before it ends. */
  async #reachable(limit: number): Promise<boolean> {
    while (isAlive(this.#pid) && Date.now() < limit) {
      const client = new StoreClient({ ...this.connection('postgres'), connectionTimeoutMillis: 2_000 })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.end()
        return true
      } catch {
        await client.end().catch(() => {})
        await delay(25)
      }
    }
    return false
  }

  /** A server that belongs to another process is left alone. */
  async #claim(dataFolder: string): Promise<void> {
    const refusal = `unable to use the data folder ${dataFolder}; another service is running on it`
    this.#owner = await SoleOwner.claim({
      config: this.connection('postgres'),
      lock: LOCK,
      refusal,
      onFault: this.#onFault,
    })
    void this.#owner.lost.then(() => {
      this.#stopping = this.#isForeign = true
    })
  }

  /** Brings the server back when it has gone by itself: killed, out of memory. */
  async #watch(pid: number): Promise<void> {
    for (let looks = 0; !this.#stopping && isAlive(pid); looks += 1) {
      if (looks % TRIM_EVERY === 0) trimLog(this.#place)
      await delay(WATCH_MS, undefined, { ref: false })
    }
    while (!this.#stopping) {
      try {
        return await this.#bringUp()
      } catch (thrown) {
        this.#onFault(thrown)
        await delay(1_000, undefined, { ref: false })
      }
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid > 0 && !isZombie(pid)
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM'
  }
}

/** Ended, but not yet waited for by its parent: in a container that may take long. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
