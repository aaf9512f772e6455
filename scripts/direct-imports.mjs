/**
 * Imports from an index as imports from the files behind it. esbuild keeps a file in the chunk of everything
 * that reaches it, also by an index of which it takes other names only: what is loaded later would be in the base.
 */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

/** @typedef {{ path: string, name: string }} Source a file, and the name there; `*` for all of it */

/** @type {Map<string, { named: Map<string, Source>, all: string[] }>} */
const indexes = new Map()

/** @param {string} list the names between braces @returns {{ from: string, as: string }[]} */
const namesIn = (list) =>
  list.split(',').flatMap((each) => {
    const [from = '', as = from] = each.trim().split(/\s+as\s+/)
    return from === '' || from.startsWith('type ') ? [] : [{ from, as }]
  })

/** What an index exports of other files. @param {string} path */
function exportsOf(path) {
  const known = indexes.get(path)
  if (known) return known
  const found = { named: new Map(), all: /** @type {string[]} */ ([]) }
  const code = readFileSync(path, 'utf8')
  const behind = (/** @type {string} */ file) => resolve(dirname(path), file)
  for (const [, list = '', file = ''] of code.matchAll(/^export \{([^}]*)\} from '(\.[^']*)'/gm))
    for (const { from, as } of namesIn(list)) found.named.set(as, { path: behind(file), name: from })
  for (const [, as, file = ''] of code.matchAll(/^export \* (?:as (\w+) )?from '(\.[^']*)'/gm))
    if (as) found.named.set(as, { path: behind(file), name: '*' })
    else found.all.push(behind(file))
  indexes.set(path, found)
  return found
}

const isIndex = (/** @type {string} */ path) => /[\\/](?:index|eager)\.ts$/.test(path)

/** Where a name of an index is defined. @param {string} path @param {string} name @returns {Source} */
function sourceOf(path, name) {
  if (!isIndex(path)) return { path, name }
  const { named, all } = exportsOf(path)
  const source = named.get(name)
  if (source) return source.name === '*' ? source : sourceOf(source.path, source.name)
  const through = all.filter(isIndex).map((each) => sourceOf(each, name))
  return through.find((each) => !isIndex(each.path)) ?? { path, name }
}

/**
 * The code of a file, line by line as before.
 * @param {string} code
 * @param {string} path
 */
export function withDirectImports(code, path) {
  const folder = dirname(path)
  const statements = /^(import|export) \{([^}]*)\} from '(\.[^']*\/(?:index|eager)\.ts)'/gm
  return code.replaceAll(statements, (all, ...[verb, list, file]) => {
    const parts = namesIn(list).map(({ from, as }) => {
      const source = sourceOf(resolve(folder, file), from)
      const to = relative(folder, source.path).replaceAll('\\', '/')
      const name = source.name === '*' ? `* as ${as}` : `{ ${source.name} as ${as} }`
      return `${verb} ${name} from '${to.startsWith('.') ? to : `./${to}`}'`
    })
    return parts.join(';') + '\n'.repeat(all.split('\n').length - 1)
  })
}
