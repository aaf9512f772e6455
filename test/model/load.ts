/** Production code as a module: as it is in the tree, or with exports replaced. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'
import type { Production } from './local.ts'
import { MODULES, checkNames, replaced } from './replace.ts'
import type { ModuleName, Replacement } from './replace.ts'

const ROOT = process.env['DUOLOG_ROOT'] ?? fileURLToPath(new URL('../../', import.meta.url))
const HOOK = 'duolog.model.replaced'
const REAL = '?real'

/** By the query of the bundle's address: each query is a copy of its own. */
const replacements = new Map<string, readonly Replacement[]>()
const hook = (url: string, module: string, name: string, real: unknown): unknown =>
  replaced(replacements.get(new URL(url).search) ?? [], module, name, real)
Object.assign(globalThis, { [Symbol.for(HOOK)]: hook })

let bundle: Promise<string> | null = null

/** Loads `protocol/` and `machines/` with the replacements; `name` is free. */
export async function load(name: string, change: readonly Replacement[]): Promise<Production> {
  checkNames(change)
  const url = new URL(await (bundle ??= bundled()))
  url.search = name
  replacements.set(url.search, change)
  return (await import(/* @vite-ignore */ url.href)) as Production
}

/**
 * One file in which every export of {@link MODULES} passes the hook. It lies where test runners leave modules
 * to Node.
 */
async function bundled(): Promise<string> {
  const outfile = join(ROOT, 'node_modules', '.cache', 'model', `production-${process.pid}-${threadId}.mjs`)
  const contents =
    "export * as machines from './machines/index.ts'\nexport * as protocol from './protocol/index.ts'\nexport * as telephone from './sdk/media/phone.ts'"
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'silent',
    plugins: [replaceable],
  })
  process.once('exit', () => rmSync(outfile, { force: true }))
  return pathToFileURL(outfile).href
}

const replaceable: Plugin = {
  name: 'replaceable',
  setup(plugin) {
    plugin.onResolve({ filter: /\?real$/ }, ({ path }) => ({
      path: path.slice(0, -REAL.length),
      suffix: REAL,
    }))
    for (const [module, { file }] of Object.entries(MODULES)) {
      const path = join(ROOT, file)
      plugin.onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, ({ suffix }) =>
        suffix === REAL ? null : { contents: wrapper(module as ModuleName, path), loader: 'js' },
      )
    }
  },
}

const wrapper = (module: ModuleName, path: string): string =>
  [
    `import * as real from ${JSON.stringify(path + REAL)}`,
    `const replaced = globalThis[Symbol.for('${HOOK}')]`,
    ...Object.keys(MODULES[module].exports).map(
      (name) => `export const ${name} = replaced(import.meta.url, '${module}', '${name}', real.${name})`,
    ),
  ].join('\n')
