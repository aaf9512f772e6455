/** The browser of the tests: Debian's Chromium, installed where it is missing and this user may. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fail } from './install.mjs'
import { run } from './run.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The first Chromium on this machine: `PARLEY_CHROMIUM` names one, else the search path. @param {NodeJS.ProcessEnv} env */
export function findChromium(env = process.env) {
  const named = env['PARLEY_CHROMIUM']
  if (named) return isProgram(named) ? named : undefined
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/bin']
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), MAC].find(isProgram)
}

/** Path of a Chromium. Ends the process with what to install where there is none. */
export async function ensureChromium() {
  const found = findChromium()
  if (found) return found
  const named = process.env['PARLEY_CHROMIUM']
  if (named) return fail(`unable to run Chromium; PARLEY_CHROMIUM names ${named}, which is no program`)
  if (process.getuid?.() !== 0 || (await run('apt-get', ['--version'])).code !== 0) return fail(HOW)
  console.log('Installing Chromium (about a minute) …')
  await run('apt-get', ['update', '-qq'])
  const { code, output } = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  if (code !== 0) console.error(output.trim().split('\n').slice(-10).join('\n'))
  return findChromium() ?? fail(HOW)
}

const HOW = 'The browser tests need Chromium: install it (Debian: apt-get install chromium), or name one by PARLEY_CHROMIUM'
