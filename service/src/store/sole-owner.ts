import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartError, messageOf } from '../start-error.ts'

const LOCK = 20_260_904
/** A process that was killed has gone from the database by then. */
const CLAIM_LIMIT_MS = 5_000
const AGAIN_MS = 100
const LOST_AGAIN_MS = 1_000
/** So that the database notices a machine that has gone, and with it the claim. */
const KEEPALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

/** Holds a database for one process: what it keeps in memory of contacts and connections is the whole truth only while no other writes there. */
export class SoleOwner {
  readonly #config: pg.ClientConfig
  #client: pg.Client | null = null
  #released = false

  private constructor(config: pg.ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: 8_000, query_timeout: 10_000 }
  }

  /** @throws {@link StartError} another process has the database. */
  static async claim(config: pg.ClientConfig): Promise<SoleOwner> {
    const owner = new SoleOwner(config)
    for (let leftMs = CLAIM_LIMIT_MS; !(await owner.#take()); leftMs -= AGAIN_MS) {
      if (leftMs <= 0) throw new StartError('unable to use the database; another service is running on it: stop that one first, or give this one a database of its own')
      await delay(AGAIN_MS)
    }
    return owner
  }

  async release(): Promise<void> {
    this.#released = true
    await this.#client?.end().catch(() => {})
  }

  /** The lock is held by a connection: it goes with the process, however that ends. */
  async #take(): Promise<boolean> {
    const client = new pg.Client(this.#config)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(KEEPALIVE)
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
      if (rows[0]?.locked) {
        this.#keep(client)
        return true
      }
    } catch (thrown) {
      await client.end().catch(() => {})
      throw thrown
    }
    await client.end().catch(() => {})
    return false
  }

  #keep(client: pg.Client): void {
    this.#client = client
    client.once('end', () => void this.#takeAgain())
  }

  /** The database was away, and the lock with it. */
  async #takeAgain(): Promise<void> {
    while (!this.#released) {
      try {
        if (await this.#take()) return
        process.emitWarning('another service is running on the same database')
      } catch (thrown) {
        process.emitWarning(`the database does not come back: ${messageOf(thrown)}`)
      }
      await delay(LOST_AGAIN_MS, undefined, { ref: false })
    }
  }
}
