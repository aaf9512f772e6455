/**
 * Packs the SDK (`.cache/pack/package.tgz`) and the service (`.cache/pack/service/service.tgz`), and fails where
 * that is too much.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from './install.mjs'
import { inRoot, run } from './run.mjs'
import { packService } from './service-package.mjs'

/** Largest tarballs, bytes. That of the service has the pages, and what is compressed of them. */
const LIMIT = 600_000
const SERVICE_LIMIT = 2_600_000
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
const service = statSync(await packService(join(FOLDER, 'service')))
if (service.size > SERVICE_LIMIT)
  fail(`the package of the service has ${service.size} bytes; its limit is ${SERVICE_LIMIT}`)
