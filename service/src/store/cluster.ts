/** The embedded PostgreSQL: a child process of the service, reached through a socket in a private folder. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartError, codeOf, messageOf } from '../start-error.ts'
import { checkReach, chooseAccount, grantTraversal } from './account.ts'
import type { Account } from './account.ts'
import { locateBinaries } from './binaries.ts'
import type { Binaries } from './binaries.ts'

/** Where a cluster lies and who runs it. */
export interface ClusterLocation {
  readonly binaries: Binaries
  readonly account: Account | null
  /** The database's own files. */
  readonly folder: string
  readonly socketFolder: string
  readonly logFile: string
}

export const CLUSTER_USER = 'duolog'
/** Names the socket only: nothing listens on a port. */
export const CLUSTER_PORT = 5432
const SOCKET_PATH_LIMIT = 90
const RUN =
  'listen_addresses= max_connections=80 shared_buffers=64MB log_min_error_statement=panic log_error_verbosity=terse log_min_messages=warning'

/** Makes the folders, and the database where there is none yet. `own`: other programs than those of the packages. */
export function prepareCluster(dataFolder: string, own?: Binaries): ClusterLocation {
  if (process.platform === 'win32')
    throw new StartError(
      'unable to start the embedded PostgreSQL; it is not supported on Windows: give --database-url',
    )
  const binaries = own ?? locateBinaries()
  const data = resolve(dataFolder)
  const folder = join(data, 'pg')
  const account = makeFolders(data, folder)
  if (account) checkReach(account, { folder, binary: binaries.postgres })
  const place = {
    binaries,
    account,
    folder: join(folder, 'data'),
    socketFolder: makeSocketFolder(folder, account),
    logFile: join(data, 'postgres.log'),
  }
  if (!existsSync(join(place.folder, 'PG_VERSION'))) initialise(place)
  return place
}

/** Where a folder cannot be made, as in `/proc`, Node's `recursive` tries for ever. */
function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode })
}

function makeFolders(data: string, folder: string): Account | null {
  try {
    makeFolder(data)
    const account = chooseAccount(folder)
    if (account) grantTraversal(data, account)
    makeFolder(folder, 0o700)
    if (account) chownSync(folder, account.uid, account.gid)
    closeSync(openSync(join(data, 'postgres.log'), 'a', 0o600))
    return account
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `unable to use the data folder ${data}; ${codeOf(cause) || messageOf(cause)}: give --data a folder that can be written`,
      { cause },
    )
  }
}

function makeSocketFolder(folder: string, account: Account | null): string {
  const near = join(folder, 's')
  const chosen =
    near.length <= SOCKET_PATH_LIMIT
      ? near
      : join(tmpdir(), `duolog-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
  makeFolder(chosen, 0o700)
  if (account) chownSync(chosen, account.uid, account.gid)
  const { uid, mode } = lstatSync(chosen)
  if (uid !== (account?.uid ?? process.getuid?.()) || (mode & 0o077) !== 0)
    throw new StartError(
      `unable to use ${chosen}; it belongs to another user: remove it or give a shorter --data`,
    )
  return chosen
}

/** Made beside and moved into place, so that a killed start leaves no half database. */
function initialise({ binaries, account, folder }: ClusterLocation): void {
  const beside = `${folder}.new`
  rmSync(beside, { recursive: true, force: true })
  const made = spawnSync(
    binaries.initdb,
    [`--pgdata=${beside}`, '--auth=trust', `--username=${CLUSTER_USER}`, '--encoding=UTF8', '--locale=C'],
    {
      ...account,
      cwd: '/',
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    },
  )
  if (made.status !== 0)
    throw new StartError(
      `unable to create the database in ${folder}; ${made.error ? messageOf(made.error) : lastLine(made.stderr)}`,
    )
  renameSync(beside, folder)
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

/** Process id of a PostgreSQL that runs on this folder, also one that a killed service left behind. */
export function runningPostmaster({ folder }: ClusterLocation): number | null {
  try {
    const pid = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10)
    return Number.isNaN(pid) || !isPostgres(pid, folder) ? null : pid
  } catch {
    return null
  }
}

/** A process id may have been given to another program since. */
function isPostgres(pid: number, folder: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    if (codeOf(thrown) !== 'EPERM') return false
  }
  if (process.platform !== 'linux') return true
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) && statSync(`/proc/${pid}`).isDirectory()
    )
  } catch {
    return false
  }
}

/** More than this of PostgreSQL's own lines is moved aside, to one file that the next ones replace. */
const LOG_BYTES = 4 * 1024 * 1024

/**
 * Keeps the log of PostgreSQL small. The server appends to what it has open, so that the file is emptied, not
 * renamed.
 */
export function trimLog({ logFile }: Pick<ClusterLocation, 'logFile'>): void {
  try {
    if (statSync(logFile).size < LOG_BYTES) return
    copyFileSync(logFile, `${logFile}.1`)
    truncateSync(logFile)
  } catch {
    // It is looked at again.
  }
}

export interface StartedPostmaster {
  readonly pid: number
  /** Resolves with the exit code (null: by a signal) when the process has ended. */
  readonly ended: Promise<number | null>
}

/**
 * Starts the server in a process group of its own, so that Ctrl-C in a terminal does not reach it before the
 * service has drained.
 */
export function spawnPostmaster(place: ClusterLocation): StartedPostmaster {
  const log = openSync(place.logFile, 'a', 0o600)
  const settings = [...RUN.split(' '), `unix_socket_directories=${place.socketFolder}`].flatMap((setting) => [
    '-c',
    setting,
  ])
  const child = spawn(
    place.binaries.postgres,
    ['-D', place.folder, '-p', String(CLUSTER_PORT), ...settings],
    {
      ...place.account,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, LC_ALL: 'C' },
    },
  )
  closeSync(log)
  child.unref()
  const ended = new Promise<number | null>((settle) => {
    child.once('exit', (code) => settle(code))
    child.once('error', () => settle(1))
  })
  return { pid: child.pid ?? 0, ended }
}
