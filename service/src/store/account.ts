import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, statSync } from 'node:fs'
import { StartError } from '../start-error.ts'

/** The unprivileged user that PostgreSQL runs as; null: the user of the service. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

const idOf = (name: string): Account | null => {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10),
  )
  return uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid)
    ? null
    : { uid, gid }
}

/**
 * PostgreSQL refuses to run as root: then it gets the owner of its existing folder, else the user `postgres`,
 * else `nobody`.
 */
export function chooseAccount(folder: string): Account | null {
  if (process.getuid?.() !== 0) return null
  if (existsSync(folder)) {
    const { uid, gid } = statSync(folder)
    if (uid !== 0) return { uid, gid }
  }
  const account = idOf('postgres') ?? idOf('nobody')
  if (!account)
    throw new StartError(
      'unable to run PostgreSQL as root; there is neither a user "postgres" nor a user "nobody": start the service as another user or give --database-url',
    )
  return account
}

/** Lets the account through the data folder (not into it, and not through the folders above). */
export function grantTraversal(dataFolder: string, account: Account): void {
  const { uid, gid, mode } = statSync(dataFolder)
  const passes = uid === account.uid || (mode & 0o001) !== 0 || (gid === account.gid && (mode & 0o010) !== 0)
  if (passes || uid !== 0) return
  chownSync(dataFolder, uid, account.gid)
  chmodSync(dataFolder, (mode & 0o777) | 0o010)
}

/** Fails with one clear line where the account cannot reach what it needs. */
export function checkReach(
  account: Account,
  paths: { readonly folder: string; readonly binary: string },
): void {
  const run = (test: string, path: string): boolean =>
    spawnSync('/bin/sh', ['-c', `test ${test} "$0"`, path], { ...account, cwd: '/' }).status === 0
  if (!run('-w', paths.folder)) {
    throw new StartError(
      `unable to use the data folder ${paths.folder}; the unprivileged user ${account.uid} that PostgreSQL runs as cannot reach it: give --data a folder that other users can pass through`,
    )
  }
  if (!run('-x', paths.binary)) {
    throw new StartError(
      `unable to run PostgreSQL; the unprivileged user ${account.uid} cannot reach ${paths.binary}: install the service where other users can pass through`,
    )
  }
}
