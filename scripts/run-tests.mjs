import { readFileSync, rmSync } from 'node:fs'
import { inRoot, runNode, tool } from './run.mjs'
import { readUnfinished, unfinishedPath } from './unfinished-reporter.mjs'

/** @typedef {import('./count-tests.mjs').Report} Report */

/** @param {string} path @returns {Report | null} */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/**
 * Runs vitest with these arguments. Where `signal` stops it, `unfinished` names the test files that had begun
 * and had not ended; none else.
 * @param {readonly string[]} args
 * @param {{ signal: AbortSignal, report: string, env?: Record<string, string>, print?: boolean }} options
 *   `report`: path of vitest's JSON report
 * @returns {Promise<{ code: number, report: Report | null, unfinished: readonly string[] }>}
 */
export async function runTests(args, { report, ...options }) {
  for (const path of [report, unfinishedPath(options.env)]) rmSync(path, { force: true })
  const reporters = ['default', 'json', inRoot('scripts', 'unfinished-reporter.mjs')]
  const { code } = await runNode(
    tool('vitest/vitest.mjs'),
    ['run', ...reporters.map((name) => `--reporter=${name}`), `--outputFile.json=${report}`, ...args],
    options,
  )
  const unfinished = options.signal.aborted ? readUnfinished(options.env) : []
  return { code, report: readReport(report), unfinished }
}
