/**
 * Programs that tests and deployments need and npm does not have: taken where they are, else installed from
 * Debian where this user may.
 */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fail } from './install.mjs'
import { run } from './run.mjs'

/**
 * @typedef {object} Program
 * @property {string} name for people
 * @property {string[]} names on the search path
 * @property {string} variable environment variable that names one
 * @property {string} aptPackage
 * @property {string[]} [elsewhere] paths where it stands on other systems
 */

/** @type {Program} */
const CHROMIUM = {
  name: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  variable: 'DUOLOG_CHROMIUM',
  aptPackage: 'chromium',
  elsewhere: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
}

/** @type {Program} */
const FIREFOX = {
  name: 'Firefox',
  names: ['firefox-esr', 'firefox'],
  variable: 'DUOLOG_FIREFOX',
  aptPackage: 'firefox-esr',
  elsewhere: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
}

/** @type {Program} */
const TURN_SERVER = {
  name: 'coturn',
  names: ['turnserver'],
  variable: 'DUOLOG_TURNSERVER',
  aptPackage: 'coturn',
}

/** @type {Program} */
const NATS_SERVER = {
  name: 'nats-server',
  names: ['nats-server'],
  variable: 'DUOLOG_NATS_SERVER',
  aptPackage: 'nats-server',
  elsewhere: ['/usr/sbin/nats-server'],
}

/** @type {Program} */
const HAPROXY = {
  name: 'HAProxy',
  names: ['haproxy'],
  variable: 'DUOLOG_HAPROXY',
  aptPackage: 'haproxy',
  elsewhere: ['/usr/sbin/haproxy'],
}

/** Programs that read the files of `deploy/`. */
const DEPLOY_PROGRAMS = {
  nginx: {
    name: 'nginx',
    names: ['nginx'],
    variable: 'DUOLOG_NGINX',
    aptPackage: 'nginx-light',
    elsewhere: ['/usr/sbin/nginx'],
  },
  caddy: { name: 'Caddy', names: ['caddy'], variable: 'DUOLOG_CADDY', aptPackage: 'caddy' },
  systemd: {
    name: 'systemd-analyze',
    names: ['systemd-analyze'],
    variable: 'DUOLOG_SYSTEMD_ANALYZE',
    aptPackage: 'systemd',
  },
}

/** What some faults of `npm run chaos` need, which are left out where it is missing. @type {Program[]} */
const FAULT_PROGRAMS = [
  {
    name: 'iproute2',
    names: ['ip'],
    variable: 'DUOLOG_IP',
    aptPackage: 'iproute2',
    elsewhere: ['/usr/sbin/ip'],
  },
  {
    name: 'nftables',
    names: ['nft'],
    variable: 'DUOLOG_NFT',
    aptPackage: 'nftables',
    elsewhere: ['/usr/sbin/nft'],
  },
]
/** @type {Program} */
const FAKE_TIME = { name: 'libfaketime', names: [], variable: 'DUOLOG_FAKETIME', aptPackage: 'libfaketime' }

/** Programs that a new user has in the walks of `test/walks`. @type {Record<'postgres', Program>} */
const WALK_PROGRAMS = {
  postgres: {
    name: 'PostgreSQL',
    names: ['pg_ctl'],
    variable: 'DUOLOG_PG_CTL',
    aptPackage: 'postgresql',
    elsewhere: ['17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin/pg_ctl`),
  },
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The first such program on this machine: its variable names one, else the search path.
 * @param {Program} program
 * @param {NodeJS.ProcessEnv} env
 */
export function findProgram({ names, variable, elsewhere = [] }, env = process.env) {
  const named = env[variable]
  if (named) return isProgram(named) ? named : undefined
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/bin']
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...elsewhere].find(
    isProgram,
  )
}

/**
 * Ends the process with what to install, where this user cannot install a program or it is no program.
 * @param {Program} program
 * @returns {never}
 */
function failWithout({ name, variable, aptPackage }) {
  const named = process.env[variable]
  if (named) return fail(`unable to run ${name}; ${variable} names ${named}, which is no program`)
  return fail(
    `This command needs ${name}: install it (Debian: apt-get install ${aptPackage}), or name one by ${variable}`,
  )
}

/** Whether this user may install Debian's packages. */
const mayInstall = async () => process.getuid?.() === 0 && (await run('apt-get', ['--version'])).code === 0

/**
 * Installs programs by one command of Debian's.
 * @param {readonly Program[]} missing
 */
async function install(missing) {
  const [first] = missing
  if (!first) return
  const named = missing.find(({ variable }) => process.env[variable])
  if (named) return failWithout(named)
  if (!(await mayInstall())) return failWithout(first)
  console.log(`Installing ${missing.map(({ name }) => name).join(', ')} …`)
  await run('apt-get', ['update', '-qq'])
  const { code, output } = await run(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...missing.map(({ aptPackage }) => aptPackage)],
    { env: { DEBIAN_FRONTEND: 'noninteractive' } },
  )
  if (code !== 0) console.error(output.trim().split('\n').slice(-10).join('\n'))
}

/**
 * The paths of programs by the names they are given here. Those that are missing are installed. Ends the process with
 * what to install where that cannot be done.
 * @template {string} K
 * @param {Record<K, Program>} programs
 * @returns {Promise<Record<K, string>>}
 */
async function ensure(programs) {
  const entries = /** @type {[K, Program][]} */ (Object.entries(programs))
  await install(entries.flatMap(([, program]) => (findProgram(program) ? [] : [program])))
  const paths = entries.map(([name, program]) => [name, findProgram(program) ?? failWithout(program)])
  return /** @type {Record<K, string>} */ (Object.fromEntries(paths))
}

/**
 * The same, by the environment variables that name them.
 * @param {...Program} programs
 */
const ensureForTests = (...programs) =>
  ensure(Object.fromEntries(programs.map((program) => [program.variable, program])))

/** The environment variables that tell the tests where their programs are. */
export const ensurePrograms = () => ensureForTests(CHROMIUM, TURN_SERVER, NATS_SERVER)

/** The same for `npm run firefox`. */
export const ensureFirefox = () => ensureForTests(FIREFOX)

/** The same for `npm run cluster` and `npm run chaos`. */
export const ensureClusterPrograms = () => ensureForTests(NATS_SERVER, HAPROXY)

/** The same for `npm run deploy:check`, by their names. */
export const ensureDeployPrograms = () => ensure({ ...DEPLOY_PROGRAMS, nats: NATS_SERVER })

/** The same for `npm run walks`. */
export const ensureWalkPrograms = () => ensureForTests(WALK_PROGRAMS.postgres, DEPLOY_PROGRAMS.nginx)

/** Installs what some faults of `npm run chaos` need, where this user may. */
export async function installFaultPrograms() {
  const missing = FAULT_PROGRAMS.filter((program) => !findProgram(program))
  if (!fakeTimeLibrary().DUOLOG_FAKETIME) missing.push(FAKE_TIME)
  if (missing.length > 0 && (await mayInstall())) await install(missing)
}

/**
 * Where Debian has libfaketime, by which the clock of one process jumps; empty where it is not there.
 * @returns {{ DUOLOG_FAKETIME?: string }}
 */
export function fakeTimeLibrary() {
  const given = process.env['DUOLOG_FAKETIME']
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : []
  const places = folders.map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketime.so.1'))
  const found = given ?? places.find((path) => existsSync(path))
  return found === undefined ? {} : { DUOLOG_FAKETIME: found }
}
