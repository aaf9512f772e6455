/** Production code as a module: as it is in the tree, or a copy with a change. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Production } from './local.ts'

const ROOT = process.env['PARLEY_ROOT'] ?? fileURLToPath(new URL('../../', import.meta.url))

/** A text that is to be found exactly once in a file, and what stands there instead. */
export interface Patch {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** Bundles `protocol/` and `machines/` with the patches into a file of its own and loads it. */
export async function load(name: string, patches: readonly Patch[]): Promise<Production> {
  const outfile = join(ROOT, '.cache', 'model', `${name}.mjs`)
  await build({
    stdin: { contents: "export * as machines from './machines/index.ts'\nexport * as protocol from './protocol/index.ts'", resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'silent',
    plugins: [
      {
        name: 'patch',
        setup(plugin) {
          plugin.onLoad({ filter: /(protocol|machines)\/.*\.ts$/ }, ({ path }) => ({ contents: patched(path, patches), loader: 'ts' }))
        },
      },
    ],
  })
  return (await import(/* @vite-ignore */ `${pathToFileURL(outfile).href}?${name}`)) as Production
}

function patched(path: string, patches: readonly Patch[]): string {
  return patches
    .filter(({ file }) => path.endsWith(`/${file}`))
    .reduce(
      (text, { file, find, replace }) => {
        const parts = text.split(anyLayout(find))
        if (parts.length !== 2) throw new Error(`${parts.length - 1} times in ${file}: ${find}`)
        return parts.join(replace)
      },
      readFileSync(path, 'utf8'),
    )
}

/** Matches code however it is broken into lines. */
const anyLayout = (code: string): RegExp =>
  new RegExp(
    code
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\s+/g, '\\s*')
      .replace(/(\\[({[])(?:\\s\*)?/g, '$1\\s*')
      .replace(/,?(?:\\s\*)?(\\[)}\]])/g, ',?\\s*$1'),
  )
