import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const ENTRIES = [
  'sdk/index.ts',
  'sdk/agent/index.ts',
  'sdk/compat/index.ts',
  'engines/index.ts',
  'testing/index.ts',
]
const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (path) => ts.sys.readFile(path)) as {
  readonly config: object
}
const {
  options: { tsBuildInfoFile: _unused, ...options },
} = ts.parseJsonConfigFileContent(config, ts.sys, root)
const program = ts.createProgram(
  ENTRIES.map((entry) => `${root}/${entry}`),
  { ...options, incremental: false },
)
const checker = program.getTypeChecker()

/** Whether a symbol is declared in this repository. */
const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some(
    (declaration) => !/node_modules|[\\/]lib\.[^\\/]*d\.ts$/.test(declaration.getSourceFile().fileName),
  )

/** Places in what is exported where a type is `any`. */
class Search {
  readonly found: string[] = []
  readonly #seen = new Set<ts.Type>()

  look(type: ts.Type, place: string): void {
    if (type.flags & ts.TypeFlags.Any) {
      this.found.push(place)
      return
    }
    if (this.#seen.has(type)) return
    this.#seen.add(type)
    if (type.isUnionOrIntersection()) for (const part of type.types) this.look(part, place)
    for (const argument of checker.getTypeArguments(type as ts.TypeReference) ?? [])
      this.look(argument, `${place}<>`)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()])
      this.#signature(signature, place)
    for (const { type: indexed } of checker.getIndexInfosOfType(type)) this.look(indexed, `${place}[]`)
    for (const property of type.getProperties())
      if (isOurs(property) && !isHidden(property))
        this.look(checker.getTypeOfSymbol(property), `${place}.${property.name}`)
  }

  #signature(signature: ts.Signature, place: string): void {
    for (const parameter of signature.getParameters())
      this.look(checker.getTypeOfSymbol(parameter), `${place}(${parameter.name})`)
    this.look(signature.getReturnType(), `${place}()`)
  }
}

const isHidden = (symbol: ts.Symbol): boolean =>
  symbol.name.startsWith('#') ||
  (symbol.declarations ?? []).some(
    (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0,
  )

describe('public types', () => {
  it.each(ENTRIES)('PKG-4 of %s contain no any', (entry) => {
    const source = program.getSourceFile(`${root}/${entry}`)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${entry} is no module`)
    const search = new Search()
    const exported = checker.getExportsOfModule(module)
    expect(exported.length).toBeGreaterThan(3)
    for (const symbol of exported) {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      if (real.flags & ts.SymbolFlags.Type) search.look(checker.getDeclaredTypeOfSymbol(real), symbol.name)
      if (real.flags & ts.SymbolFlags.Value) search.look(checker.getTypeOfSymbol(real), symbol.name)
    }
    expect(search.found).toEqual([])
  })
})
