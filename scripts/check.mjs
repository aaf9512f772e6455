/**
 * `npm run check`: every fast check, two at a time. One line for each; what a check printed is shown where it failed.
 * `--no-build` takes the build that is there.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFolders, sourcePaths } from './folders.mjs'
import { inRoot, run, runNode, tool } from './run.mjs'

/**
 * @typedef {{ code: number, output: string }} Outcome
 * @typedef {{ name: string, needs?: string, run: () => Promise<Outcome> }} Check `needs` names a check that must have passed
 */

const PACK = inRoot('.cache', 'pack')

/** @param {string} path @param {readonly string[]} [args] */
const npmTool = (path, args = []) => runNode(tool(path), args)

/** @param {string} name */
const script = (name) => runNode(inRoot('scripts', `${name}.mjs`))

const tarball = () => join(PACK, readdirSync(PACK)[0] ?? 'missing')

function pack() {
  rmSync(PACK, { recursive: true, force: true })
  mkdirSync(PACK, { recursive: true })
  return run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', PACK])
}

/** Ordered by time, longest first, but for what others need. @type {Check[]} */
const CHECKS = [
  { name: 'build', run: () => runNode(inRoot('scripts', 'build.mjs'), ['--package']) },
  { name: 'types', run: () => npmTool('typescript/bin/tsc') },
  { name: 'documentation', run: () => npmTool('typedoc/bin/typedoc') },
  { name: 'lint', run: () => npmTool('oxlint/bin/oxlint', ['--type-aware', ...sourcePaths]) },
  { name: 'layers', run: () => npmTool('dependency-cruiser/bin/dependency-cruise.mjs', ['--config', '.dependency-cruiser.mjs', ...sourceFolders]) },
  { name: 'unused code', run: () => npmTool('knip/bin/knip.js', ['--no-progress']) },
  { name: 'format', run: () => npmTool('oxfmt/bin/oxfmt', ['--check', ...sourcePaths]) },
  { name: 'requirements', run: () => script('requirements') },
  { name: 'change notes', run: () => script('version') },
  { name: 'lock file', run: () => script('lock-file') },
  { name: 'size', needs: 'build', run: () => npmTool('size-limit/bin.js') },
  { name: 'package', needs: 'build', run: pack },
  { name: 'package exports', needs: 'package', run: () => npmTool('publint/src/cli.js', ['run', tarball(), '--strict']) },
  { name: 'package types', needs: 'package', run: () => npmTool('@arethetypeswrong/cli/dist/index.js', [tarball(), '--profile', 'esm-only']) },
]

/** @type {Map<string, Promise<boolean>>} */
const passed = new Map()
let free = 2
/** @type {(() => void)[]} */
const waiting = []

async function enter() {
  if (free > 0) free -= 1
  else await new Promise((/** @type {(value?: undefined) => void} */ resolve) => waiting.push(resolve))
}

function exit() {
  const next = waiting.shift()
  if (next) next()
  else free += 1
}

/** @param {Check} check */
async function carryOut(check) {
  if (check.needs && (await passed.get(check.needs)) === false) {
    console.log(`- ${check.name.padEnd(16)} not run: ${check.needs} failed`)
    return false
  }
  await enter()
  const started = Date.now()
  const { code, output } = await check.run()
  exit()
  const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`
  console.log(`${code === 0 ? '✓' : '✗'} ${check.name.padEnd(16)} ${seconds.padStart(7)}`)
  if (code !== 0) console.log(`\n${output.trim()}\n`)
  return code === 0
}

const started = Date.now()
const built = process.argv.includes('--no-build')
for (const check of CHECKS) if (!(built && check.name === 'build')) passed.set(check.name, carryOut(check))
const results = await Promise.all(passed.values())
const failed = results.filter((ok) => !ok).length
console.log(`${failed === 0 ? 'All checks passed' : `${failed} of ${results.length} checks failed`} in ${Math.round((Date.now() - started) / 1000)} s`)
process.exitCode = failed === 0 ? 0 : 1
