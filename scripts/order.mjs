/**
 * The order of a bundle's definitions. The compressor of a page's transfer sees 32 kB behind itself: definitions that
 * look alike compress better side by side than in the order of their imports. `order-of-definitions.json` is what
 * `node scripts/find-order.mjs` has found.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { inRoot, root } from './run.mjs'

/**
 * A node of Terser's tree, of which nothing else is used.
 * @typedef {object} Node
 * @property {string} TYPE
 * @property {any} [name]
 * @property {any} [value]
 * @property {Node[]} [definitions]
 * @property {Node} [extends]
 * @property {(Node & { static?: boolean, key?: unknown })[]} [properties]
 * @property {{ global: boolean, undeclared: boolean }} [thedef]
 * @property {{ line: number, col: number }} start
 * @property {() => Node} clone
 * @property {() => string} print_to_string
 * @property {(push: (child: Node) => void) => void} _children_backwards
 */

/**
 * @typedef {object} Definition a function, or a variable with its value
 * @property {Node} statement
 * @property {Node} node
 * @property {string} key file and name in it
 * @property {number[]} needs definitions that have to be before this one
 */

/** Values whose evaluation runs nothing and reads no other definition. @param {Node | undefined} value */
function isInert(value) {
  if (!value || ['Arrow', 'Function', 'String', 'Number', 'True', 'False'].includes(value.TYPE)) return true
  const members = value.properties ?? []
  return (
    value.TYPE === 'ClassExpression' &&
    !value.extends &&
    members.every(({ static: isStatic, key }) => !isStatic && (typeof key === 'string' || isName(key)))
  )
}

/** @param {unknown} key */
const isName = (key) => /** @type {Node | undefined} */ (key)?.TYPE.startsWith('Symbol') === true

/** @param {Node} node @param {(node: Node) => void} visit */
function walk(node, visit) {
  visit(node)
  node._children_backwards((child) => walk(child, visit))
}

/** The names that a definition gives: one, or those of a pattern. @param {Node} name */
function namesIn(name) {
  /** @type {string[]} */
  const found = []
  walk(name, ({ TYPE, name: each }) => {
    if (TYPE.startsWith('Symbol') && TYPE !== 'SymbolRef') found.push(each)
  })
  return found
}

/**
 * What is evaluated where it stands needs all that it may reach. No file has other effects: `package.json` says so.
 * @param {readonly Node[]} head imports
 * @param {readonly Node[]} statements
 * @param {(node: Node) => string} keyOf
 * @returns {Definition[]}
 * @throws {Error} a name of the bundle is given by nothing that can be put in order
 */
function definitionsOf(head, statements, keyOf) {
  const imported = new Set(head.flatMap(namesIn))
  const all = statements.flatMap((statement) =>
    (statement.definitions ?? [statement]).map((node) => ({ statement, node, key: keyOf(node.name) })),
  )
  const at = new Map(all.flatMap(({ node }, index) => namesIn(node.name).map((name) => [name, index])))
  const mentioned = all.map(({ node }) => {
    /** @type {Set<number>} */
    const found = new Set()
    walk(node, ({ TYPE, name, thedef }) => {
      if (TYPE !== 'SymbolRef' || thedef?.global === false) return
      const index = at.get(name)
      if (index !== undefined) found.add(index)
      else if (thedef?.global && !thedef.undeclared && !imported.has(name))
        throw new Error(`unable to order the definitions; none of them gives ${name}`)
    })
    return found
  })
  /** @param {number} from */
  const reached = (from) => {
    const found = new Set([from])
    for (const each of found) for (const next of mentioned[each] ?? []) found.add(next)
    return found
  }
  return all.map((definition, index) => {
    const isFree = definition.statement.TYPE === 'Defun' || isInert(definition.node.value)
    const needs = isFree ? [] : [...reached(index)]
    return {
      ...definition,
      needs: needs.filter((each) => each < index && all[each]?.statement.TYPE !== 'Defun'),
    }
  })
}

/**
 * Definitions in the order of a list. What is not in it stays behind the one that it was behind.
 * @param {readonly Definition[]} definitions
 * @param {readonly string[]} keys
 */
export function sorted(definitions, keys) {
  /** @type {Map<string, number[]>} */
  const at = new Map(keys.map((key) => [key, []]))
  /** @type {number[]} */
  const first = []
  let behind = first
  for (const [index, { key }] of definitions.entries()) {
    behind = at.get(key) ?? behind
    behind.push(index)
  }
  /** @type {Set<number>} */
  const placed = new Set()
  /** @param {number} index */
  const place = (index) => {
    if (placed.has(index)) return
    for (const needed of definitions[index]?.needs ?? []) place(needed)
    placed.add(index)
  }
  for (const indexes of [first, ...at.values()]) indexes.forEach(place)
  return [...placed].flatMap((index) => definitions[index] ?? [])
}

/** Variables that follow one another in one statement. @param {readonly Definition[]} definitions */
function statementsOf(definitions) {
  /** @type {Node[]} */
  const found = []
  for (const { statement, node } of definitions) {
    const last = found.at(-1)
    if (statement.TYPE === 'Defun') found.push(node)
    else if (last?.definitions) last.definitions.push(node)
    else found.push(Object.assign(statement.clone(), { definitions: [node] }))
  }
  return found
}

/**
 * @param {{ body: Node[] }} tree of Terser
 * @param {{ path: string, map: string }} from where the bundle is, and its source map
 * @returns {{ head: Node[], definitions: Definition[], tail: Node[] } | null} null: it has something else than
 *   imports, definitions and exports
 */
export function parts({ body }, { path, map }) {
  const sources = new SourceMap(JSON.parse(map))
  /** @param {Node} name */
  const keyOf = ({ start: { line, col } }) => {
    const entry = sources.findEntry(line - 1, col)
    if (!('originalSource' in entry)) return ''
    const file = relative(root, resolve(dirname(path), entry.originalSource)).replaceAll('\\', '/')
    return `${file} ${/** @type {{ name?: string }} */ (entry).name ?? ''}`
  }
  const of = (/** @type {string[]} */ ...types) => body.filter(({ TYPE }) => types.includes(TYPE))
  const [head, statements, tail] = [of('Import'), of('Var', 'Defun'), of('Export')]
  if (head.length + statements.length + tail.length < body.length) return null
  return { head, definitions: definitionsOf(head, statements, keyOf), tail }
}

/** @param {NonNullable<ReturnType<typeof parts>>} parts @param {readonly string[]} keys */
export const withOrder = ({ head, definitions, tail }, keys) => [
  ...head,
  ...statementsOf(sorted(definitions, keys)),
  ...tail,
]

/** @returns {string[]} */
export const orderOfDefinitions = () =>
  JSON.parse(readFileSync(inRoot('scripts', 'order-of-definitions.json'), 'utf8'))
