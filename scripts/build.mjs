/**
 * Builds everything that is served or published.
 *
 *   node scripts/build.mjs             browser bundles, apps and service: what `npm start` needs
 *   node scripts/build.mjs --small     the same as it is published
 *   node scripts/build.mjs --package   the same, and the published modules with their types
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, stop } from 'esbuild'
import {
  BROWSER_META,
  buildBrowser,
  buildLoader,
  common,
  externalsOf,
  importedAtOnce,
  removeStale,
  writeIntegrity,
} from './browser-bundles.mjs'
import { compressFolder } from './compress.mjs'
import { noted } from './fresh-build.mjs'
import { importAgain } from './import-again.mjs'
import { minifyFolder } from './minify.mjs'
import { buildElements } from './package-elements.mjs'
import { removeUnreachedTypes } from './package-types.mjs'
import { inRoot, isMain, runNode, tool } from './run.mjs'

export { BROWSER_META }

const APPS = ['visitor', 'agent', 'inspector']
const PACKAGE_FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'testing']

/** @param {string} app */
const distOf = (app) => inRoot('apps', app, 'dist')

/** Which chunk of an app imports which. @param {string} app */
const metaOf = (app) => `.cache/${app}-meta.json`

/** @param {string} app */
async function buildApp(app) {
  const outdir = distOf(app)
  const { metafile } = await build({
    ...common,
    entryPoints: { main: `apps/${app}/src/main.ts` },
    outdir,
    minify: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'browser',
    external: ['duolog', 'duolog/*'],
  })
  await removeStale(outdir, metafile)
  await mkdir(inRoot('.cache'), { recursive: true })
  await writeFile(inRoot(metaOf(app)), JSON.stringify(metafile))
  const pages = inRoot('apps', app, 'public')
  if (existsSync(pages)) await cp(pages, outdir, { recursive: true })
}

/** Names in a page what its modules import, so that a browser asks for all of it at once. @param {string} app */
async function preload(app) {
  const page = join(distOf(app), 'index.html')
  const own = await importedAtOnce(`apps/${app}/dist/main.js`, metaOf(app))
  const entries = await externalsOf(own, metaOf(app))
  const modules = await Promise.all(
    entries.map((name) => importedAtOnce(`dist/browser/${name.replace('duolog/', '')}.js`, BROWSER_META)),
  )
  const addresses = [
    ...own.map((path) => `./${relative(`apps/${app}/dist`, path)}`),
    ...new Set(modules.flat().map((path) => `/sdk/${relative('dist/browser', path)}`)),
  ]
  const links = addresses.map((address) => `<link rel="modulepreload" href="${address}" />`)
  await writeFile(
    page,
    (await readFile(page, 'utf8')).replace('</head>', `  ${links.join('\n    ')}\n  </head>`),
  )
}

const buildService = () =>
  build({
    ...common,
    entryPoints: { main: 'service/src/main.ts' },
    outdir: inRoot('service', 'dist'),
    platform: 'node',
    target: 'node20',
    packages: 'external',
  })

const servedFolders = () => [inRoot('dist', 'browser'), ...APPS.map(distOf)]

/**
 * What `npm start` needs.
 * @param {{ small?: boolean }} [options] `small`: minified and compressed as far as it goes, for what is published
 */
export const buildForStart = ({ small = false } = {}) => noted(small, () => buildServed(small))

/** @param {boolean} small */
async function buildServed(small) {
  await Promise.all([buildBrowser(), ...APPS.map(buildApp), buildService()])
  await Promise.all(servedFolders().map(importAgain))
  if (small) await Promise.all(servedFolders().map(minifyFolder))
  await buildLoader(small)
  await stop()
  await Promise.all(['visitor', 'agent'].map(preload))
  const integrity = await writeIntegrity()
  await Promise.all(servedFolders().map((folder) => compressFolder(folder, { small })))
  return integrity
}

/** The modules of the package and their types. */
async function buildModules() {
  await Promise.all(
    PACKAGE_FOLDERS.map((folder) => rm(inRoot('dist', folder), { recursive: true, force: true })),
  )
  const { code, output } = await runNode(tool('typescript/bin/tsc'), ['-p', 'tsconfig.build.json'])
  if (code !== 0) throw new Error(`tsc found errors:\n${output.trim()}`)
}

/** What is served, small, and what is published. */
async function buildAll() {
  const [integrity] = await Promise.all([buildForStart({ small: true }), buildModules()])
  await buildElements()
  await removeUnreachedTypes([...PACKAGE_FOLDERS, 'elements'])
  console.log(`integrity of widget.js: ${integrity['widget.js']}`)
}

if (isMain(import.meta.url)) {
  const has = (/** @type {string} */ flag) => process.argv.includes(flag)
  const built = has('--package') ? buildAll() : buildForStart({ small: has('--small') })
  await built.catch((/** @type {Error} */ error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
