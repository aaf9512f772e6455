/**
 * What browser code gets in place of a package (`scripts/browser-shims/`), and whether that has everything that
 * its importers use: a new version of simple-peer may use more.
 */
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { inRoot } from './run.mjs'

/** Package to its shim, in `scripts/browser-shims`. */
export const SHIMS = {
  buffer: 'buffer.cjs',
  debug: 'debug.cjs',
  'readable-stream': 'readable-stream.cjs',
}

/** What is named in code that does not run in a browser, by the file that names it. @type {Record<string, string[]>} */
const UNREACHED = {
  // Of `allocUnsafeSlow`, where `buffer` has none itself.
  'safe-buffer': ['buffer.SlowBuffer'],
}

/** @param {string} name */
export const shimPath = (name) => inRoot('scripts', 'browser-shims', SHIMS[/** @type {keyof SHIMS} */ (name)])

/** @typedef {{ path: string, value: unknown }} Bound what an expression stands for, and where it comes from */

/** @param {Bound} from @param {string} member @returns {Bound} */
const memberOf = ({ path, value }, member) => ({
  path: `${path}.${member}`,
  value: value === undefined || value === null ? undefined : Object(value)[member],
})

/** Whether a name is a parameter of a function around it, and no import. @param {ts.Identifier} identifier */
function isParameter({ text, parent }) {
  for (let around = parent; around; around = around.parent)
    if (ts.isFunctionLike(around) && around.parameters.some(({ name }) => name.getText() === text))
      return true
  return false
}

/** One file that imports shims: collects what it names of them and does not find. */
class Importer {
  /** @type {Map<string, Bound>} */
  #names = new Map()
  /** @type {Set<string>} */
  missing = new Set()
  #shims

  /** @param {Record<string, Record<string, unknown>>} shims modules by the package that they replace */
  constructor(shims) {
    this.#shims = shims
  }

  /** @param {ts.Node} node */
  visit(node) {
    if (ts.isImportDeclaration(node)) this.#import(node)
    else if (ts.isVariableDeclaration(node) && node.initializer) this.#declare(node)
    else if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) this.#resolve(node)
    else if (ts.isClassLike(node)) this.#extend(node)
    ts.forEachChild(node, (child) => this.visit(child))
  }

  /** @param {Bound} from @param {string} member */
  #member(from, member) {
    const found = memberOf(from, member)
    if (from.value !== undefined && found.value === undefined) this.missing.add(found.path)
    return found
  }

  /** @param {ts.Node} node @returns {Bound | undefined} */
  #resolve(node) {
    if (ts.isIdentifier(node)) return isParameter(node) ? undefined : this.#names.get(node.text)
    if (ts.isPropertyAccessExpression(node)) {
      const from = this.#resolve(node.expression)
      return from && this.#member(from, node.name.text)
    }
    if (!ts.isCallExpression(node)) return undefined
    const [name] = node.arguments
    if (
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'require' &&
      name &&
      ts.isStringLiteral(name)
    )
      return this.#module(name.text)
    // What a module that is a function gives: `require('debug')('name')`.
    const made = ts.isCallExpression(node.expression) ? this.#resolve(node.expression) : undefined
    return made && typeof made.value === 'function'
      ? { path: `${made.path}()`, value: Reflect.apply(made.value, undefined, []) }
      : undefined
  }

  /** @param {string} name @returns {Bound | undefined} */
  #module(name) {
    const shim = this.#shims[name]
    if (shim) return { path: name, value: shim }
    if (Object.keys(this.#shims).some((each) => name.startsWith(`${each}/`))) this.missing.add(name)
    return undefined
  }

  /** @param {ts.ImportDeclaration} node */
  #import({ moduleSpecifier, importClause }) {
    const module = ts.isStringLiteral(moduleSpecifier) ? this.#module(moduleSpecifier.text) : undefined
    if (!module || !importClause) return
    const { name, namedBindings } = importClause
    if (name) this.#names.set(name.text, this.#member(module, 'default'))
    if (!namedBindings) return
    if (ts.isNamespaceImport(namedBindings)) this.#names.set(namedBindings.name.text, module)
    else
      for (const { name: local, propertyName } of namedBindings.elements)
        this.#names.set(local.text, this.#member(module, (propertyName ?? local).text))
  }

  /** @param {ts.VariableDeclaration} node */
  #declare({ name, initializer }) {
    const value = initializer && this.#resolve(initializer)
    if (!value) return
    if (ts.isIdentifier(name)) this.#names.set(name.text, value)
    else if (ts.isObjectBindingPattern(name))
      for (const { name: local, propertyName } of name.elements)
        if (ts.isIdentifier(local))
          this.#names.set(local.text, this.#member(value, propertyName?.getText() ?? local.text))
  }

  /**
   * What a class asks of itself and has neither declared nor set comes from the class that it extends.
   * @param {ts.ClassLikeDeclaration} node
   */
  #extend(node) {
    const extended = node.heritageClauses?.flatMap(({ types }) => [...types])[0]?.expression
    const base = extended && this.#resolve(extended)
    if (!base || typeof base.value !== 'function') return
    const own = new Set(node.members.flatMap(({ name }) => (name ? [name.getText()] : [])))
    /** @type {Set<string>} */
    const asked = new Set()
    /** @param {ts.Node} at */
    const look = (at) => {
      if (ts.isPropertyAccessExpression(at) && at.expression.kind === ts.SyntaxKind.ThisKeyword) {
        const isSet = ts.isBinaryExpression(at.parent) && at.parent.left === at
        ;(isSet ? own : asked).add(at.name.text)
      }
      ts.forEachChild(at, look)
    }
    look(node)
    const instance = Reflect.construct(base.value, [])
    for (const name of asked)
      if (!own.has(name) && !(name in instance)) this.missing.add(`${base.path}#${name}`)
  }
}

/**
 * What a file uses of packages and does not find in their shims, as `buffer.Buffer.concat`.
 * @param {string} code
 * @param {Record<string, Record<string, unknown>>} shims
 */
export function missingIn(code, shims) {
  const importer = new Importer(shims)
  importer.visit(ts.createSourceFile('file.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS))
  return [...importer.missing]
}

/** The shims as their importers see them: `require` gives the module, `import` its namespace. */
export async function loadShims() {
  const modules = await Promise.all(
    Object.keys(SHIMS).map(async (name) => {
      const path = shimPath(name)
      const module = await import(pathToFileURL(path).href)
      return [name, path.endsWith('.cjs') ? module.default : module]
    }),
  )
  return Object.fromEntries(modules)
}

/**
 * Puts the shims in the place of their packages, and fails where a file imports what they lack.
 * @type {import('esbuild').Plugin}
 */
export const browserShims = {
  name: 'browser shims',
  setup(bundler) {
    /** @type {Set<string>} */
    const importers = new Set()
    bundler.onResolve(
      { filter: new RegExp(`^(${Object.keys(SHIMS).join('|')})(/|$)`) },
      ({ path, importer }) => {
        importers.add(importer)
        return path in SHIMS ? { path: shimPath(path) } : undefined
      },
    )
    bundler.onEnd(async () => {
      const shims = await loadShims()
      const errors = await Promise.all(
        [...importers].map(async (file) => {
          const unreached = UNREACHED[basename(dirname(file))] ?? []
          const missing = missingIn(await readFile(file, 'utf8'), shims).filter(
            (each) => !unreached.includes(each),
          )
          return missing.map((each) => ({ text: `${file} uses ${each}, which scripts/browser-shims/ lacks` }))
        }),
      )
      return { errors: errors.flat() }
    })
  },
}

/** A package as one module, as browsers load it. @param {string} name */
export async function bundleWithShims(name) {
  const { outputFiles } = await build({
    stdin: { contents: `export { default } from '${name}'`, resolveDir: inRoot() },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [browserShims],
  })
  return outputFiles[0]?.text
}
