/**
 * Minifies what esbuild wrote once more with Terser, which finds about 3 % of the compressed size that one
 * pass over each file leaves. Source maps lead to the sources still.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { minify } from 'terser'
import { orderOfDefinitions, parts, withOrder } from './order.mjs'

/** Words of two letters that are no names. */
const RESERVED = ['do', 'if', 'in']

/**
 * Terser's names for what a chunk takes of others and gives to them: those under which it does, where they are
 * short. `export{a,b}` is smaller than `export{xs as a,Tt as b}`.
 * @param {string} code
 */
export function sharedNames(code) {
  /** @type {Map<string, string>} */
  const names = new Map()
  for (const [, verb, list = ''] of code.matchAll(/\b(import|export)\{([^}]*)\}/g))
    for (const each of list.split(',')) {
      const [from = '', as = from] = each.trim().split(' as ')
      const [local, shared] = verb === 'import' ? [as, from] : [from, as]
      const isFree = !names.has(local) && ![...names.values(), ...RESERVED].includes(shared)
      if (shared.length <= 2 && isFree) names.set(local, shared)
    }
  return Object.fromEntries([...names].map(([local, shared]) => [`$${local}`, shared]))
}

/**
 * Terser's tree of a file, minified.
 * @param {{ path: string, code: string }} file
 * @returns {Promise<{ body: import('./order.mjs').Node[] }>}
 */
export async function minifiedTree({ path, code }) {
  const isModule = /^(?:import|export)\b|[;}](?:import|export)\b/.test(code)
  const { ast } = /** @type {any} */ (
    await minify(
      { [basename(path)]: code },
      {
        module: isModule,
        ...(isModule && { nameCache: { vars: { props: sharedNames(code) } } }),
        ecma: 2020,
        // What is inlined is repeated, which compresses worse than a call.
        compress: { passes: 3, inline: 1 },
        format: /** @type {any} */ ({ ast: true, code: false }),
      },
    )
  )
  return ast
}

/** @param {object} tree @param {import('terser').SourceMapOptions} [sourceMap] */
export const written = (tree, sourceMap) =>
  minify(/** @type {any} */ (tree), {
    compress: false,
    mangle: false,
    ecma: 2020,
    ...(sourceMap && { sourceMap }),
  })

const PASSED_ON = /^import\{([\w$,]+)\}from("[^"]+");export\{([^}]+)\};?\s*$/

/**
 * What a file only passes on, in one statement. It has no code that a source map could lead to.
 * @param {string} code
 * @returns {string | null} null: it does something else
 */
export function passedOn(code) {
  const [, names = '', from = '', given = ''] = PASSED_ON.exec(code) ?? []
  const locals = given.split(',').map((each) => each.split(' as ')[0] ?? '')
  const isAll = from !== '' && locals.every((name) => names.split(',').includes(name))
  return isAll ? `export{${given}}from${from};\n` : null
}

/** @param {string} path */
export async function minifyFile(path) {
  const [code, map] = await Promise.all([readFile(path, 'utf8'), readFile(`${path}.map`, 'utf8')])
  const name = basename(path)
  const tree = await minifiedTree({ path, code })
  const found = parts(tree, { path, map })
  if (found) tree.body = withOrder(found, orderOfDefinitions())
  const small = await written(tree, { content: map, filename: name, url: `${name}.map` })
  if (small.code === undefined || typeof small.map !== 'string')
    throw new Error(`Terser gave nothing for ${path}`)
  const short = passedOn(small.code.replace(/\/\/# sourceMappingURL=.*$/m, ''))
  await Promise.all([writeFile(path, short ?? small.code), writeFile(`${path}.map`, small.map)])
}

/** Minifies the scripts below a folder, one after the other. @param {string} folder */
export async function minifyFolder(folder) {
  const files = await readdir(folder, { recursive: true })
  for (const file of files) if (file.endsWith('.js')) await minifyFile(join(folder, file))
}
