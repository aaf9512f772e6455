/**
 * Holds package-lock.json: no download addresses, no versions with known holes, no install script that nobody
 * decided on, and what somebody gets who installs a package: `overrides` hold in this repository alone.
 */
import { readFileSync } from 'node:fs'
import { inRoot, isMain } from './run.mjs'

/** Packages and the first version without a known hole. */
const OLDEST_SAFE = { ws: '8.21.0', 'engine.io': '6.4.2', 'socket.io-parser': '4.2.3', 'crypto-js': '4.2.0' }

/** @param {string} version */
const numbers = (version) => (version.split('-')[0] ?? '').split('.').map(Number)

/** @param {string} version @param {string} than */
function isOlder(version, than) {
  const [a, b] = [numbers(version), numbers(than)]
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

/**
 * @typedef {{ version?: string, resolved?: string, link?: boolean, dev?: boolean, hasInstallScript?: boolean }} Locked
 * @param {{ packages: Record<string, Locked> }} lock
 * @param {Record<string, boolean>} allowScripts of package.json
 * @param {Record<string, unknown>} overrides of package.json
 */
export function lockProblems(lock, allowScripts, overrides = {}) {
  return Object.entries(lock.packages).flatMap(
    ([path, { version = '0', resolved, link, dev, hasInstallScript }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const oldest = Object.entries(OLDEST_SAFE).find(([known]) => known === name)?.[1]
      return [
        ...(resolved && !link
          ? [`${path} has a download address; write the lock file with omit-lockfile-registry-resolved`]
          : []),
        ...(oldest && isOlder(version, oldest)
          ? [`${path} is ${version}, which has known holes; ${oldest} is the first without`]
          : []),
        ...(hasInstallScript && !(name in allowScripts)
          ? [`${path} has an install script; decide on it in allowScripts of package.json`]
          : []),
        ...(name in overrides && !dev
          ? [`${path} is overridden, and who installs the package gets another version; depend on it instead`]
          : []),
      ]
    },
  )
}

function main() {
  const { allowScripts, overrides } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  const lock = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'))
  const problems = lockProblems(lock, allowScripts, overrides)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (isMain(import.meta.url)) main()
