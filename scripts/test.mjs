/**
 * `npm test`: sets up what the tests need, builds, checks and runs all tests. With arguments, only vitest
 * with these arguments (`npm test -- test/protocol`). The last line counts what really ran, and
 * `npm run check` counts as one test.
 */
import { readFileSync, rmSync } from 'node:fs'
import { countTests, summary } from './count-tests.mjs'
import { ensureInstalled } from './install.mjs'
import { ensurePrograms } from './programs.mjs'
import { inRoot, run, runNode, tool } from './run.mjs'

const REPORT = '.cache/vitest.json'

function readReport() {
  try {
    return JSON.parse(readFileSync(inRoot(REPORT), 'utf8'))
  } catch {
    return null
  }
}

const filters = process.argv.slice(2)
await ensureInstalled()
const env = await ensurePrograms()

// The checks build what the tests need; with arguments only that is done, and what it fails at shows in the
// tests.
const checked = filters.length === 0
const prepared = await run('npm', ['run', '--silent', checked ? 'check' : 'build:package'], {
  print: true,
  env: { WIREIT_FAILURES: 'continue' },
})

rmSync(inRoot(REPORT), { force: true })
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]
const { code } = await runNode(tool('vitest/vitest.mjs'), ['run', ...reporters, ...filters], {
  print: true,
  env,
})
const counts = countTests(readReport(), code, checked ? [prepared.code] : [])
console.log(`\n${summary(counts)}`)
process.exitCode = counts.failed > 0 ? 1 : 0
