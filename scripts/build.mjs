/**
 * Builds everything that is served or published.
 *
 *   node scripts/build.mjs             browser bundles, apps and service: what `npm start` needs
 *   node scripts/build.mjs --package   the same, and the published modules with their types
 */
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build, stop } from 'esbuild'
import { compressFolder } from './compress.mjs'
import { withDirectImports } from './direct-imports.mjs'
import { minifyFolder } from './minify.mjs'
import { inRoot, isMain, root, runNode, tool } from './run.mjs'
import { browserShims } from './shims.mjs'

/** Bundle name in `dist/browser` to its entry. */
const BUNDLES = {
  duolog: 'sdk/index.ts',
  agent: 'sdk/agent/index.ts',
  compat: 'sdk/compat/index.ts',
  symbols: 'sdk/symbols/index.ts',
  engines: 'engines/index.ts',
  machines: 'machines/index.ts',
}
/** Apart: its own copy of the SDK keeps what only tests need out of the chunks that visitors load. */
const TESTING = { testing: 'testing/index.ts' }
const GLOBAL = 'sdk/global.ts'
const APPS = ['visitor', 'agent', 'inspector']
const PACKAGE_FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'testing']

/**
 * Shims for what every browser has itself; and without a transport of Socket.IO that `socketTransport` never
 * asks for.
 * @type {import('esbuild').Plugin[]}
 */
const plugins = [
  browserShims,
  {
    name: 'without WebTransport',
    setup: (bundler) =>
      bundler.onLoad({ filter: /engine\.io-client.*[\\/]webtransport\.js$/ }, () => ({
        contents: 'export class WT {}',
      })),
  },
]

/** What every page has that loads anything of the SDK. */
const BASE = 'sdk/client/create-client.ts'

/**
 * Keeps the base together: esbuild cuts it to pieces, one for each set of later chunks that share something of
 * it, unless each of those says that it needs all of it. It is there by then in any case, and one file is
 * smaller than its pieces.
 * @type {import('esbuild').Plugin}
 */
const baseInOnePiece = {
  name: 'base in one piece',
  setup(bundler) {
    // The other entries share pieces of it, and `compat` imports what is loaded later otherwise.
    const others = Object.values(BUNDLES).filter((entry) => entry !== BUNDLES.duolog)
    const later = new Set(
      [...others, 'sdk/transcript/transcript.ts', 'engines/webrtc/index.ts'].map((path) => inRoot(path)),
    )
    bundler.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
      const file = resolve(resolveDir, path)
      if (kind === 'dynamic-import' && file.endsWith('.ts')) later.add(file)
      return file === inRoot(BASE) ? { path: file, sideEffects: true } : undefined
    })
    bundler.onLoad({ filter: /[\\/](?:sdk|machines|engines|protocol)[\\/].*\.ts$/ }, async ({ path }) => {
      const contents = withDirectImports(await readFile(path, 'utf8'), path)
      if (!later.has(path)) return { contents, loader: 'ts' }
      const base = relative(dirname(path), inRoot(BASE)).replaceAll('\\', '/')
      return { contents: `${contents}\nimport '${base}'`, loader: 'ts' }
    })
  },
}

/** Where `size-limit` reads which chunk imports which. */
export const BROWSER_META = '.cache/browser-meta.json'

/** @satisfies {import('esbuild').BuildOptions} */
const common = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  metafile: true,
  logLevel: 'silent',
  tsconfigRaw: {},
})

/**
 * Removes what an earlier build left in a folder and this one did not write.
 * @param {string} folder
 * @param {import('esbuild').Metafile} meta
 */
async function removeStale(folder, meta) {
  const kept = new Set(Object.keys(meta.outputs).map((path) => resolve(root, path)))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = resolve(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.has(path)) await rm(path)
  }
}

async function buildBrowser() {
  const outdir = inRoot('dist', 'browser')
  const browser = /** @type {const} */ ({
    ...common,
    minify: true,
    platform: 'browser',
    plugins,
  })
  const split = /** @type {const} */ ({
    ...browser,
    outdir,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  })
  const [modules, testing, classic] = await Promise.all([
    build({ ...split, entryPoints: BUNDLES, plugins: [...plugins, baseInOnePiece] }),
    build({ ...split, entryPoints: TESTING }),
    build({
      ...browser,
      entryPoints: { 'duolog.global': GLOBAL },
      outdir,
      format: 'iife',
      globalName: 'Duolog',
    }),
  ])
  await removeStale(outdir, {
    inputs: {},
    outputs: { ...modules.metafile.outputs, ...testing.metafile.outputs, ...classic.metafile.outputs },
  })
  await mkdir(inRoot('.cache'), { recursive: true })
  await writeFile(inRoot(BROWSER_META), JSON.stringify(modules.metafile))
}

/** @param {string} app */
const distOf = (app) => inRoot('apps', app, 'dist')

/** @param {string} app */
async function buildApp(app) {
  const outdir = distOf(app)
  await build({
    ...common,
    entryPoints: { main: `apps/${app}/src/main.ts` },
    outdir,
    minify: true,
    platform: 'browser',
    external: ['duolog', 'duolog/*'],
  })
  const pages = inRoot('apps', app, 'public')
  if (existsSync(pages)) await cp(pages, outdir, { recursive: true })
}

/**
 * A bundle of the SDK and what it imports at once. @param {string} path @param {Set<string>} found @returns {Promise<string[]>}
 */
async function importedAtOnce(path, found = new Set()) {
  if (found.has(path)) return []
  found.add(path)
  /** @type {import('esbuild').Metafile} */
  const { outputs } = JSON.parse(await readFile(inRoot(BROWSER_META), 'utf8'))
  for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
    if (!external && kind === 'import-statement') await importedAtOnce(next, found)
  return [...found]
}

/** Names in a page what its modules import, so that a browser asks for all of it at once. @param {string} app */
async function preload(app) {
  const page = join(distOf(app), 'index.html')
  const modules = await importedAtOnce('dist/browser/duolog.js')
  const links = modules.map(
    (path) => `<link rel="modulepreload" href="/sdk/${relative('dist/browser', path)}" />`,
  )
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
 * @param {{ small?: boolean }} [options] `small`: minified once more, for what is published
 */
export async function buildForStart({ small = false } = {}) {
  await Promise.all([buildBrowser(), ...APPS.map(buildApp), buildService()])
  await stop()
  if (small) await Promise.all(servedFolders().map(minifyFolder))
  await preload('visitor')
  await Promise.all(servedFolders().map(compressFolder))
}

/** The published modules and their types. */
export async function buildPackage() {
  await Promise.all(
    PACKAGE_FOLDERS.map((folder) => rm(inRoot('dist', folder), { recursive: true, force: true })),
  )
  const { code, output } = await runNode(tool('typescript/bin/tsc'), ['-p', 'tsconfig.build.json'])
  if (code !== 0) throw new Error(`tsc found errors:\n${output.trim()}`)
}

if (isMain(import.meta.url)) {
  const steps = process.argv.includes('--package')
    ? [buildForStart({ small: true }), buildPackage()]
    : [buildForStart()]
  const failed = (await Promise.allSettled(steps)).flatMap((step) =>
    step.status === 'rejected' ? [step.reason] : [],
  )
  for (const reason of failed) console.error(reason instanceof Error ? reason.message : reason)
  process.exitCode = failed.length > 0 ? 1 : 0
}
