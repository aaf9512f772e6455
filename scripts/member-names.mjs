/**
 * Which members only the SDK's own code names, as the types of the whole program say: each declaration of such a
 * name is a method, a callback, a getter or an object that has some, so that no value of it is sent or stored.
 */
import { readFileSync, readdirSync } from 'node:fs'
import ts from 'typescript'
import { inRoot, root } from './run.mjs'

const OWN = ['protocol', 'machines', 'engines', 'sdk']
const AROUND = ['testing', 'apps', 'examples']
const ENTRIES = [
  'sdk',
  'sdk/agent',
  'sdk/compat',
  'sdk/symbols',
  'machines',
  'engines',
  'testing',
  'apps/react/src',
]

/** @param {string} path @param {readonly string[]} folders */
const isIn = (path, folders) =>
  folders.some((folder) => path.startsWith(`${inRoot(folder).replaceAll('\\', '/')}/`)) &&
  !/\/(?:node_modules|dist)\//.test(path)
/** @param {ts.Node} node */
const isOwn = (node) => isIn(node.getSourceFile().fileName, OWN)

/** @param {ts.Node} node @param {(node: ts.Node) => void} visit */
function walk(node, visit) {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** The sources and their types. */
export function wholeProgram() {
  const read = ts.readConfigFile(inRoot('tsconfig.json'), (path) => ts.sys.readFile(path))
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root)
  const files = fileNames.filter((path) => isIn(path, [...OWN, ...AROUND]))
  const { tsBuildInfoFile: _, ...kept } = options
  return ts.createProgram(files, { ...kept, incremental: false })
}

/** A type without null and undefined, one by one. @param {ts.TypeChecker} checker @param {ts.Type} type */
function alternatives(checker, type) {
  const given = checker.getNonNullableType(type)
  return given.isUnion() ? given.types : [given]
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type */
const isCallable = (checker, type) => {
  const types = alternatives(checker, type)
  return types.length > 0 && types.every((each) => each.getCallSignatures().length > 0)
}

/** Functions, and objects of the SDK's own types that have one. @param {ts.TypeChecker} checker @param {ts.Type} type */
function isBehaviour(checker, type) {
  return alternatives(checker, type).every((each) => {
    if (each.getCallSignatures().length > 0) return true
    const declarations = (each.aliasSymbol ?? each.symbol)?.declarations ?? []
    if (declarations.length === 0 || !declarations.every(isOwn)) return false
    return checker
      .getPropertiesOfType(each)
      .some((member) => isCallable(checker, checker.getTypeOfSymbol(member)))
  })
}

/** @param {ts.Node} node @returns {node is ts.NamedDeclaration & { name: ts.PropertyName }} */
const isMember = (node) =>
  ts.isPropertySignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isAccessor(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isShorthandPropertyAssignment(node) ||
  ts.isEnumMember(node)

/** A member of an object that is written where one of a declared type is expected. @param {ts.TypeChecker} checker @param {ts.NamedDeclaration & { name: ts.PropertyName }} node */
function isOfDeclaredType(checker, node) {
  if (!ts.isObjectLiteralExpression(node.parent)) return true
  const expected = checker.getContextualType(node.parent)
  if (!expected) return false
  return alternatives(checker, expected).some((each) => {
    const declarations = each.getProperty(node.name.getText())?.declarations ?? []
    return (
      declarations.length > 0 &&
      declarations.every((one) => isOwn(one) && isMember(one) && !ts.isObjectLiteralExpression(one.parent))
    )
  })
}

/** @param {ts.TypeChecker} checker @param {ts.NamedDeclaration & { name: ts.PropertyName }} node */
function isSafe(checker, node) {
  if (!isOwn(node) || !isOfDeclaredType(checker, node)) return false
  if (ts.isAccessor(node)) return ts.isClassLike(node.parent)
  const symbol = ts.isShorthandPropertyAssignment(node)
    ? checker.getShorthandAssignmentValueSymbol(node)
    : checker.getSymbolAtLocation(node.name)
  return symbol !== undefined && isBehaviour(checker, checker.getTypeOfSymbol(symbol))
}

/** A text in a type is gone where the code runs. @param {ts.Node} node */
const isInType = (node) => ts.isLiteralTypeNode(node.parent) || ts.isTemplateLiteralTypeNode(node.parent)

/** Texts that may name a member. @param {ts.Node} node @returns {string[]} */
function textsOf(node) {
  if (ts.isStringLiteralLike(node)) return isInType(node) ? [] : [node.text]
  const isPart = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
  return isPart ? node.text.split(/[^\w$]+/) : []
}

const REFLECTION =
  /^(?:Object\.(?:keys|entries|hasOwn|getOwn\w+|assign|fromEntries)|Reflect\.\w+|JSON\.stringify|structuredClone)$/

/** What is asked for members by a text, and the type of these texts. @param {ts.Node} node @returns {[of: ts.Expression, by?: ts.Expression][]} */
function askedByText(node) {
  if (ts.isElementAccessExpression(node)) return [[node.expression, node.argumentExpression]]
  if (ts.isForInStatement(node)) return [[node.expression]]
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return [[node.right]]
  const isReflection = ts.isCallExpression(node) && REFLECTION.test(node.expression.getText())
  const isProxy = ts.isNewExpression(node) && node.expression.getText() === 'Proxy'
  return isReflection || isProxy ? (node.arguments ?? []).map((each) => [each]) : []
}

/** Names of members that a text reaches. @param {ts.TypeChecker} checker @param {ts.Node} node */
const namesByText = (checker, node) =>
  askedByText(node).flatMap(([of, by]) => {
    const isNumber = by && checker.getTypeAtLocation(by).flags & ts.TypeFlags.NumberLike
    if (isNumber) return []
    const type = checker.getApparentType(checker.getTypeAtLocation(of))
    return alternatives(checker, type)
      .flatMap((each) => checker.getPropertiesOfType(each))
      .map(({ name }) => name)
  })

/** What stands between the angle brackets of a type. @param {ts.TypeChecker} checker @param {ts.Type} type */
const argumentsOf = (checker, type) =>
  type.flags & ts.TypeFlags.Object &&
  /** @type {ts.ObjectType} */ (type).objectFlags & ts.ObjectFlags.Reference
    ? checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))
    : []

/** Names of all that applications reach from what the package exports. @param {ts.Program} program */
function publicNames(program) {
  const checker = program.getTypeChecker()
  const names = new Set()
  /** @type {Set<ts.Type>} */
  const seen = new Set()
  /** @param {ts.Type} type */
  const visit = (type) => {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) type.types.forEach(visit)
    for (const each of [...(type.aliasTypeArguments ?? []), ...argumentsOf(checker, type)]) visit(each)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      visit(signature.getReturnType())
      for (const each of signature.parameters) visit(checker.getTypeOfSymbol(each))
    }
    for (const member of checker.getPropertiesOfType(type))
      if (member.declarations?.some(isOwn)) {
        names.add(member.name)
        visit(checker.getTypeOfSymbol(member))
      }
  }
  for (const entry of ENTRIES) {
    const file = program.getSourceFile(inRoot(entry, 'index.ts'))
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`there is no entry ${entry}`)
    for (const each of checker.getExportsOfModule(module)) {
      visit(checker.getTypeOfSymbol(each))
      visit(checker.getDeclaredTypeOfSymbol(each))
    }
  }
  return names
}

/** Words of the reports of what the package exports. */
const wordsOfReports = () =>
  readdirSync(inRoot('docs', 'api')).flatMap(
    (name) => readFileSync(inRoot('docs', 'api', name), 'utf8').match(/[\w$]+/g) ?? [],
  )

/** The member that a node names, if it does. @param {ts.Node} node @returns {string[]} */
function memberOf(node) {
  if (isMember(node)) return [node.name.getText()]
  if (ts.isPropertyAccessExpression(node)) return [node.name.text]
  if (ts.isBindingElement(node)) return [(node.propertyName ?? node.name).getText()]
  return ts.isJsxAttribute(node) ? [node.name.getText()] : []
}

/** The members that packages name, and their texts. @param {readonly string[]} paths */
function wordsOfCode(paths) {
  /** @type {Set<string>} */
  const members = new Set()
  /** @type {Set<string>} */
  const texts = new Set()
  for (const path of paths)
    walk(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), (node) => {
      for (const name of memberOf(node)) members.add(name)
      for (const text of textsOf(node)) texts.add(text)
    })
  return { members, texts }
}

/** Names of exports keep, and code that is loaded later is an object that has them. @param {ts.TypeChecker} checker @param {ts.SourceFile} file */
function exportsOf(checker, file) {
  const module = checker.getSymbolAtLocation(file)
  return module ? checker.getExportsOfModule(module).map(({ name }) => name) : []
}

/** Types of the language and of browsers. */
const LIBRARY = /\/typescript\/lib\/lib\.[\w.]+\.d\.ts$/

/**
 * What is named where: members by their declarations, words that are no name of the SDK's own alone, and how often
 * each is used.
 * @param {ts.Program} program @param {readonly string[]} folders of packages that are bundled
 */
function found(program, folders) {
  const checker = program.getTypeChecker()
  /** @type {Map<string, (ts.NamedDeclaration & { name: ts.PropertyName })[]>} */
  const members = new Map()
  const others = new Set(wordsOfReports())
  /** @type {Map<string, number>} */
  const uses = new Map()
  for (const file of program.getSourceFiles()) {
    const [own, around] = [isIn(file.fileName, OWN), isIn(file.fileName, AROUND)]
    const isBundled =
      LIBRARY.test(file.fileName) || folders.some((folder) => file.fileName.startsWith(folder))
    if (!own && !around && !isBundled) continue
    if (own) for (const name of exportsOf(checker, file)) others.add(name)
    walk(file, (node) => {
      if (isMember(node))
        members.set(node.name.getText(), [...(members.get(node.name.getText()) ?? []), node])
      if (around) for (const name of memberOf(node)) others.add(name)
      if (own) for (const name of memberOf(node)) uses.set(name, (uses.get(name) ?? 0) + 1)
      if (own || around)
        for (const text of [...textsOf(node), ...namesByText(checker, node)]) others.add(text)
    })
  }
  return { members, others, uses }
}

/** Where a package is. @param {string} path of one of its files */
const folderOf = (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0] ?? path

/**
 * The names that may be others, and all that another must not be.
 * @param {readonly string[]} packages files of packages that are bundled
 * @param {readonly string[]} ofXState members that XState alone names
 */
export function memberNames(packages, ofXState) {
  const program = wholeProgram()
  const checker = program.getTypeChecker()
  const { members, others, uses } = found(program, packages.map(folderOf))
  const isXStates = (/** @type {string} */ path) => path.includes('/xstate/')
  const [xstate, rest] = [true, false].map((is) =>
    wordsOfCode(packages.filter((path) => isXStates(path) === is)),
  )
  if (!xstate || !rest) throw new Error('there are no packages')
  const kept = new Set([...others, ...publicNames(program), ...xstate.texts, ...rest.members, ...rest.texts])
  const declarationsOf = (/** @type {string} */ name) => members.get(name) ?? []
  const safe = [...members.keys()].filter(
    (name) =>
      /^[A-Za-z]\w{3,}$/.test(name) &&
      !kept.has(name) &&
      !xstate.members.has(name) &&
      declarationsOf(name).every((each) => isSafe(checker, each)),
  )
  const often = (/** @type {string} */ name) => uses.get(name) ?? 0
  return {
    safe: safe.toSorted((a, b) => often(b) - often(a) || (a < b ? -1 : 1)),
    ofXState: ofXState.filter(
      (name) =>
        xstate.members.has(name) &&
        !kept.has(name) &&
        !uses.has(name) &&
        declarationsOf(name).every((each) => isXStates(each.getSourceFile().fileName)),
    ),
    taken: new Set([...members.keys(), ...xstate.members, ...rest.members]),
  }
}
