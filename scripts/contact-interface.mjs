/**
 * What the public interfaces say of themselves, read from the sources: operations with their error codes,
 * properties, events, codes.
 */
import { readFileSync, readdirSync } from 'node:fs'
import ts from 'typescript'
import { inRoot } from './run.mjs'

/** @typedef {{ name: string, codes: readonly string[], examples: readonly string[] }} Operation */

/** @param {...string} path */
const parse = (...path) =>
  ts.createSourceFile(path.at(-1) ?? '', readFileSync(inRoot(...path), 'utf8'), ts.ScriptTarget.ESNext, true)

/** @param {ts.SourceFile} file @param {string} name */
function interfaceOf(file, name) {
  const found = file.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name)
  if (!found || !ts.isInterfaceDeclaration(found))
    throw new Error(`${file.fileName} has no interface ${name}`)
  return found
}

/**
 * The members of an interface, and those of the interfaces that it extends, which are imported from beside
 * it.
 * @param {readonly string[]} path @param {string} name
 * @returns {{ found: ts.InterfaceDeclaration, members: readonly ts.TypeElement[] }}
 */
function membersOf(path, name) {
  const file = parse(...path)
  const found = interfaceOf(file, name)
  const parents = (found.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  )
  const inherited = parents.flatMap((parent) => {
    const declaration = file.statements.find(
      (one) =>
        ts.isImportDeclaration(one) &&
        one.importClause?.namedBindings?.getText().match(/\w+/g)?.includes(parent),
    )
    if (
      !declaration ||
      !ts.isImportDeclaration(declaration) ||
      !ts.isStringLiteral(declaration.moduleSpecifier)
    )
      throw new Error(`${file.fileName} does not import ${parent}`)
    return membersOf([...path.slice(0, -1), declaration.moduleSpecifier.text.replace('./', '')], parent)
      .members
  })
  return { found, members: [...found.members, ...inherited] }
}

/** @param {ts.TypeElement} member */
const nameOf = (member) =>
  member.name && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name)) ? member.name.text : ''

/** @param {ts.Node} node */
const docOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map((comment) => comment.getText())
    .join('\n')

/**
 * Words of a text that stand in backticks or are linked: `code`, {@link Contact.operation}.
 * @param {string} text
 */
const namesIn = (text) =>
  [...text.matchAll(/`(\w+)`|\{@link Contact\.(\w+)\}/g)].map(([, quoted, linked]) => quoted ?? linked ?? '')

/** The code of the examples in the documentation of some members. @param {readonly ts.Node[]} nodes */
const examplesOf = (nodes) =>
  nodes.flatMap((node) =>
    [...docOf(node).matchAll(/@example\s*\n\s*\* ```ts\n([\s\S]*?)```/g)].map(([, code = '']) =>
      code.replaceAll(/^\s*\* ?/gm, '').trim(),
    ),
  )

/** Every error code. @returns {string[]} */
export function errorCodes() {
  const [, list = ''] =
    /ERROR_CODES = \[([^\]]*)\]/.exec(readFileSync(inRoot('protocol', 'errors.ts'), 'utf8')) ?? []
  return [...list.matchAll(/'(\w+)'/g)].map(([, code = '']) => code)
}

/** Events that entries of the log become, from the interfaces `*Events` of their files. */
const entryEvents = () =>
  readdirSync(inRoot('protocol', 'entries')).flatMap((file) =>
    parse('protocol', 'entries', file)
      .statements.filter((one) => ts.isInterfaceDeclaration(one))
      .filter(({ name }) => name.text.endsWith('Events'))
      .flatMap(({ members }) => members.map(nameOf)),
  )

/** Every event of a contact. @returns {string[]} */
export const contactEvents = () => [
  ...entryEvents(),
  ...interfaceOf(parse('protocol', 'contact-events.ts'), 'ContactEvents').members.map(nameOf),
]

/**
 * Members of a public interface, the Contact unless told. The codes of an operation are those that its
 * `@throws` names, and those of the operations that it refers to there (`as \`sendText\``); `general` are
 * those that the interface names for all of them.
 * @param {readonly string[]} path @param {string} name
 * @returns {{ operations: Operation[], properties: string[], general: string[] }}
 */
export function publicInterface(path = ['sdk', 'api', 'contact.ts'], name = 'Contact') {
  const { found, members } = membersOf(path, name)
  const codes = new Set(errorCodes())
  const methods = members.filter((member) => ts.isMethodSignature(member))
  /** @type {Map<string, string[]>} */
  const thrown = new Map()
  for (const method of methods) {
    const named = namesIn(/@throws([\s\S]*?)(?:\n\s*\* @|\*\/)/.exec(docOf(method))?.[1] ?? '')
    thrown.set(nameOf(method), [...(thrown.get(nameOf(method)) ?? []), ...named])
  }
  /** @param {string} operation @param {readonly string[]} seen @returns {string[]} */
  const codesOf = (operation, seen = []) =>
    (thrown.get(operation) ?? []).flatMap((word) =>
      codes.has(word) ? [word] : seen.includes(word) ? [] : codesOf(word, [...seen, operation]),
    )
  return {
    operations: [...thrown.keys()].map((operation) => ({
      name: operation,
      codes: [...new Set(codesOf(operation))],
      examples: examplesOf(methods.filter((method) => nameOf(method) === operation)),
    })),
    properties: members.filter((member) => ts.isPropertySignature(member)).map(nameOf),
    general: namesIn(docOf(found)).filter((word) => codes.has(word)),
  }
}

/**
 * The prose of an interface and of its members; a member without any is left out.
 * @param {readonly string[]} path @param {string} name @returns {{ about: string, members: Map<string, string> }}
 */
export function interfaceProse(path, name) {
  const { found, members } = membersOf(path, name)
  /** @param {ts.Node} node */
  const proseOf = (node) =>
    docOf(node)
      .replaceAll(/^\/\*\*|\*\/$/g, '')
      .replaceAll(/^\s*\* ?/gm, '')
      .trim()
  return {
    about: proseOf(found),
    members: new Map(
      members
        .map((member) => /** @type {const} */ ([nameOf(member), proseOf(member)]))
        .filter(([, text]) => text !== ''),
    ),
  }
}
