/**
 * The package of the service: its program, and beside it the SDK, the widget and the pages that it serves, and the
 * files of `deploy/` for a machine without containers.
 */
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inRoot, run } from './run.mjs'

/** Folders of the build by the name under which the service finds them beside its program. */
const PAGES = {
  sdk: ['dist', 'browser'],
  visitor: ['apps', 'visitor', 'dist'],
  agent: ['apps', 'agent', 'dist'],
  inspector: ['apps', 'inspector', 'dist'],
}

/** What docs/deploy.md has somebody copy, who has the package and not this repository. */
const DEPLOY = ['systemd', 'nginx', 'caddy', 'coturn']

/** What a package of the service must have. */
export const NEEDED = [
  'dist/main.js',
  ...Object.keys(PAGES).map((name) => `dist/pages/${name}`),
  ...DEPLOY.map((name) => `deploy/${name}`),
]

/** Source maps of the pages would be three quarters of the package. @param {string} path */
const isPublished = (path) => !path.endsWith('.map')

/**
 * Packs what the build has made. The service must have been built. Gives the path of the tarball.
 * @param {string} folder for the tarball; all that is in it goes
 * @returns {Promise<string>}
 */
export async function packService(folder) {
  const staged = join(folder, 'package')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(staged, 'dist', 'pages'), { recursive: true })
  for (const name of ['package.json', 'README.md']) await cp(inRoot('service', name), join(staged, name))
  await cp(inRoot('LICENSE'), join(staged, 'LICENSE'))
  await cp(inRoot('service', 'dist', 'main.js'), join(staged, 'dist', 'main.js'))
  for (const [name, path] of Object.entries(PAGES))
    await cp(inRoot(...path), join(staged, 'dist', 'pages', name), { recursive: true, filter: isPublished })
  for (const name of DEPLOY)
    await cp(inRoot('deploy', name), join(staged, 'deploy', name), { recursive: true })
  const { code, output } = await run('npm', [
    'pack',
    staged,
    '--ignore-scripts',
    '--silent',
    '--pack-destination',
    folder,
  ])
  const name = (await readdir(folder)).find((each) => each.endsWith('.tgz'))
  if (code !== 0 || !name) throw new Error(`unable to pack the service; ${output}`)
  const tarball = join(folder, 'service.tgz')
  await rename(join(folder, name), tarball)
  await rm(staged, { recursive: true, force: true })
  return tarball
}
