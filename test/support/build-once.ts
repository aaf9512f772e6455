/** The build of what is served, as it is published: a global setup of vitest, for all test files of a run. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isBuilt } from '../../scripts/fresh-build.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds, unless that was done and no source has changed since. */
export async function buildOnce(): Promise<void> {
  if (!isBuilt({ small: true }))
    await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--small'], { cwd: root })
}

export const setup = buildOnce
