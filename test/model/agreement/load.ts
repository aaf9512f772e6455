/** The encryption as a module: with symbolic primitives, as it is in the tree or with rules taken out of a copy. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'
import type { AgreedKey, Transcript } from '../../../sdk/crypto/agreement.ts'
import type * as production from './production.ts'
import { crypto, nacl, nameOf } from './symbols.ts'

export type Production = typeof production

/** A rule of the source is another one, or is not there. */
export interface Patch {
  readonly file: string
  /** Stands in the file once. */
  readonly rule: string
  readonly by: string
}

/** How a key was made. */
export interface Derived {
  readonly secret: Uint8Array
  /** Id of the key that it goes on from, where its secret is mixed in. */
  readonly resumed: string | null
  /** Contact for which it was made. */
  readonly contact: string
}

/** Every key that somebody has worked out, by its id. */
export const derived = new Map<string, Derived>()

const ROOT = process.env['DUOLOG_ROOT'] ?? fileURLToPath(new URL('../../../', import.meta.url))
const HOOK = 'duolog.agreement'
const GET = `globalThis[Symbol.for('${HOOK}')]`

Object.assign(globalThis, {
  [Symbol.for(HOOK)]: {
    nacl,
    crypto,
    /** Hears of every key that is made. */
    derived: (
      key: AgreedKey,
      secret: Uint8Array,
      old: Uint8Array,
      { resumed, contact }: Transcript,
    ): AgreedKey => {
      const isMixed = resumed !== null && nameOf(old) === nameOf(resumed.secret)
      derived.set(key.id, {
        ...{ secret, contact },
        resumed: isMixed ? Buffer.from(resumed.id).toString('base64') : null,
      })
      return key
    },
  },
})

let count = 0

/** Loads the encryption with rules taken out. @throws Error — a rule does not stand in its file once */
export async function load(patches: readonly Patch[] = []): Promise<Production> {
  const outfile = join(
    ROOT,
    'node_modules',
    '.cache',
    'model',
    `agreement-${process.pid}-${threadId}-${count++}.mjs`,
  )
  await build({
    entryPoints: [join(ROOT, 'test', 'model', 'agreement', 'production.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    banner: { js: `const crypto = ${GET}.crypto` },
    outfile,
    logLevel: 'silent',
    plugins: [symbols, patched([...patches])],
  })
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Production
  } finally {
    rmSync(outfile, { force: true })
  }
}

const symbols: Plugin = {
  name: 'symbols',
  setup(plugin) {
    plugin.onResolve({ filter: /^tweetnacl$/ }, () => ({ path: 'tweetnacl', namespace: 'symbols' }))
    plugin.onLoad({ filter: /.*/, namespace: 'symbols' }, () => ({ contents: `export default ${GET}.nacl` }))
  },
}

const patched = (patches: readonly Patch[]): Plugin => ({
  name: 'patched',
  setup(plugin) {
    for (const file of new Set([...patches.map((one) => one.file), AGREEMENT]))
      plugin.onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, ({ path }) => {
        const mine = patches.filter((one) => one.file === file)
        const source = mine.reduce(
          (text, { rule, by }) => {
            if (text.split(rule).length !== 2) throw new Error(`${file} has no rule, or several: ${rule}`)
            return text.replace(rule, () => by)
          },
          readFileSync(path, 'utf8'),
        )
        return { contents: file === AGREEMENT ? listening(source) : source, loader: 'ts' }
      })
  },
})

const AGREEMENT = 'sdk/crypto/agreement.ts'

/** The checker hears how every key is made: of which secrets. */
const listening = (source: string): string =>
  source
    .replace('export function deriveKey(', 'function derive(')
    .replace(
      'hkdfExtract(salt, concat(',
      `((salt: Uint8Array, input: Bytes) => { mixed = input.slice(32); return hkdfExtract(salt, input) })(salt, concat(`,
    ).concat(`
let mixed: Uint8Array = new Uint8Array()
export function deriveKey(secret: Uint8Array, transcript: Transcript): AgreedKey {
  return ${GET}.derived(derive(secret, transcript), secret, mixed, transcript)
}
`)
