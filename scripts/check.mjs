/**
 * `npm run check`: every fast check, two at a time. One line for each; what a check printed is shown where it
 * failed.
 * With names (`npm run check -- lint size`) only these, and they take what has been built.
 */
import { CHECKS } from './checks.mjs'
import { fail } from './install.mjs'

/** @typedef {import('./checks.mjs').Check} Check */

const AT_ONCE = 2

/** Lets `limit` tasks run at the same time. @param {number} limit */
function createGate(limit) {
  let free = limit
  /** @type {(() => void)[]} */
  const waiting = []
  return {
    async enter() {
      if (free > 0) free -= 1
      else await new Promise((/** @type {(value?: undefined) => void} */ resolve) => waiting.push(resolve))
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
  }
}

/** @param {readonly Check[]} checks @returns {Promise<boolean[]>} */
function runAll(checks) {
  const gate = createGate(AT_ONCE)
  /** @type {Map<string, Promise<boolean>>} */
  const passed = new Map()
  /** @param {Check} check */
  const carryOut = async (check) => {
    if (check.needs && (await passed.get(check.needs)) === false) {
      console.log(`- ${check.name.padEnd(16)} not run: ${check.needs} failed`)
      return false
    }
    await gate.enter()
    const started = Date.now()
    const { code, output } = await check.run()
    gate.leave()
    const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`
    console.log(`${code === 0 ? '✓' : '✗'} ${check.name.padEnd(16)} ${seconds.padStart(7)}`)
    if (code !== 0) console.log(`\n${output.trim()}\n`)
    return code === 0
  }
  for (const check of checks) passed.set(check.name, carryOut(check))
  return Promise.all(passed.values())
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !CHECKS.some((check) => check.name === name))
if (unknown) fail(`there is no check "${unknown}"; there are ${CHECKS.map(({ name }) => name).join(', ')}`)

const started = Date.now()
const results = await runAll(names.length > 0 ? CHECKS.filter(({ name }) => names.includes(name)) : CHECKS)
const failed = results.filter((ok) => !ok).length
console.log(
  `${failed === 0 ? 'All checks passed' : `${failed} of ${results.length} checks failed`} in ${Math.round((Date.now() - started) / 1000)} s`,
)
process.exitCode = failed === 0 ? 0 : 1
