import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { openDatabase } from '../../service/src/store/database.ts'
import { temporaryData } from './temporary-data.ts'

const NAME = 'DUOLOG_TEST_STORE'
/** The embedded PostgreSQL's part of a data folder. */
const STORE = 'pg'

/**
 * Makes one data folder with an empty store of this version, for the tests of a run to copy: to make it takes
 * seconds, to copy it a tenth. A global setup of vitest.
 */
export async function setup(): Promise<() => void> {
  if (process.env[NAME]) return () => {}
  const data = temporaryData()
  const store = await openDatabase({ data: data.folder, databaseUrl: null })
  await store.close()
  process.env[NAME] = data.folder
  return () => {
    delete process.env[NAME]
    data.remove()
  }
}

/** Puts an empty store into a data folder, where the run has prepared one; else a service makes it. */
export function copyStore(folder: string): void {
  const prepared = process.env[NAME]
  if (!prepared) return
  // Node's own copy keeps no owner, and the store belongs to an unprivileged user.
  const { status, stderr } = spawnSync('cp', ['-a', join(prepared, STORE), join(folder, STORE)])
  if (status !== 0) throw new Error(`unable to copy the prepared store: ${String(stderr)}`)
}

/** A data folder with an empty store. */
export function preparedData(): ReturnType<typeof temporaryData> {
  const data = temporaryData()
  copyStore(data.folder)
  return data
}
