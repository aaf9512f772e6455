import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../start-error.ts'
import { StoreClient } from './store-client.ts'

/** A process that was killed has gone from the database by then. */
const CLAIM_LIMIT_MS = 5_000
const AGAIN_MS = 100
const LOST_AGAIN_MS = 1_000
/**
 * A machine that has gone loses its claim after 25 s. It notices itself that its connection is gone a little
 * sooner: Node asks every second, ten times.
 */
const DATABASE_KEEPALIVE =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'
const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** `free`: nobody has it, or only a lost connection of this owner. */
type Claimed = 'taken' | 'free' | 'foreign'

/** What only one process may use. */
interface Claim {
  readonly config: pg.ClientConfig
  /** The number of its advisory lock. */
  readonly lock: number
  /** The message for a second process. */
  readonly refusal: string
  /** What else must be free. On the connection that has the lock; what it takes ends with that. */
  readonly confirm?: (client: pg.Client) => Promise<Claimed>
  /** Called with the reason why the lock cannot be taken again after the database was away. */
  readonly onFault: (thrown: unknown) => void
}

/**
 * Reserves a database for one process: the state of contacts and connections in its memory is complete only
 * while no other process writes there.
 */
export class SoleOwner {
  /**
   * Resolves when another process has taken the lock after this one lost its connection. From then on this
   * process is no longer the owner.
   */
  readonly lost: Promise<void>
  readonly #claim: Claim
  /** Identifies the connections of this owner, also one that the database still believes to be open. */
  readonly #name = `duolog-${randomUUID()}`
  #lose = (): void => {}
  readonly #onUnowned = new Set<() => void>()
  #client: pg.Client | null = null
  #released = false
  #owns = false

  private constructor(claim: Claim) {
    this.#claim = {
      ...claim,
      config: { ...claim.config, ...KEEPALIVE, connectionTimeoutMillis: 8_000, query_timeout: 10_000 },
    }
    this.lost = new Promise((settle) => (this.#lose = settle))
  }

  /** @throws {@link StartError} another process has it. */
  static async claim(claim: Claim): Promise<SoleOwner> {
    const owner = new SoleOwner(claim)
    for (let leftMs = CLAIM_LIMIT_MS; (await owner.#take()) !== 'taken'; leftMs -= AGAIN_MS) {
      if (leftMs <= 0) throw new StartError(claim.refusal, { isPassing: true })
      await delay(AGAIN_MS)
    }
    return owner
  }

  /** False while the connection with the lock is lost: another process may have the lock. */
  get owns(): boolean {
    return this.#owns
  }

  /** Called each time that connection is lost. */
  onUnowned(run: () => void): void {
    this.#onUnowned.add(run)
  }

  async release(): Promise<void> {
    this.#released = true
    await this.#client?.end().catch(() => {})
  }

  /** A connection holds the lock, so the lock ends with the process, however that ends. */
  async #take(): Promise<Claimed> {
    const client = new StoreClient(this.#claim.config)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(`${DATABASE_KEEPALIVE}; set application_name = '${this.#name}'`)
      const state = await this.#lock(client)
      if (state === 'taken') this.#keep(client)
      else await client.end()
      return state
    } catch (thrown) {
      await client.end().catch(() => {})
      throw thrown
    }
  }

  async #lock(client: pg.Client): Promise<Claimed> {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      this.#claim.lock,
    ])
    if (rows[0]?.locked) return (await this.#claim.confirm?.(client)) ?? 'taken'
    const { rowCount } = await client.query(
      `select 1 from pg_locks l join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and l.objid = $1 and l.objsubid = 1 and l.granted
          and d.datname = current_database() and a.application_name <> $2`,
      [this.#claim.lock, this.#name],
    )
    return rowCount === 0 ? 'free' : 'foreign'
  }

  #keep(client: pg.Client): void {
    this.#client = client
    this.#owns = true
    client.once('end', () => {
      this.#owns = false
      for (const run of this.#onUnowned) run()
      void this.#takeAgain()
    })
    if (this.#released) void this.release()
  }

  /** The connection to the database was lost, and the lock with it. */
  async #takeAgain(): Promise<void> {
    while (!this.#released) {
      try {
        const state = await this.#take()
        if (state === 'foreign') this.#lose()
        if (state !== 'free') return
      } catch (cause) {
        this.#claim.onFault(new Error('unable to take the database again', { cause }))
      }
      await delay(LOST_AGAIN_MS, undefined, { ref: false })
    }
  }
}
