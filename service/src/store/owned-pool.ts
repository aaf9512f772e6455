import pg from 'pg'
import type { SoleOwner } from './sole-owner.ts'
import { StoreClient } from './store-client.ts'
import type { StoreClientConfig } from './store-client.ts'
import { StoreOutError } from './store-out-error.ts'

type Callback = Parameters<pg.Pool['connect']>[0]

/**
 * A statement whose client has gone ends, also while it waits for a lock. Servers before version 14 do not know
 * the setting.
 */
const endWithClient = (client: pg.ClientBase): Promise<unknown> =>
  client.query("set client_connection_check_interval = '200ms'").catch(() => {})

/** The pool waits for the promise, which its types do not know. */
const HOOKS = { onConnect: endWithClient, Client: StoreClient } as object as pg.PoolConfig

/**
 * Gives out connections only while this process owns the database, and ends those in use when it owns it no
 * more: another process may write there from then on. Several nodes share a database that nobody owns.
 */
export class OwnedPool extends pg.Pool {
  readonly #owner: SoleOwner | null
  readonly #inUse = new Set<pg.PoolClient>()

  constructor(config: pg.PoolConfig & StoreClientConfig, owner: SoleOwner | null) {
    super({ ...config, ...HOOKS })
    this.#owner = owner
    this.on('acquire', (client) => this.#inUse.add(client))
    this.on('release', (_cause, client) => this.#inUse.delete(client))
    // A connection that ends as it is given back is not used again.
    this.on('release', (_cause, client) => {
      const ended = client as unknown as StoreClient
      if (ended.isSpent) void ended.end().catch(() => {})
    })
    owner?.onUnowned(() => {
      for (const client of this.#inUse) void (client as unknown as pg.Client).end().catch(() => {})
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (this.#owner?.owns ?? true) return callback ? super.connect(callback) : super.connect()
    const refusal = new StoreOutError('this process does not own the database at the moment')
    if (!callback) return Promise.reject(refusal)
    callback(refusal, undefined, () => {})
  }
}
