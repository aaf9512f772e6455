/** The build of `npm start`, once for all test files of a run: it takes longer than the start itself. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const NOTE = join(root, '.cache/built-for-tests')
/** Where the sources of the product are. */
const SOURCES = ['protocol', 'machines', 'engines', 'sdk', 'service/src', 'apps', 'scripts']
/** What the build itself writes. */
const WRITTEN = new Set(['dist', 'node_modules'])

let building: Promise<void> | null = null

/** Builds, unless an earlier test file of this run has and no source has changed since. */
export const buildOnce = (): Promise<void> => (building ??= build())

async function build(): Promise<void> {
  const begun = Date.now()
  if (builtAt() > newestIn(SOURCES.map((folder) => join(root, folder)))) return
  await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root })
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(NOTE, JSON.stringify({ run: process.ppid, begun }))
}

/** When the build of this run of vitest began; 0 where there was none. The workers are children of the run. */
function builtAt(): number {
  try {
    const { run, begun } = JSON.parse(readFileSync(NOTE, 'utf8')) as { run: number; begun: number }
    return run === process.ppid ? begun : 0
  } catch {
    return 0
  }
}

const newestIn = (folders: readonly string[]): number =>
  Math.max(
    0,
    ...folders.flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => {
        if (WRITTEN.has(entry.name)) return 0
        const path = join(folder, entry.name)
        return entry.isDirectory() ? newestIn([path]) : statSync(path).mtimeMs
      }),
    ),
  )
