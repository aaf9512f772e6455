/** PostgreSQL that listens on a port of this machine, alone or with a synchronous standby. */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { CLUSTER_USER, prepareCluster } from '../../service/src/store/cluster.ts'
import type { ClusterLocation } from '../../service/src/store/cluster.ts'
import { freePort } from '../support/free-port.ts'
import { Program } from './program.ts'

const DATABASE = 'duolog'
const SETTINGS =
  'listen_addresses=127.0.0.1 max_connections=120 shared_buffers=64MB wal_keep_size=512MB log_min_messages=warning'
const STREAMS_MS = 30_000
const LOOK_MS = 100

export class Postgres {
  readonly port: number
  readonly #place: ClusterLocation
  readonly #primary: number | null
  #program: Program

  private constructor(place: ClusterLocation, port: number, primary: number | null = null) {
    this.#place = place
    this.port = port
    this.#primary = primary
    this.#program = this.#spawn()
  }

  /**
   * A new server with an empty database in a folder, or the one that is there. `programs`: the folder of `postgres`
   * and `initdb`; by default those of the packages.
   */
  static async start(folder: string, programs?: string): Promise<Postgres> {
    const binaries = programs && { postgres: join(programs, 'postgres'), initdb: join(programs, 'initdb') }
    const server = new Postgres(prepareCluster(folder, binaries || undefined), await freePort())
    await server.#ready()
    const { rowCount } = await server.ask(
      `select 1 from pg_database where datname = '${DATABASE}'`,
      'postgres',
    )
    if (rowCount === 0) await server.ask(`create database ${DATABASE}`, 'postgres')
    return server
  }

  /** A standby in another folder, from a backup of this server, which waits for it with every commit. */
  async standby(folder: string): Promise<Postgres> {
    const place = await this.#backUp(folder)
    const standby = new Postgres(place, await freePort(), this.port)
    await standby.#ready()
    await standby.ask('alter system reset synchronous_standby_names')
    await this.#until("state = 'streaming'")
    await this.ask("alter system set synchronous_standby_names = '*'")
    await this.ask('select pg_reload_conf()')
    await this.#until("sync_state = 'sync'")
    return standby
  }

  /** Makes this standby the primary. */
  async promote(): Promise<void> {
    await this.ask('select pg_promote()')
  }

  get url(): string {
    return urlOf(this.port)
  }

  get pid(): number {
    return this.#program.pid
  }

  /** SIGINT: fast; SIGQUIT: at once, as after a crash; SIGKILL: without any care. */
  stop(signal: NodeJS.Signals): Promise<void> {
    return this.#program.end(signal)
  }

  /** After a stop. Backends that a SIGKILL has left behind end soon: until then it does not start. */
  async restart(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      this.#program = this.#spawn()
      const isUp = await this.#ready().then(
        () => true,
        () => false,
      )
      if (isUp) return
      if (tries > 20) throw new Error(`unable to start PostgreSQL again; see ${this.#place.logFile}`)
      await delay(500)
    }
  }

  async ask(sql: string, database = DATABASE): Promise<pg.QueryResult> {
    const client = new pg.Client({
      connectionString: urlOf(this.port, database),
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }

  /** Waits for the standby. */
  async #until(condition: string): Promise<void> {
    const limit = Date.now() + STREAMS_MS
    while ((await this.ask(`select 1 from pg_stat_replication where ${condition}`)).rowCount === 0) {
      if (Date.now() > limit) throw new Error(`the standby does not follow: ${condition}`)
      await delay(LOOK_MS)
    }
  }

  #spawn(): Program {
    const { binaries, account, folder, socketFolder, logFile } = this.#place
    const settings = [
      ...SETTINGS.split(' '),
      `unix_socket_directories=${socketFolder}`,
      ...(this.#primary === null
        ? []
        : [`primary_conninfo=host=127.0.0.1 port=${this.#primary} user=${CLUSTER_USER}`]),
    ]
    return new Program({
      command: binaries.postgres,
      args: ['-D', folder, '-p', String(this.port), ...settings.flatMap((setting) => ['-c', setting])],
      log: logFile,
      env: { LC_ALL: 'C' },
      account,
    })
  }

  #ready(): Promise<void> {
    return this.#program.ready(async () => {
      await this.ask('select 1', 'postgres')
      return true
    })
  }

  /** Copies the files while the server runs (PostgreSQL 18, 25.3.3: the low-level API of backups). */
  async #backUp(folder: string): Promise<ClusterLocation> {
    rmSync(folder, { recursive: true, force: true })
    const place = emptyPlace(this.#place, folder)
    const client = new pg.Client({ connectionString: urlOf(this.port) })
    await client.connect()
    await client.query("select pg_backup_start('standby', true)")
    await promisify(execFile)('cp', ['-a', this.#place.folder, dirname(place.folder)])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await client.end()
    for (const file of ['postmaster.pid', 'pg_replslot', 'standby.signal', 'recovery.signal'])
      rmSync(join(place.folder, file), { recursive: true, force: true })
    const own = (path: string): void => {
      if (place.account) chownSync(path, place.account.uid, place.account.gid)
    }
    mkdirSync(join(place.folder, 'pg_replslot'), { mode: 0o700 })
    own(join(place.folder, 'pg_replslot'))
    for (const [file, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(place.folder, file), text)
      own(join(place.folder, file))
    }
    return place
  }
}

const urlOf = (port: number, database = DATABASE): string =>
  `postgres://${CLUSTER_USER}@127.0.0.1:${port}/${database}`

/** Folders like those of another server, without its files. */
function emptyPlace(like: ClusterLocation, folder: string): ClusterLocation {
  const inside = join(folder, 'pg')
  const place = {
    ...like,
    folder: join(inside, 'data'),
    socketFolder: join(inside, 's'),
    logFile: join(folder, 'postgres.log'),
  }
  mkdirSync(place.socketFolder, { recursive: true, mode: 0o755 })
  chmodSync(folder, 0o755)
  if (like.account)
    for (const path of [inside, place.socketFolder]) chownSync(path, like.account.uid, like.account.gid)
  return place
}
