/** Packs what is imported and nothing else into `.cache/pack/package.tgz`, and fails where that is too much. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from './install.mjs'
import { inRoot, run } from './run.mjs'

/** Largest tarball, bytes. */
const LIMIT = 600_000
const FOLDER = inRoot('.cache', 'pack')
const TARBALL = join(FOLDER, 'package.tgz')

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const { code, output } = await run('npm', [
  'pack',
  '--ignore-scripts',
  '--silent',
  '--pack-destination',
  FOLDER,
])
const [name] = readdirSync(FOLDER)
if (code !== 0 || !name) fail(output)
renameSync(join(FOLDER, name ?? ''), TARBALL)
const { size } = statSync(TARBALL)
if (size > LIMIT) fail(`the package has ${size} bytes; its limit is ${LIMIT}`)
