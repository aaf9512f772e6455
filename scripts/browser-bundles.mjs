/** The bundles that browsers load: the SDK's, and `widget.js` with its panel. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { commonJs } from './commonjs.mjs'
import { withDirectImports } from './direct-imports.mjs'
import { withFixedLimits } from './fixed-limits.mjs'
import { withLaterImports } from './later-xstate.mjs'
import { minifyFile } from './minify.mjs'
import { inRoot, root } from './run.mjs'
import { withShortNames } from './short-names.mjs'
import { unusedXState } from './unused-xstate.mjs'

/** Bundle name in `dist/browser` to its entry. */
const BUNDLES = {
  duolog: 'sdk/index.ts',
  agent: 'sdk/agent/index.ts',
  compat: 'sdk/compat/index.ts',
  symbols: 'sdk/symbols/index.ts',
  engines: 'engines/index.ts',
}
/**
 * Apart: with a copy of their own, tools and tests neither add to the chunks that visitors load nor cut them to
 * pieces.
 */
const TOOLS = { machines: 'machines/index.ts', testing: 'testing/index.ts' }
const GLOBAL = 'sdk/global.ts'
/** `widget.js`, and what it loads on intent. Apart: what it shares with nothing else stays in few files. */
const LOADER = 'apps/visitor/src/loader.ts'
const PANEL = 'apps/visitor/src/panel.ts'

/**
 * The SDK's own sources in the place of the package, for bundles that have all in them.
 * @type {import('esbuild').Plugin}
 */
const sdkFromSources = {
  name: 'SDK from its sources',
  setup: (bundler) =>
    bundler.onResolve({ filter: /^duolog(?:\/|$)/ }, ({ path }) => ({
      path: inRoot(BUNDLES[/** @type {keyof typeof BUNDLES} */ (path.replace(/^duolog\//, ''))]),
    })),
}

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
      const code = await withFixedLimits(await readFile(path, 'utf8'))
      const contents = withLaterImports(withDirectImports(code, path))
      if (!later.has(path)) return { contents, loader: 'ts' }
      const base = relative(dirname(path), inRoot(BASE)).replaceAll('\\', '/')
      return { contents: `${contents}\nimport './${base}'`, loader: 'ts' }
    })
  },
}

/** Where `size-limit` reads which chunk of the panel imports which. */
export const PANEL_META = '.cache/panel-meta.json'

/** Where `size-limit` reads which chunk imports which. */
export const BROWSER_META = '.cache/browser-meta.json'

/** @satisfies {import('esbuild').BuildOptions} */
export const common = /** @type {const} */ ({
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
export async function removeStale(folder, meta) {
  const kept = new Set(Object.keys(meta.outputs).map((path) => resolve(root, path)))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = resolve(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.has(path)) await rm(path)
  }
}

const browser = /** @satisfies {import('esbuild').BuildOptions} */ ({
  ...common,
  minify: true,
  platform: /** @type {const} */ ('browser'),
  // Without what only Node needs.
  define: { 'globalThis.process': 'undefined' },
  plugins: [commonJs],
})

/** @param {string} outdir */
const splitIn = (outdir) =>
  /** @satisfies {import('esbuild').BuildOptions} */ ({
    ...browser,
    outdir,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  })

/** The SDK's modules. @param {string} outdir */
const modulesIn = (outdir) =>
  /** @satisfies {import('esbuild').BuildOptions} */ ({
    ...splitIn(outdir),
    entryPoints: BUNDLES,
    plugins: [unusedXState, commonJs, baseInOnePiece],
  })

/** @param {string} outdir */
export const buildModules = (outdir) => build({ ...modulesIn(outdir), ...withShortNames() })

/** @param {string} outdir */
const panelIn = (outdir) =>
  /** @satisfies {import('esbuild').BuildOptions} */ ({
    ...splitIn(outdir),
    entryPoints: { panel: PANEL },
    entryNames: 'chunks/[name]-[hash]',
    plugins: [unusedXState, commonJs, sdkFromSources, baseInOnePiece],
  })

/** Files of other packages that are bundled with the SDK. */
export async function bundledPackages() {
  const outdir = inRoot('.cache', 'names')
  const built = await Promise.all(
    [modulesIn(outdir), panelIn(outdir)].map((options) => build({ ...options, write: false })),
  )
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  return [...new Set(inputs)]
    .filter((path) => path.startsWith('node_modules/'))
    .map((path) => inRoot(path.replace(/\?.*/, '')))
}

export async function buildBrowser() {
  const outdir = inRoot('dist', 'browser')
  const split = splitIn(outdir)
  const [modules, tools, panel, classic] = await Promise.all([
    buildModules(outdir),
    build({ ...split, entryPoints: TOOLS }),
    build({ ...panelIn(outdir), ...withShortNames() }),
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
    outputs: Object.assign({}, ...[modules, tools, panel, classic].map(({ metafile }) => metafile.outputs)),
  })
  await mkdir(inRoot('.cache'), { recursive: true })
  await writeFile(inRoot(BROWSER_META), JSON.stringify(modules.metafile))
  await writeFile(inRoot(PANEL_META), JSON.stringify(panel.metafile))
}

/** Integrity of a file (Subresource Integrity, 3.1). @param {string} path */
const integrityOf = async (path) =>
  `sha384-${createHash('sha384')
    .update(await readFile(resolve(root, path)))
    .digest('base64')}`

/**
 * `widget.js`: when the modules are as they will be served, since it holds their names and integrity.
 * @param {boolean} isSmall
 */
export async function buildLoader(isSmall) {
  /** @type {import('esbuild').Metafile} */
  const { outputs } = JSON.parse(await readFile(inRoot(PANEL_META), 'utf8'))
  const panel = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === PANEL) ?? ''
  const paths = await importedAtOnce(panel, PANEL_META)
  const modules = await Promise.all(
    paths.map(async (path) => [relative('dist/browser', path), await integrityOf(path)]),
  )
  const outfile = inRoot('dist', 'browser', 'widget.js')
  await build({
    ...common,
    entryPoints: [LOADER],
    outfile,
    format: 'iife',
    minify: true,
    platform: 'browser',
    define: { MODULES: JSON.stringify(modules) },
  })
  if (isSmall) await minifyFile(outfile)
}

/**
 * A bundle and what it imports at once.
 * @param {string} path
 * @param {string} meta
 * @param {Set<string>} found
 * @returns {Promise<string[]>}
 */
export async function importedAtOnce(path, meta, found = new Set()) {
  if (found.has(path)) return []
  found.add(path)
  /** @type {import('esbuild').Metafile} */
  const { outputs } = JSON.parse(await readFile(inRoot(meta), 'utf8'))
  for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
    if (!external && kind === 'import-statement') await importedAtOnce(next, meta, found)
  return [...found]
}

/**
 * What bundles import at once of packages that stay outside.
 * @param {readonly string[]} paths
 * @param {string} meta
 */
export async function externalsOf(paths, meta) {
  /** @type {import('esbuild').Metafile} */
  const { outputs } = JSON.parse(await readFile(inRoot(meta), 'utf8'))
  const imports = paths.flatMap((path) => outputs[path]?.imports ?? [])
  const names = imports.flatMap(({ path, kind, external }) =>
    external && kind === 'import-statement' ? [path] : [],
  )
  return [...new Set(names)]
}

/** Integrity of every script that is served, for pages that ask for it. */
export async function writeIntegrity() {
  const folder = inRoot('dist', 'browser')
  const files = await readdir(folder, { recursive: true })
  const scripts = files.filter((file) => file.endsWith('.js')).toSorted()
  const found = await Promise.all(scripts.map((file) => integrityOf(join(folder, file))))
  const integrity = Object.fromEntries(scripts.map((file, at) => [file.replaceAll('\\', '/'), found[at]]))
  await writeFile(join(folder, 'integrity.json'), `${JSON.stringify(integrity, null, 2)}\n`)
  return integrity
}
