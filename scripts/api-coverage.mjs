/**
 * Keeps `test/api-coverage.md`: each operation, event, error code and property of the Contact interface with
 * the tests that use it.
 * A test uses an operation where it calls it, and an event or a code where it names it as a string.
 *
 *   node scripts/api-coverage.mjs           fails where the page differs, or something has no test
 *   node scripts/api-coverage.mjs --apply   writes the page
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { contactEvents, errorCodes, publicInterface } from './contact-interface.mjs'
import { inRoot, isMain } from './run.mjs'

/**
 * @typedef {object} Proof
 * @property {string} file
 * @property {readonly string[]} ids requirements in the test's name
 * @property {ReadonlySet<string>} used names that it calls or reads
 * @property {ReadonlySet<string>} named strings in it
 * @typedef {{ text: string, used: Set<string>, named: Set<string> }} Helper
 */

const PAGE = inRoot('test', 'api-coverage.md')
const ID = /\b[A-Z]+-\d+\b/g
const RUNNERS = ['it', 'test']
/** Folders whose tests use the Contact of the SDK. */
const FOLDERS = ['test/sdk', 'test/e2e', 'test/service', 'test/packaging']
/** Most files named in a row. */
const MOST = 4

/** @param {ts.Node} node @returns {string} */
function runnerOf(node) {
  if (ts.isIdentifier(node)) return node.text
  return ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) ? runnerOf(node.expression) : ''
}

/** @param {ts.Node} root @param {Set<string>} used @param {Set<string>} named */
function collect(root, used, named) {
  /** @param {ts.Node} node @returns {void} */
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node)) used.add(node.name.text)
    if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) used.add(node.name.text)
    if (ts.isStringLiteralLike(node)) named.add(node.text)
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) named.add(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(root)
}

/**
 * Helpers and tables that a text names, and those that these name.
 * @param {string} text
 * @param {ReadonlyMap<string, Helper>} helpers
 * @param {Set<Helper>} found
 */
function helpersOf(text, helpers, found = new Set()) {
  for (const word of new Set(text.match(/\w+/g))) {
    const helper = helpers.get(word)
    if (!helper || found.has(helper)) continue
    found.add(helper)
    helpersOf(helper.text, helpers, found)
  }
  return found
}

/**
 * Tests of a file. What its helpers and tables use counts for a test that names them, or that stands in a
 * `describe.each` over them.
 * @param {string} file
 * @param {string} text
 * @returns {Proof[]}
 */
export function proofsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  /** @type {Map<string, Helper>} */
  const helpers = new Map()
  for (const statement of source.statements) {
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((one) => one.name.getText())
      : ts.isFunctionDeclaration(statement)
        ? [statement.name?.text ?? '']
        : []
    const parts = {
      text: statement.getText(),
      used: /** @type {Set<string>} */ (new Set()),
      named: /** @type {Set<string>} */ (new Set()),
    }
    if (names.length > 0) collect(statement, parts.used, parts.named)
    for (const name of names) helpers.set(name, parts)
  }
  /** @type {Proof[]} */
  const proofs = []
  /** @param {ts.Node} node @param {string} around what the groups around it run over @returns {void} */
  const visit = (node, around) => {
    if (
      ts.isCallExpression(node) &&
      RUNNERS.includes(runnerOf(node.expression)) &&
      node.arguments.length > 1
    ) {
      const [used, named] = [new Set(), new Set()]
      collect(node, used, named)
      for (const parts of helpersOf(`${around} ${node.getText()}`, helpers)) {
        for (const one of parts.used) used.add(one)
        for (const one of parts.named) named.add(one)
      }
      proofs.push({ file, ids: node.arguments[0]?.getText().match(ID) ?? [], used, named })
      return
    }
    const over =
      ts.isCallExpression(node) && runnerOf(node.expression) === 'describe'
        ? `${around} ${node.expression.getText()}`
        : around
    ts.forEachChild(node, (child) => visit(child, over))
  }
  visit(source, '')
  return proofs
}

/** @returns {Proof[]} */
function allProofs() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .toSorted()
      .flatMap((file) => proofsIn(join(folder, file), readFileSync(inRoot(folder, file), 'utf8'))),
  )
}

/** @param {readonly Proof[]} proofs */
function shown(proofs) {
  /** @type {Map<string, number>} */
  const files = new Map()
  for (const { file } of proofs) files.set(file, (files.get(file) ?? 0) + 1)
  const most = [...files].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST)
  const ids = [...new Set(proofs.flatMap((proof) => proof.ids))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  return `${ids.slice(0, 12).join(' ')}${ids.length > 12 ? ' …' : ''} | ${most.map(([file]) => `[${file.slice('test/'.length)}](${file.slice('test/'.length)})`).join(' ')}`
}

const TITLE = [
  '# What the tests use of the Contact interface',
  '',
  'Written by `node scripts/api-coverage.mjs --apply` from the tests; a check fails where it differs, or where something has no test. Each row names the [requirements](requirements.md) in the names of its tests and the files with most of them.',
  'Besides, [arguments.test.ts](sdk/api/arguments.test.ts) gives every operation 1,000 lists of arguments in each stage of a contact, and accepts no error code but those below.',
  '',
]

/** Codes that each operation documents. @param {readonly Proof[]} proofs @param {string[]} missing */
function codesTable(proofs, missing) {
  const { operations } = publicInterface()
  const rows = operations
    .filter(({ codes }) => codes.length > 0)
    .map(({ name, codes }) => {
      for (const code of codes)
        if (!proofs.some(({ used, named }) => used.has(name) && named.has(code)))
          missing.push(`Error code ${code} of ${name}`)
      return `| \`${name}\` | ${codes.join(', ')} |`
    })
  return [
    '## Error codes of each operation',
    '',
    'Of each, a test calls the operation and names the code.',
    '',
    '| operation | codes |',
    '|---|---|',
    ...rows,
    '',
  ]
}

/** The page, and what has no test. @param {readonly Proof[]} proofs */
export function coverage(proofs) {
  /** @type {string[]} */
  const missing = []
  /** @param {string} title @param {readonly string[]} names @param {'used' | 'named'} how */
  const table = (title, names, how) => {
    const rows = names.map((name) => {
      const by = proofs.filter((proof) => proof[how].has(name))
      if (by.length === 0) missing.push(`${title} ${name}`)
      return `| \`${name}\` | ${shown(by)} |`
    })
    return [`## ${title}`, '', '| | requirements | tests |', '|---|---|---|', ...rows, '']
  }
  const { operations, properties } = publicInterface()
  const names = operations.map(({ name }) => name)
  const lines = [
    ...TITLE,
    ...table('Operations', names, 'used'),
    ...codesTable(proofs, missing),
    ...table('Events', contactEvents(), 'named'),
    ...table('Error codes', errorCodes(), 'named'),
    ...table('Properties', properties, 'used'),
  ]
  return { page: lines.join('\n'), missing }
}

function main() {
  const { page, missing } = coverage(allProofs())
  const apply = process.argv.includes('--apply')
  if (apply) writeFileSync(PAGE, page)
  const differs = !apply && readFileSync(PAGE, 'utf8') !== page
  for (const one of missing) console.error(`${one} has no test`)
  if (differs)
    console.error('test/api-coverage.md is not what the tests say: node scripts/api-coverage.mjs --apply')
  process.exitCode = missing.length > 0 || differs ? 1 : 0
}

if (isMain(import.meta.url)) main()
