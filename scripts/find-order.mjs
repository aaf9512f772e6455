/**
 * Looks for an order of the definitions in which the base compresses best, and writes it to
 * `order-of-definitions.json`: moves some of them elsewhere, and keeps what is not larger. Begins with the order that
 * is there.
 *
 *   node scripts/find-order.mjs [seconds]
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { stop } from 'esbuild'
import { buildModules } from './browser-bundles.mjs'
import { minifiedTree } from './minify.mjs'
import { orderOfDefinitions, parts, sorted } from './order.mjs'
import { inRoot, isMain, root } from './run.mjs'

const FOLDER = inRoot('.cache', 'order')
/** A file that the base has, and no other chunk. */
const IN_BASE = 'sdk/client/create-client.ts'

/** The base as it is before it is minified. */
async function builtBase() {
  const { metafile } = await buildModules(FOLDER)
  await stop()
  const path = Object.keys(metafile.outputs).find((each) => metafile.outputs[each]?.inputs[IN_BASE]) ?? ''
  const [code, map] = await Promise.all(
    [path, `${path}.map`].map((each) => readFile(join(root, each), 'utf8')),
  )
  return { path: join(root, path), code: code ?? '', map: map ?? '' }
}

/** Numbers between 0 and 1, the same in each run. */
function numbers() {
  let last = 1
  return () => (last = (last * 16_807) % 2_147_483_647) / 2_147_483_647
}

/**
 * Size of the base with its definitions in an order. Each definition is written once.
 * @param {NonNullable<ReturnType<typeof parts>>} found
 */
function measure({ head, definitions, tail }) {
  const texts = new Map(definitions.map(({ node }) => [node, node.print_to_string()]))
  const [first, last] = [head, tail].map((nodes) => nodes.map((node) => node.print_to_string()).join(';'))
  return (/** @type {readonly string[]} */ keys) => {
    const all = sorted(definitions, keys).map(({ statement, node }, at, { [at - 1]: before }) => {
      const isVariable = statement.TYPE === 'Var'
      const isNext = isVariable && before?.statement.TYPE === 'Var'
      return `${isNext ? ',' : isVariable ? ';var ' : ';'}${texts.get(node)}`
    })
    return gzipSync(`${first}${all.join('')};${last}`, { level: 9 }).length
  }
}

/** @param {number} seconds */
async function findOrder(seconds) {
  const base = await builtBase()
  const found = parts(await minifiedTree(base), base)
  if (!found) throw new Error('unable to order the base; it has statements besides definitions')
  const sizeOf = measure(found)
  let keys = [...new Set(sorted(found.definitions, orderOfDefinitions()).map(({ key }) => key))]
  let size = sizeOf(keys)
  console.log(`${size} bytes before`)
  const random = numbers()
  const below = (/** @type {number} */ end) => Math.floor(random() * end)
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const tried = [...keys]
    const moved = tried.splice(below(keys.length), 1 + Math.floor(6 * random() ** 3))
    tried.splice(below(tried.length + 1), 0, ...moved)
    const now = sizeOf(tried)
    if (now <= size) [keys, size] = [tried, now]
  }
  console.log(`${size} bytes`)
  await writeFile(inRoot('scripts', 'order-of-definitions.json'), `${JSON.stringify(keys, null, 2)}\n`)
  await rm(FOLDER, { recursive: true })
}

if (isMain(import.meta.url)) await findOrder(Number(process.argv[2] ?? 300))
