/**
 * `npm test`: sets up what the tests need, builds, checks and runs all tests, and the short form of `npm run chaos`
 * beside the checks. With arguments, only vitest with these arguments (`npm test -- test/protocol`). The last line
 * counts what really ran: `npm run check` and `npm run chaos` count as one test each. After 60 minutes, or `DUOLOG_TEST_LIMIT_MINUTES`, it stops and names the
 * test files that had not ended.
 */
import { countTests, summary } from './count-tests.mjs'
import { ensureInstalled } from './install.mjs'
import { ensurePrograms } from './programs.mjs'
import { inRoot, run, runNode } from './run.mjs'
import { runTests } from './run-tests.mjs'

/** Each run disturbs in the same order. */
const CHAOS = ['--short', '--seed', '25']
const LIMIT_MINUTES = Number(process.env['DUOLOG_TEST_LIMIT_MINUTES']) || 60

const filters = process.argv.slice(2)
const [env] = await Promise.all([ensurePrograms(), ensureInstalled()])
const signal = AbortSignal.timeout(LIMIT_MINUTES * 60_000)

// The checks build what the tests need; with arguments only that is done, and what it fails at shows in the
// tests.
const checked = filters.length === 0
const chaos = checked ? runNode(inRoot('scripts', 'chaos.mjs'), CHAOS, { env, signal }) : null
const task = checked ? 'check' : 'build:package'
const prepared = await run('npm', ['run', '--silent', task], {
  print: true,
  env: { WIREIT_FAILURES: 'continue' },
  signal,
})
const disturbed = await chaos
if (disturbed) console.log(disturbed.output)
const isPrepared = !signal.aborted
const options = { print: true, env, signal, report: inRoot('.cache', 'vitest.json') }
const { code, report, unfinished } = isPrepared
  ? await runTests(filters, options)
  : { code: 1, report: null, unfinished: [`npm run ${task}`] }
if (signal.aborted) {
  console.error(`\nstopped after ${LIMIT_MINUTES} minutes; these had not ended:`)
  for (const name of unfinished) console.error(`  ${name}`)
}
const counts = countTests(report, code, disturbed ? [prepared.code, disturbed.code] : [])
console.log(`\n${summary(counts)}`)
process.exitCode = counts.failed > 0 ? 1 : 0
