/**
 * Holds `test/requirements.md` and the tests together: a requirement that is done has a test that carries its
 * id in its name, a test names no id that is not there, and no id stands there twice. The checks of
 * `npm run check` count as tests.
 *
 *   node scripts/requirements.mjs           the problems, and what is done
 *   node scripts/requirements.mjs --ready   open requirements that a test names already
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { inRoot, isMain } from './run.mjs'

/** Requirements that a script `check:…` proves, as a test would. */
const PROVEN_BY_CHECKS = { layers: ['PKG-8'], size: ['PKG-2'], exports: ['PKG-6'] }

/**
 * @typedef {{ id: string, status: string }} Requirement
 * @typedef {{ file: string, ids: readonly string[] }} TestedIds
 */

const ROW = /^\|\s*([A-Z]+-\d+)\s*\|\s*([a-z]+)\s*\|/
const ID = /\b[A-Z]+-\d+\b/g
const LEADING_IDS = /^(?:[A-Z]+-\d+[\s,:]+)*[A-Z]+-\d+(?=$|[\s,:])/
const STATUSES = ['open', 'done', 'dropped']
const RUNNERS = ['it', 'test', 'describe']
const NOT_RUN = ['skip', 'todo']

/** @param {string} markdown @returns {Requirement[]} */
export const parseRequirements = (markdown) =>
  markdown.split('\n').flatMap((line) => {
    const [, id, status] = ROW.exec(line) ?? []
    return id && status ? [{ id, status }] : []
  })

/**
 * Names on the way to what is called: `it.each(rows)` is called by `it` and `each`.
 * @param {ts.Node} node
 * @returns {string[]}
 */
function calleeNames(node) {
  if (ts.isIdentifier(node)) return [node.text]
  if (ts.isPropertyAccessExpression(node)) return [...calleeNames(node.expression), node.name.text]
  if (ts.isCallExpression(node)) return calleeNames(node.expression)
  return ts.isTaggedTemplateExpression(node) ? calleeNames(node.tag) : []
}

/** @param {ts.Node | undefined} node */
function textOf(node) {
  if (!node) return ''
  if (ts.isStringLiteralLike(node)) return node.text
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(' ')
    : ''
}

/**
 * Ids that the tests of a file carry: anywhere in a title, and at the start of any other string, since titles
 * of tables of tests stand in the table. Tests that do not run carry nothing.
 * @param {string} source
 * @returns {string[]}
 */
export function testedIds(source) {
  /** @type {Set<string>} */
  const ids = new Set()
  /** @param {ts.Node} node @returns {void} */
  const visit = (node) => {
    if (ts.isCallExpression(node)) {
      const names = calleeNames(node.expression)
      if (names.some((name) => RUNNERS.includes(name))) {
        if (names.some((name) => NOT_RUN.includes(name))) return
        for (const id of textOf(node.arguments[0]).match(ID) ?? []) ids.add(id)
      }
    }
    for (const id of LEADING_IDS.exec(textOf(node))?.[0].match(ID) ?? []) ids.add(id)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.ESNext))
  return [...ids]
}

/** @param {string} id */
const areaOf = (id) => id.slice(0, id.lastIndexOf('-'))

/**
 * What is wrong, one line each. Words like `UTF-8` are no ids: only those of an area that the requirements
 * have.
 * @param {readonly Requirement[]} requirements
 * @param {readonly TestedIds[]} tests
 */
export function problemsOf(requirements, tests) {
  const known = new Set(requirements.map(({ id }) => id))
  const areas = new Set([...known].map(areaOf))
  const tested = new Set(tests.flatMap(({ ids }) => ids))
  const all = requirements.map(({ id }) => id)
  return [
    ...(requirements.length === 0 ? ['no requirements were found'] : []),
    ...[...new Set(all.filter((id, at) => all.indexOf(id) !== at))].map((id) => `${id} stands there twice`),
    ...requirements
      .filter(({ status }) => !STATUSES.includes(status))
      .map(({ id, status }) => `${id} has the status ${status}; it must be one of ${STATUSES.join(', ')}`),
    ...requirements
      .filter(({ id, status }) => status === 'done' && !tested.has(id))
      .map(({ id }) => `${id} is done but no test carries it`),
    ...tests.flatMap(({ file, ids }) =>
      ids
        .filter((id) => areas.has(areaOf(id)) && !known.has(id))
        .map((id) => `${file} names ${id}, which is no requirement`),
    ),
  ]
}

/** @param {string} folder @returns {TestedIds[]} */
function testsBelow(folder) {
  if (!existsSync(inRoot(folder))) return []
  const files = readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  return files.map((file) => ({
    file: join(folder, file),
    ids: testedIds(readFileSync(inRoot(folder, file), 'utf8')),
  }))
}

function main() {
  const requirements = parseRequirements(readFileSync(inRoot('test', 'requirements.md'), 'utf8'))
  const tests = [...testsBelow('test'), ...testsBelow('testing')].filter(
    ({ file }) => !file.startsWith(join('test', 'scripts')),
  )
  for (const [check, ids] of Object.entries(PROVEN_BY_CHECKS)) tests.push({ file: `check:${check}`, ids })
  const tested = new Set(tests.flatMap(({ ids }) => ids))
  const ready = requirements
    .filter(({ id, status }) => status === 'open' && tested.has(id))
    .map(({ id }) => id)
  const problems = problemsOf(requirements, tests)
  for (const problem of problems) console.error(problem)
  if (process.argv.includes('--ready')) console.log(ready.join('\n'))
  const counts = STATUSES.map(
    (status) => `${requirements.filter((row) => row.status === status).length} ${status}`,
  )
  console.log(`${counts.join(', ')}; ${ready.length} open ones have a test already`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (isMain(import.meta.url)) main()
