/** Whether what is served stands built as its sources are now, so that `npm start` and the tests need not build. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inRoot } from './run.mjs'

const NOTE = inRoot('.cache', 'built.json')
const SOURCES = [
  'protocol',
  'machines',
  'engines',
  'sdk',
  'service/src',
  'apps',
  'scripts',
  'package-lock.json',
]
/** What the build itself writes. */
const WRITTEN = new Set(['dist', 'node_modules'])
const RESULTS = ['dist/browser/duolog.js', 'service/dist/main.js', 'apps/visitor/dist/index.html']

/**
 * Runs a build of all that is served, and notes it where it has worked.
 * @template T
 * @param {boolean} small
 * @param {() => Promise<T>} build
 */
export async function noted(small, build) {
  const begun = Date.now()
  rmSync(NOTE, { force: true })
  const result = await build()
  mkdirSync(dirname(NOTE), { recursive: true })
  writeFileSync(NOTE, JSON.stringify({ small, begun }))
  return result
}

/**
 * Whether the last build was begun after the last change of a source.
 * @param {{ small?: boolean }} [options] `small`: as it is published, nothing else will do
 */
export function isBuilt({ small = false } = {}) {
  const note = existsSync(NOTE) ? JSON.parse(readFileSync(NOTE, 'utf8')) : null
  if (!note || (small && !note.small) || !RESULTS.every((path) => existsSync(inRoot(path)))) return false
  return note.begun > Math.max(...SOURCES.map((path) => newestIn(inRoot(path))))
}

/** When the last file at or below a path was changed. @param {string} path @returns {number} */
function newestIn(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const names = readdirSync(path).filter((name) => !WRITTEN.has(name))
  return Math.max(0, ...names.map((name) => newestIn(join(path, name))))
}
