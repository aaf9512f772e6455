/**
 * What every command needs first: a Node that is new enough, and the packages of the lock file. Node's own
 * modules only.
 */
import { readFileSync } from 'node:fs'
import { inRoot, run, runNode } from './run.mjs'

const OLDEST = [20, 19]

/** @param {string} version for example `20.19.0` */
export function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/**
 * @typedef {{ version?: string, link?: boolean, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lock
 */

/**
 * Packages of `wanted` that are missing in `installed` or stand there with another version.
 * @param {Lock} wanted package-lock.json
 * @param {Lock} installed node_modules/.package-lock.json
 */
export function missingPackages(wanted, installed) {
  const have = installed.packages ?? {}
  return Object.entries(wanted.packages ?? {})
    .filter(([path]) => path.includes('node_modules/'))
    .filter(([path, locked]) => {
      const found = have[path]
      if (!found) return !(locked.optional || locked.devOptional || locked.peer)
      return !locked.link && found.version !== locked.version
    })
    .map(([path]) => path)
}

/** @param {string} path @returns {Lock | null} */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/**
 * Installs what the lock file names, where it is not there yet. Ends the process with one line where it
 * cannot.
 */
export async function ensureInstalled() {
  if (!isSupportedNode(process.versions.node))
    fail(`Duolog needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}`)
  const wanted = readLock(inRoot('package-lock.json'))
  if (!wanted) return fail('unable to read package-lock.json')
  const installed = readLock(inRoot('node_modules', '.package-lock.json'))
  const missing = installed ? missingPackages(wanted, installed) : null
  if (missing?.length === 0) return
  console.log(
    missing
      ? `Installing packages (${missing.length} are missing or outdated) …`
      : 'Installing packages (first run, about a minute) …',
  )
  const started = Date.now()
  const { code } = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  if (code !== 0) fail('unable to install the packages; npm says why above')
  await runNode(inRoot('scripts', 'git-hooks.mjs'), [], { print: true })
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
}

/** @param {string[]} args */
function npm(args) {
  const cli = process.env['npm_execpath']
  return cli?.endsWith('.js') ? runNode(cli, args, { print: true }) : run('npm', args, { print: true })
}

/** Ends the process with one line. @param {string} reason @returns {never} */
export function fail(reason, code = 1) {
  console.error(reason)
  process.exit(code)
}
